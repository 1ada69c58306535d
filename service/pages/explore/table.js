// The table of filings, with the fields that the caller's tier has.

import { Columns } from "./columns.js";
import { element, one } from "./dom.js";
import { isMoney, label, value } from "./format.js";

export class Table {
  #table;
  #columns = new Columns(() => this.show(...this.#shown));
  #shown = [[], { sorts: [] }];

  /** opened is called with the id of the filing that was chosen, sorted with the column whose head was. */
  constructor(table, opened, sorted) {
    this.#table = table;
    table.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-id]");
      if (row) opened(row.dataset.id);
      const head = event.target.closest("th[data-sort]");
      if (head) sorted(head.dataset.sort);
    });
    table.addEventListener("focusin", ({ target }) => {
      if (target.closest("thead")) target.scrollIntoView({ block: "nearest", inline: "nearest" }); // browsers are content with an edge of it
    });
  }

  /**
   * Shows filings, with a term marked. Of order, sorts are the columns that can be sorted by, by is the one that is, falling or
   * not.
   */
  show(filings, order, term = "") {
    this.#shown = [filings, order, term];
    const chosen = one("tr.chosen", this.#table)?.dataset.id ?? "";
    const held = document.activeElement.closest("th[data-sort]")?.dataset.sort;
    const fields = filings.length ? Object.keys(filings[0]) : [];
    const columns = this.#columns.of(fields);
    one("thead", this.#table).replaceChildren(element("tr", {}, ...columns.map((f) => head(f, order))));
    one(`[data-sort="${held}"] button`, this.#table)?.focus(); // the reader sorts on from where they are
    one("tbody", this.#table).replaceChildren(...filings.map((filing) => row(columns, filing, term)));
    this.select(chosen);
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

function row(columns, filing, term) {
  const cells = columns.map((field, i) => {
    const text = i === 0 && filing[field] === null ? `Filing ${filing.id}` : value(field, filing[field]);
    const shown = searched.includes(field) ? marked(text, term) : [text];
    if (i === 0) return element("th", { scope: "row" }, element("button", { type: "button", title: text }, ...shown));
    return element("td", { class: isMoney(field) ? "number" : /Date$/.test(field) && "day", title: text }, ...shown);
  });
  return element("tr", { "data-id": filing.id }, ...cells);
}

const searched = ["owner", "propertyAddress", "caseNumber", "county"]; // in which a term is found

/** A text as text and marks of where a term is in it. */
function marked(text, term) {
  if (!term) return [text];
  const parts = text.split(new RegExp(`(${term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")})`, "i"));
  return parts.map((part, i) => (i % 2 ? element("mark", {}, part) : part));
}
