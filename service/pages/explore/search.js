// The search box, and the order of the filings.

import { element, one } from "./dom.js";
import { label } from "./format.js";
import { resolved } from "./schema.js";

const whole = 3; // characters: a shorter term is asked for only when it is entered

// The columns of the table that a sort is by. What is sorted by when filings were added has none.
const columns = { record_date: "filingDate", filing_amount: "filingAmount", current_amount: "currentAmount", property_owner: "owner" };

export class Search {
  #term = one("#term");
  #sort = one("#sort");
  #first; // the order that the service has by itself

  /** typed is called while a term is being typed, chosen when it is entered, sorted when another order is chosen. */
  constructor(openapi, { typed, chosen, sorted }) {
    const parameter = (name) => openapi.paths["/v1/filings/search"].get.parameters.find((p) => p.name === name);
    const [sorts, orders] = ["sort_by", "sort_order"].map((name) => resolved(openapi, parameter(name).schema));
    this.#first = `${sorts.default} ${orders.default}`;
    this.#sort.replaceChildren(...sorts.enum.flatMap((by) => [...orders.enum].reverse().map((order) =>
      element("option", { value: `${by} ${order}` }, `${label(by)}, ${order === "ASC" ? "ascending" : "descending"}`))));
    this.#sort.value = this.#first;
    one("#search").addEventListener("submit", (event) => {
      event.preventDefault();
      chosen();
    });
    this.#term.addEventListener("input", () => {
      const { length } = this.term;
      if (length === 0 || length >= whole) typed();
    });
    this.#term.addEventListener("change", chosen);
    this.#sort.addEventListener("change", sorted);
  }

  /** The term as the service reads it: runs of white space are one blank. */
  get term() {
    return this.#term.value.trim().replace(/\s+/g, " ");
  }

  /** The order, as parameters; none where it is the service's own. */
  get order() {
    const [sort_by, sort_order] = this.#sort.value.split(" ");
    return this.#sort.value === this.#first ? {} : { sort_by, sort_order };
  }

  /** Shows a term and an order, of parameters. */
  set values({ q = "", sort_by, sort_order }) {
    const [by, order] = this.#first.split(" ");
    this.#term.value = q;
    this.#sort.value = `${sort_by ?? by} ${sort_order ?? order}`;
    if (!this.#sort.value) this.#sort.value = this.#first; // no order of the service
  }

  /** Sorts by a column; by the one that is sorted by already in the other direction. */
  sortBy(column) {
    const [by, order] = this.#sort.value.split(" ");
    const wanted = Object.keys(columns).find((name) => columns[name] === column);
    const falling = by === wanted ? order === "ASC" : column !== "owner";
    this.#sort.value = `${wanted} ${falling ? "DESC" : "ASC"}`;
    this.#sort.dispatchEvent(new Event("change"));
  }

  /** What the table's heads show: the columns that can be sorted by, and the one that is. */
  get columns() {
    const [by, order] = this.#sort.value.split(" ");
    return { sorts: Object.values(columns), by: columns[by], falling: order === "DESC" };
  }

  mark(message) {
    this.#term.setAttribute("aria-invalid", String(/\bq\b/.test(message)));
  }
}
