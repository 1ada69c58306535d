// Filings in the panels: one with all its fields, and those of one place as a list to choose from.

import { element } from "./dom.js";
import { label, value } from "./format.js";

/** What a filing is called. */
export const titleOf = (filing) => filing.owner ?? `Filing ${filing.id}`;

/** All fields of a filing. help has the meaning of each, by name. */
export function fieldsOf(filing, help) {
  return element("dl", {}, ...Object.entries(filing).map(([name, v]) =>
    element("div", { "data-field": name }, element("dt", { title: help[name]?.description ?? "" }, label(name)), element("dd", {}, value(name, v)))));
}

/** Filings, each of which opens when it is chosen: opened is called with its id. */
export function listOf(filings, opened) {
  return element("ul", {}, ...filings.map((filing) => {
    const choose = element("button", { type: "button", "data-id": filing.id }, titleOf(filing));
    choose.addEventListener("click", () => opened(String(filing.id)));
    const given = ["filingType", "filingAmount", "filingDate"].filter((name) => filing[name] !== null);
    return element("li", {}, choose, element("p", {}, given.map((name) => value(name, filing[name])).join(" · ")));
  }));
}
