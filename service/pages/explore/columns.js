// The columns of the table: which of a filing's fields show, as the reader chose them last.

import { element, one } from "./dom.js";
import { label } from "./format.js";
import { keep, kept } from "./view.js";

// The columns that tell filings apart; the other fields can be chosen, and follow as they were answered.
const first = ["owner", "filingAmount", "filingDate", "filingType", "county", "propertyAddress", "filingHolder"];

const ordered = (fields) => [...first.filter((field) => fields.includes(field)), ...fields.filter((field) => !first.includes(field))];

export class Columns {
  #chosen = kept("filings-columns")?.split(",") ?? first;
  #fields = "";
  #changed;

  /** changed is called when other columns are chosen. */
  constructor(changed) {
    this.#changed = changed;
    const menu = one("#columns");
    one("div", menu).addEventListener("change", () => this.#choose([...menu.querySelectorAll("input:checked")].map((box) => box.value)));
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      one("summary", menu).focus();
    });
    addEventListener("click", ({ target }) => menu.contains(target) || (menu.open = false));
  }

  /** The columns that show, of filings with these fields. */
  of(fields) {
    if (fields.length && fields.join() !== this.#fields) this.#offer(fields);
    const shown = this.#chosen.filter((field) => fields.includes(field));
    return shown.length ? shown : first.filter((field) => fields.includes(field));
  }

  #choose(fields) {
    this.#chosen = ordered(fields);
    keep("filings-columns", this.#chosen.join());
    this.#changed();
  }

  #offer(fields) {
    this.#fields = fields.join();
    const boxes = ordered(fields).map((field) =>
      element("label", {}, element("input", { type: "checkbox", value: field, checked: this.#chosen.includes(field) }), ` ${label(field)}`));
    one("#columns div").replaceChildren(...boxes);
  }
}
