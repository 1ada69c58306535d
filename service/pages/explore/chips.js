// The filters in words: a chip each above the result, and a sentence on paper.

import { button, element, one } from "./dom.js";
import { brief, label, money, number } from "./format.js";

/** The separator between the values of a filter that takes several: names of counties and of people have commas of their own. */
export const separators = { filing_types: ",", exclude_filing_types: ",", categories: ",", exclude_categories: ",", county: ";", exclude_counties: ";", exclude_holders: ";", owner: ";", address: ";", zip: ",", state: "," };
const dollars = (text) => (Number.isFinite(Number(text)) ? money(Number(text)).replace(".00", "") : text);

/** The chips of filters: { text, changes }, changes the filters without that one: names and values, "" for none. */
export function chipsOf(where) {
  const { near, radius, polygon, date_start, date_end, ...rest } = where;
  const chips = Object.entries(rest).flatMap(([name, value]) => {
    const separator = separators[name], values = separator ? value.split(separator).map((v) => v.trim()).filter(Boolean) : [value];
    return values.map((v) => ({ text: said(name, v), changes: { [name]: values.filter((other) => other !== v).join(separator) } }));
  });
  if (date_start || date_end) chips.push({ text: period(date_start, date_end), changes: { date_start: "", date_end: "" } });
  if (near || radius) chips.push({ text: `Within ${number(Number(radius) || 0)} m of ${near}`, changes: { near: "", radius: "" } });
  if (polygon) chips.push({ text: `In a region of ${polygon.split(";").length} corners`, changes: { polygon: "" } });
  return chips;
}

function period(from, until) {
  if (from && until) return from === until ? `Recorded ${from}` : `Recorded ${from} to ${until}`;
  return from ? `Recorded from ${from}` : `Recorded until ${until}`;
}

function said(name, value) {
  const [, bound, amount] = name.match(/^(min|max)_((?:current_)?amount)$/) ?? [];
  if (bound) return `${amount === "amount" ? "" : "Current amount "}${dollars(value)} or ${bound === "min" ? "more" : "less"}`;
  if (name === "q") return `Contains “${value}”`;
  if (name === "date_range") return `Recorded in the last ${value} days`;
  if (name === "ids") return `${brief(value.split(",").length)} ids`;
  if (name === "has_coordinates") return value === "true" ? "With coordinates" : "Without coordinates";
  if (value === "true") return label(name);
  if (name === "filing_types") return value;
  if (name.startsWith("exclude_")) return `Not ${value}`;
  return `${label(name)}: ${value}`;
}

/** The filters as a sentence. */
export const sentenceOf = (where) => chipsOf(where).map(({ text }) => text).join("; ") || "All filings";

/** Shows the chips of filters. changed is called with the filters that a press changes. */
export function showChips(where, changed) {
  const place = one("#chips"), held = [...place.children].indexOf(document.activeElement.closest("#chips li"));
  const chips = chipsOf(where);
  const item = (text, name, changes) => element("li", {}, button({ "aria-label": name, class: name === text && "all" }, () => changed(changes), text));
  const all = chips.length > 1 ? [item("Clear all", "Clear all", Object.assign({}, ...chips.map((chip) => chip.changes), Object.fromEntries(Object.keys(where).map((name) => [name, ""]))))] : [];
  place.replaceChildren(...chips.map(({ text, changes }) => item(`${text} ×`, `Remove the filter ${text}`, changes)), ...all);
  if (held >= 0) (place.children[Math.min(held, place.children.length - 1)]?.firstChild ?? one("#term")).focus();
}
