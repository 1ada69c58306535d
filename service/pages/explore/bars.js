// The groups beside the map: a bar for each, which filters when it is pressed.

import { element, one } from "./dom.js";
import { choose, isChosen } from "./facets.js";
import { money, number } from "./format.js";

const few = 50; // bars that show at once

const kinds = {
  county: { one: "county", many: "counties", none: "No county" },
  filing_type: { one: "filing type", many: "filing types", none: "No filing type" },
  month: { one: "month", many: "months", none: "No recording date" },
};

export class Bars {
  #details = one("#groups");
  #by = one("#groups-by");
  #list = one("#bars");
  #all = one("#all-bars");
  #groups;
  #chosen;
  #shown = few;

  /** groups are asked, opened is called when they are needed, chosen with the filters that a press changes. */
  constructor(groups, { opened, chosen }) {
    this.#groups = groups;
    this.#chosen = chosen;
    this.#details.addEventListener("toggle", () => this.#details.open && opened());
    this.#by.addEventListener("change", () => {
      this.#shown = few;
      opened();
    });
  }

  /** Asks for the groups of what filters select, where they show, and shows them. */
  async show(where, signal) {
    if (!this.#details.open) return;
    let by, groups;
    do {
      by = this.#by.value;
      groups = await this.#groups.by(by, where, signal);
      signal.throwIfAborted();
    } while (by !== this.#by.value); // another was chosen meanwhile
    this.#draw(by, by === "month" ? groups.toSorted(later) : groups, where);
  }

  #draw(by, groups, where) {
    const held = document.activeElement.closest("#bars button")?.dataset.key;
    const most = Math.max(...groups.map((group) => group.filings));
    const shown = groups.slice(0, this.#shown);
    this.#list.replaceChildren(...shown.map((group) => element("li", {}, this.#bar(by, group, group.filings / most, where))));
    one("#groups-status").textContent = groups.length
      ? `${number(groups.length)} ${groups.length === 1 ? kinds[by].one : kinds[by].many} of what the other filters select. Press one to filter by it.`
      : "No groups: the other filters select no filings.";
    this.#all.hidden = shown.length === groups.length;
    this.#all.textContent = `Show all ${number(groups.length)}`;
    this.#all.onclick = () => {
      this.#shown = Infinity;
      this.#draw(by, groups, where);
      one(`li:nth-child(${few + 1}) button`, this.#list)?.focus();
    };
    if (held !== undefined) [...this.#list.querySelectorAll("button")].find((button) => button.dataset.key === held)?.focus();
  }

  /** One bar, part of the longest one. No filter selects what has no value. */
  #bar(by, { key, filings, sum }, part, where) {
    const parts = [
      element("span", { class: "name" }, key ?? kinds[by].none),
      element("span", { class: "count" }, number(filings), element("span", { class: "spoken" }, filings === 1 ? " filing" : " filings")),
      element("span", { class: "sum" }, sum === null ? "no amounts" : money(sum)),
    ];
    const bar = key === null
      ? element("div", { class: "bar-of" }, ...parts)
      : element("button", { type: "button", class: "bar-of", "data-key": key, "aria-pressed": String(isChosen(by, key, where)) }, ...parts);
    bar.style.setProperty("--part", `${100 * part}%`);
    if (key !== null) bar.addEventListener("click", () => this.#chosen(choose(by, key, where)));
    return bar;
  }

  clear() {
    this.#list.replaceChildren();
    one("#groups-status").textContent = "";
    this.#all.hidden = true;
  }
}

/** Later months first, filings without one last. */
const later = (a, b) => (b.key ?? "").localeCompare(a.key ?? "");
