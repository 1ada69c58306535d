// The part of the page with the table: what it shows, of how many filings, and how many are on no map.

import { one } from "./dom.js";
import { filings, number } from "./format.js";
import { Table } from "./table.js";

const status = one("#status"), unplaced = one("#unplaced"), previous = one("#previous"), next = one("#next");

export class Results {
  #table;

  /**
   * opened is called with the id of a filing that was chosen, turned with -1 or 1 to turn the page, sorted with a column
   * to sort by, listed when those that are on no map are to be.
   */
  constructor({ opened, turned, sorted, listed }) {
    this.#table = new Table(one("#table"), opened, sorted);
    previous.addEventListener("click", () => turned(-1));
    next.addEventListener("click", () => turned(1));
    unplaced.addEventListener("click", listed);
  }

  /** Shows a page of the list in an order; inView: of those in the map's view. */
  showPage({ data, pagination: { total, offset, has_more } }, order, inView, term) {
    this.#table.show(data, order, term);
    const held = [previous, next].find((button) => button === document.activeElement);
    const range = `${number(offset + 1)}–${number(offset + data.length)}`;
    const none = inView ? "No filings in view: zoom out, or clear a filter." : "No filings: clear or change a filter.";
    status.textContent = total ? `${filings(total)}${inView ? " in view" : ""}, shown: ${range}` : none;
    previous.disabled = offset === 0;
    next.disabled = !has_more;
    if (held?.disabled) (held === next ? previous : next).focus(); // it was the last page, or the first one
  }

  /** Shows rows for paper, and how many of all they are. */
  showRows(data, order, term) {
    this.#table.show(data, order, term);
  }

  /**
   * Says how many of all filings that the filters select have no place on the map, where that is known; of a region, how many
   * others could lie in it.
   */
  showPlaced({ total, placed = total, others }, inView) {
    const of = inView ? ` of all ${number(total)}` : "";
    const text = others ? `in the region; ${number(others)} others of these filters have no place` : total > placed ? `${number(total - placed)}${of} without coordinates` : "";
    unplaced.hidden = !text;
    if (unplaced.textContent !== text) unplaced.textContent = text; // it is read aloud
  }

  /** Turns no pages until the next one is shown: what it will be of is not known. */
  wait() {
    previous.disabled = next.disabled = true;
  }

  select(id) {
    this.#table.select(id);
  }

  clear() {
    this.#table.show([], { sorts: [] });
    status.textContent = unplaced.textContent = "";
    unplaced.hidden = true;
    this.wait();
  }
}
