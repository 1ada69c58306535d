// How fresh the data is: the time of its generation in the head, the counties with their dates in a panel, and what is newer.

import { element, one } from "./dom.js";
import { number } from "./format.js";
import { Panel } from "./panel.js";

const button = one("#fresh");

/** The time of a generation, in the reader's own: 26 Nov, 13:35. */
export function timeOf(generation) {
  const [, ...parts] = generation.match(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/) ?? [];
  if (!parts.length) return generation;
  const [year, month, ...rest] = parts.map(Number), time = new Date(Date.UTC(year, month - 1, ...rest));
  return `${dayOf(time)}, ${time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}

const dayOf = (time) => time.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(time.getFullYear() !== new Date().getFullYear() && { year: "numeric" }) });

// The columns of the counties, of what the service says of them.
const columns = [
  ["County", (c) => (c.state ? `${c.county}, ${c.state}` : c.county)],
  ["Filings", (c) => number(c.filings), "number"],
  ["Newest", (c) => c.lastFilingDate ?? "–", "day"],
  ["Last added", (c) => (c.lastAddedAt ? dayOf(new Date(c.lastAddedAt)) : "–"), "day"],
  ["Checked", (c) => (c.checkedAt ? dayOf(new Date(c.checkedAt)) : "–"), "day"],
  ["With coordinates", (c) => `${Math.round((100 * c.withCoordinates) / (c.filings || 1))} %`, "number"],
  ["Source", (c) => c.source?.name ?? c.source ?? "–"],
];

export class Fresh {
  #panel;
  #shown = "";
  #newer = "";

  /** load is called to load newer data, counties to be asked for the counties; both promise. look is called to find out whether there is newer data. */
  constructor({ load, counties, look }) {
    this.#panel = new Panel(one("#counties"), () => this.#panel.hide());
    button.addEventListener("click", () => (this.#newer ? load() : counties()));
    let last = Date.now();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden || Date.now() - last < 60_000) return;
      last = Date.now();
      look();
    });
  }

  /** Says of which generation what is shown is, and whether there is a newer one. */
  show(shown, live) {
    [this.#shown, this.#newer] = [shown, shown && live > shown ? live : ""];
    button.hidden = !shown;
    button.classList.toggle("newer", Boolean(this.#newer));
    button.textContent = this.#newer ? `New data of ${timeOf(live)}: load it` : `Data of ${timeOf(shown)}`;
  }

  /** Shows the counties. */
  open(all) {
    const shown = columns.filter(([, cell]) => all.some((county) => cell(county) !== "–"));
    const rows = all.map((county) => element("tr", {}, ...shown.map(([, cell, name], i) => element(i ? "td" : "th", { class: name ?? false, scope: i === 0 && "row" }, cell(county)))));
    const head = element("tr", {}, ...shown.map(([title, , name]) => element("th", { scope: "col", class: name ?? false }, title)));
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
    this.#panel.show(`Data of ${timeOf(this.#shown)}: ${number(all.length)} counties`, element("div", { tabindex: "0", role: "region", "aria-label": "Counties", class: "wide" }, table));
  }

  hide() {
    this.#panel.hide();
  }
}
