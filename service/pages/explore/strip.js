// Filings over time: a bar a day, a month or a year, as their span wants, of counts or of amounts. What is dragged over is
// filtered by, and so is what lies between the two handles, which arrow keys move.

import { button, element, one } from "./dom.js";
import { daysIn, lastDay } from "./facets.js";
import { brief, filings, money, number } from "./format.js";

const mostMonths = 180;
const svg = "http://www.w3.org/2000/svg";

// Days, months and years by the length of their keys: the number of a key, and the key of a number.
const day = 86_400_000;
const scales = {
  10: { at: (key) => Date.parse(key) / day, key: (n) => new Date(n * day).toISOString().slice(0, 10) },
  7: { at: (key) => 12 * key.slice(0, 4) + Number(key.slice(5, 7)) - 1, key: (n) => `${scales[4].key(Math.floor(n / 12))}-${String((n % 12) + 1).padStart(2, "0")}` },
  4: { at: (key) => Number(key.slice(0, 4)), key: (n) => String(n).padStart(4, "0") },
};

/** The bars of groups by day or month: { key, filings, sum } from the first to the last, without gaps; by year where months are many. */
export function barsOf(groups) {
  const dated = groups.filter(({ key }) => key !== null).sort((a, b) => (a.key < b.key ? -1 : 1));
  if (!dated.length) return [];
  const first = dated[0].key, last = dated.at(-1).key;
  const isLong = first.length === 7 && scales[7].at(last) - scales[7].at(first) >= mostMonths;
  const scale = scales[isLong ? 4 : first.length], from = scale.at(first);
  const bars = Array.from({ length: scale.at(last) - from + 1 }, (_, i) => ({ key: scale.key(from + i), filings: 0, sum: 0 }));
  for (const { key, filings, sum } of dated) {
    const bar = bars[scale.at(key) - from];
    bar.filings += filings;
    bar.sum += sum ?? 0;
  }
  return bars;
}

/** The days from the first of a bar to the last of another: { date_start, date_end }. */
export const daysOf = (from, until) => ({
  date_start: `${from}-01-01`.slice(0, 10), date_end: { 4: `${until}-12-31`, 7: lastDay(until), 10: until }[until.length],
});

/** The bars that filters choose: [first, last]; of all where they choose none. */
export function chosenOf(bars, where) {
  const [from, until] = daysIn(where);
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
    const kind = button({ "data-part": "kind", "aria-pressed": String(this.#amounts) }, () => {
      this.#amounts = !this.#amounts;
      this.#draw(filtered);
    }, this.#amounts ? "by amount" : "by number");
    const all = button({ "data-part": "all", hidden: !filtered }, () => this.#set({ date_start: "", date_end: "" }), "All time");
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

  /** The years below the bars, or the days, as many as have room. */
  #ticks() {
    const apart = this.#bars.length / 8, named = ({ key }) => (key.length === 10 ? key.slice(5) : key.slice(0, 4));
    let last = -Infinity;
    return this.#bars.map((bar, i) => [named(bar), i]).filter(([name, i]) => {
      const shows = i && name !== named(this.#bars[i - 1]) && i - last >= apart;
      if (shows) last = i;
      return shows;
    }).map(([name, i]) => {
      const tick = element("span", { class: "tick", "aria-hidden": "true" }, name);
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
