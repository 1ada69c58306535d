// The table of filings, with the fields that the caller's tier has.

import { element, one } from "./dom.js";
import { isMoney, label, value } from "./format.js";

// What tells filings apart comes first; the other fields follow as they were answered.
const first = ["owner", "filingAmount", "filingDate", "filingType", "filingHolder", "propertyAddress", "county"];

export class Table {
  #table;

  /** opened is called with the id of the filing that was chosen, sorted with the column whose head was. */
  constructor(table, opened, sorted) {
    this.#table = table;
    table.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-id]");
      if (row) opened(row.dataset.id);
      const head = event.target.closest("th[data-sort]");
      if (head) sorted(head.dataset.sort);
    });
  }

  /** Shows filings. Of order, sorts are the columns that can be sorted by, by is the one that is, falling or not. */
  show(filings, order) {
    const held = document.activeElement.closest("th[data-sort]")?.dataset.sort;
    const fields = filings.length ? Object.keys(filings[0]) : [];
    const columns = [...first.filter((f) => fields.includes(f)), ...fields.filter((f) => !first.includes(f))];
    one("thead", this.#table).replaceChildren(element("tr", {}, ...columns.map((f) => head(f, order))));
    one(`[data-sort="${held}"] button`, this.#table)?.focus(); // the reader sorts on from where they are
    one("tbody", this.#table).replaceChildren(...filings.map((filing) => row(columns, filing)));
    this.#table.parentElement.scrollTop = 0; // the next page is read from its top
  }

  /** Shows which filing is open; none for "". */
  select(id) {
    for (const row of one("tbody", this.#table).rows) row.classList.toggle("chosen", row.dataset.id === id);
  }
}

function head(field, { sorts, by, falling }) {
  const sortable = sorts.includes(field);
  const sorted = field === by && (falling ? "descending" : "ascending");
  const name = sortable ? element("button", { type: "button", title: `Sort by ${label(field).toLowerCase()}` }, label(field)) : label(field);
  return element("th", { scope: "col", class: isMoney(field) && "number", "aria-sort": sorted, "data-sort": sortable && field }, name);
}

function row(columns, filing) {
  const cells = columns.map((field, i) => {
    const text = i === 0 && filing[field] === null ? `Filing ${filing.id}` : value(field, filing[field]);
    if (i === 0) return element("th", { scope: "row" }, element("button", { type: "button", title: text }, text));
    return element("td", { class: isMoney(field) && "number", title: text }, text);
  });
  return element("tr", { "data-id": filing.id }, ...cells);
}
