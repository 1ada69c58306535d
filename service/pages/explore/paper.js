// Paper: a title, the filters as a sentence, the rows, the address of the view and the day.

import { sentenceOf } from "./chips.js";
import { element, one } from "./dom.js";
import { filings, number } from "./format.js";

export const mostPrinted = 1000; // rows

/** Writes what stands above the rows. */
export function writeHead(where, total, shown) {
  const rows = shown < total ? `${filings(total)}, of which these are ${number(shown)}` : filings(total);
  const day = new Date().toLocaleDateString("en-US", { dateStyle: "long" });
  one("#printed").replaceChildren(element("h1", {}, "Filings"), element("p", {}, `${sentenceOf(where)}.`), element("p", {}, `${rows}. Printed ${day}.`), element("p", {}, location.href));
}
