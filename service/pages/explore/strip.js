// Filings over time: a bar a month, or a year where there are many, of counts or of amounts. What is dragged over is filtered by,
// and so is what lies between the two handles, which arrow keys move.

import { element, one } from "./dom.js";
import { lastDay } from "./facets.js";
import { brief, filings, money, number } from "./format.js";

const mostMonths = 180;
const svg = "http://www.w3.org/2000/svg";

/** The bars of groups by month: { key, filings, sum } from the first to the last, without gaps; by year where months are many. */
export function barsOf(groups) {
  const dated = groups.filter(({ key }) => key !== null).sort((a, b) => (a.key < b.key ? -1 : 1));
  if (!dated.length) return [];
  const at = (key) => Number(key.slice(0, 4)) * 12 + Number(key.slice(5, 7)) - 1;
  const first = at(dated[0].key), months = at(dated.at(-1).key) - first + 1;
  const unit = months > mostMonths ? 12 : 1, from = Math.floor(first / unit);
  const bars = Array.from({ length: Math.floor((first + months - 1) / unit) - from + 1 }, (_, i) => {
    const month = (from + i) * unit, year = String(Math.floor(month / 12)).padStart(4, "0");
    return { key: unit === 12 ? year : `${year}-${String((month % 12) + 1).padStart(2, "0")}`, filings: 0, sum: 0 };
  });
  for (const { key, filings, sum } of dated) {
    const bar = bars[Math.floor(at(key) / unit) - from];
    bar.filings += filings;
    bar.sum += sum ?? 0;
  }
  return bars;
}

/** The days from the first of a bar to the last of another: { date_start, date_end }. */
export const daysOf = (from, until) => ({
  date_start: from.length === 4 ? `${from}-01-01` : `${from}-01`, date_end: until.length === 4 ? `${until}-12-31` : lastDay(until),
});

/** The bars that filters choose: [first, last]; of all where they choose none. */
export function chosenOf(bars, { month, date_start, date_end }) {
  const from = month ?? date_start ?? "", until = month ?? date_end ?? "9999";
  const first = bars.findIndex(({ key }) => key >= from.slice(0, key.length));
  const last = bars.findLastIndex(({ key }) => key <= until.slice(0, key.length));
  return first < 0 || last < first ? [0, bars.length - 1] : [first, last];
}

export class Strip {
  #place = one("#time");
  #chosen;
  #bars = [];
  #range = [0, 0];
  #amounts = false;

  /** chosen is called with the filters that a range of time changes. */
  constructor(chosen) {
    this.#chosen = chosen;
  }

  show(groups, where) {
    this.#bars = barsOf(groups);
    this.#range = chosenOf(this.#bars, where);
    this.#place.hidden = this.#bars.length === 0;
    if (this.#bars.length) this.#draw(Boolean(where.month || where.date_start || where.date_end));
  }

  clear() {
    this.#place.hidden = true;
    this.#place.replaceChildren();
  }

  #draw(filtered) {
    const held = document.activeElement.closest("#time [data-part]")?.dataset.part;
    const kind = element("button", { type: "button", "data-part": "kind", "aria-pressed": String(this.#amounts) }, this.#amounts ? "by amount" : "by number");
    kind.addEventListener("click", () => {
      this.#amounts = !this.#amounts;
      this.#draw(filtered);
    });
    const all = element("button", { type: "button", "data-part": "all", hidden: !filtered }, "All time");
    all.addEventListener("click", () => this.#set({ date_start: "", date_end: "" }));
    const strip = element("div", { class: "strip" }, this.#drawn(), ...this.#ticks(), this.#handle(0, "From"), this.#handle(1, "Until"));
    strip.addEventListener("pointerdown", (event) => this.#drag(event, strip));
    this.#place.replaceChildren(element("div", { class: "said" }, element("span", {}), kind, all), strip);
    this.#mark();
    if (held) (one(`[data-part="${held}"]:not([hidden])`, this.#place) ?? kind).focus();
  }

  #drawn() {
    const drawing = document.createElementNS(svg, "svg"), value = (bar) => (this.#amounts ? Math.max(0, bar.sum) : bar.filings);
    const most = Math.max(...this.#bars.map(value)) || 1;
    drawing.setAttribute("viewBox", `0 0 ${this.#bars.length} 100`);
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.setAttribute("aria-hidden", "true");
    this.#bars.forEach((bar, i) => {
      const height = value(bar) && Math.max(2, (100 * value(bar)) / most), rect = document.createElementNS(svg, "rect");
      for (const [name, v] of Object.entries({ x: i + 0.08, width: 0.84, y: 100 - height, height })) rect.setAttribute(name, v);
      rect.append(document.createElementNS(svg, "title"));
      rect.firstChild.textContent = `${bar.key}: ${filings(bar.filings)}, ${money(bar.sum)}`;
      drawing.append(rect);
    });
    return drawing;
  }

  /** The years below the bars, as many as have room. */
  #ticks() {
    const apart = this.#bars.length / 8;
    let last = -Infinity;
    return this.#bars.map(({ key }, i) => [key.slice(0, 4), i]).filter(([year, i]) => {
      const shows = i && year !== this.#bars[i - 1].key.slice(0, 4) && i - last >= apart;
      if (shows) last = i;
      return shows;
    }).map(([year, i]) => {
      const tick = element("span", { class: "tick", "aria-hidden": "true" }, year);
      tick.style.left = `${(100 * i) / this.#bars.length}%`;
      return tick;
    });
  }

  /** One end of what is chosen. */
  #handle(end, name) {
    const handle = element("div", { class: "handle", role: "slider", tabindex: "0", "data-part": `end-${end}`, "aria-label": `${name}: arrow keys choose`, "aria-valuemin": "0" });
    handle.addEventListener("keydown", (event) => {
      const last = this.#bars.length - 1, at = this.#range[end];
      const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - 12, PageUp: at + 12, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const range = [...this.#range];
      range[end] = Math.max(end ? range[0] : 0, Math.min(end ? last : range[1], to));
      this.#choose(range);
    });
    return handle;
  }

  #drag(event, strip) {
    if (event.button) return;
    event.preventDefault();
    const at = ({ clientX }) => {
      const { left, width } = strip.getBoundingClientRect();
      return Math.max(0, Math.min(this.#bars.length - 1, Math.floor(((clientX - left) / width) * this.#bars.length)));
    };
    const end = event.target.closest(".handle")?.dataset.part;
    const anchor = end ? this.#range[end === "end-0" ? 1 : 0] : at(event);
    strip.setPointerCapture(event.pointerId);
    const move = (to) => {
      this.#range = [Math.min(anchor, at(to)), Math.max(anchor, at(to))];
      this.#mark();
    };
    if (!end) move(event);
    strip.onpointermove = move;
    strip.onpointerup = strip.onpointercancel = () => {
      strip.onpointermove = strip.onpointerup = strip.onpointercancel = null;
      this.#choose(this.#range);
    };
  }

  #choose(range) {
    this.#range = range;
    this.#mark();
    const [first, last] = range, all = first === 0 && last === this.#bars.length - 1;
    this.#set(all ? { date_start: "", date_end: "" } : daysOf(this.#bars[first].key, this.#bars[last].key));
  }

  #set(dates) {
    this.#chosen({ ...dates, month: "", date_range: "" });
  }

  /** Shows what is chosen. */
  #mark() {
    const [first, last] = this.#range, chosen = this.#bars.slice(first, last + 1);
    this.#place.querySelectorAll("rect").forEach((rect, i) => rect.classList.toggle("in", i >= first && i <= last));
    const total = chosen.reduce((sum, bar) => sum + (this.#amounts ? bar.sum : bar.filings), 0);
    const [from, until] = [this.#bars[first].key, this.#bars[last].key];
    one(".said span", this.#place).textContent = `${from === until ? from : `${from} – ${until}`}: ${this.#amounts ? `$${brief(Math.round(total))}` : number(total)}`;
    [first, last].forEach((at, end) => {
      const handle = one(`[data-part="end-${end}"]`, this.#place);
      handle.style.left = `${(100 * (at + end)) / this.#bars.length}%`;
      handle.setAttribute("aria-valuemax", String(this.#bars.length - 1));
      handle.setAttribute("aria-valuenow", String(at));
      handle.setAttribute("aria-valuetext", this.#bars[at].key);
    });
  }
}
