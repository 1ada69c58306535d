// The groups beside the map: a bar for each, which filters when it is pressed.

import { element, one, refill } from "./dom.js";
import { barOf } from "./facetbars.js";
import { money, number } from "./format.js";

const few = 50; // bars that show at once

const kinds = {
  county: { one: "county", many: "counties", none: "No county" },
  filing_type: { one: "filing type", many: "filing types", none: "No filing type" },
  holder: { one: "holder", many: "holders", none: "No holder" },
  owner: { one: "owner", many: "owners", none: "No owner" },
  month: { one: "month", many: "months", none: "No recording date" },
};

export class Bars {
  #details = one("#groups");
  #by = one("#groups-by");
  #sort = one("#groups-sort");
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
    for (const choice of [this.#by, this.#sort]) {
      choice.addEventListener("change", () => {
        this.#shown = few;
        opened();
      });
    }
  }

  /** Opens the groups of a kind. */
  open(kind) {
    this.#by.value = kind;
    this.#shown = few;
    if (this.#details.open) this.#by.dispatchEvent(new Event("change"));
    this.#details.open = true;
    one("summary", this.#details).focus();
    this.#details.scrollIntoView({ block: "nearest" });
  }

  /** Asks for the groups of what filters select, where they show, and shows them. */
  async show(where, signal) {
    if (!this.#details.open) return;
    let by, sort, answer;
    do {
      [by, sort] = [this.#by.value, this.#sort.value];
      answer = await this.#groups.by(by, where, signal, sort);
      signal.throwIfAborted();
    } while (by !== this.#by.value || sort !== this.#sort.value); // another was chosen meanwhile
    const { groups, total } = answer;
    this.#draw(by, by === "month" && !sort ? groups.toSorted(later) : groups, total, where, sort ? (group) => Math.max(0, group.sum) : (group) => group.filings);
  }

  #draw(by, groups, total, where, length) {
    const most = Math.max(...groups.map(length)) || 1;
    const shown = groups.slice(0, this.#shown);
    refill(this.#list, ...shown.map((group) => barOf(by, group, length(group) / most, where, this.#chosen, kinds[by].none,
      element("span", { class: "sum" }, group.sum === null ? "no amounts" : money(group.sum)))));
    const selected = "bounds_north" in where ? "of what the other filters select in the map’s view" : "of what the other filters select";
    one("#groups-status").textContent = groups.length
      ? `${number(total)} ${total === 1 ? kinds[by].one : kinds[by].many} ${selected}. Press one to filter by it.`
      : "No groups: the other filters select no filings.";
    this.#all.hidden = shown.length === groups.length;
    this.#all.textContent = `Show ${total > groups.length ? "the first" : "all"} ${number(groups.length)}`;
    this.#all.onclick = () => {
      this.#shown = Infinity;
      this.#draw(by, groups, total, where, length);
      one(`li:nth-child(${few + 1}) button`, this.#list)?.focus();
    };
  }

  clear() {
    this.#list.replaceChildren();
    one("#groups-status").textContent = "";
    this.#all.hidden = true;
  }
}

/** Later months first, filings without one last. */
const later = (a, b) => (b.key ?? "").localeCompare(a.key ?? "");
