// The search box, and the order of the filings.

import { element, one } from "./dom.js";
import { label } from "./format.js";
import { resolved } from "./schema.js";
import { isKey, Suggestions, suggestionsFor } from "./suggest.js";

const whole = 3; // characters: a shorter term is asked for only when it is entered

// The columns of the table that a sort is by. What is sorted by when filings were added has none.
const columns = { record_date: "filingDate", filing_amount: "filingAmount", current_amount: "currentAmount", property_owner: "owner" };

export class Search {
  #term = one("#term");
  #sort = one("#sort");
  #first; // the order that the service has by itself
  #suggestions;
  #known;

  /**
   * typed is called while a term is being typed, chosen when it is entered, sorted when another order is chosen; known returns
   * groups by their kind, to complete from, counties is called before they are of use; picked is called with a suggestion,
   * keyed with a key that was typed.
   */
  constructor(openapi, { typed, chosen, sorted, known, counties, picked, keyed }) {
    this.#known = known;
    this.#suggestions = new Suggestions(({ kind, value, key }) => {
      this.#term.value = "";
      if (kind === "key") keyed(key);
      else picked(kind, value);
    });
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
      if (length > 1) counties();
      this.suggest([]);
      if (length === 0 || length >= whole) (length ? typed : chosen)();
    });
    this.#term.addEventListener("change", chosen);
    this.#sort.addEventListener("change", sorted);
  }

  /** The term as the service reads it: runs of white space are one blank. A key is none. */
  get term() {
    return isKey(this.#term.value) ? "" : this.#term.value.trim().replace(/\s+/g, " ");
  }

  /** Offers what may complete what is typed; rows are filings that contain it. */
  suggest(rows) {
    const typed = this.#term.value.trim();
    const [key] = typed.match(/\bak_\w*/i) ?? [];
    if (document.activeElement !== this.#term) return;
    if (key) this.#suggestions.show([{ kind: "key", key, value: "Use this as the API key. It is not searched for." }], true);
    else this.#suggestions.show(typed.length < 2 ? [] : suggestionsFor(typed, this.#known(), rows));
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
