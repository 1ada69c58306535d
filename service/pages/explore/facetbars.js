// The facets beside the result: the types, counties and holders with most filings, a bar each, which filters when it is pressed.

import { button, element, one, refill } from "./dom.js";
import { choose, isChosen } from "./facets.js";
import { number } from "./format.js";

const few = 5;
const titles = { filing_type: "Type", county: "County", holder: "Holder" };

/** Whether the facets show. */
export const showsFacets = () => one("#facets").getClientRects().length > 0 || (!one("#facets").children.length && one("#filtering").open);

/**
 * Shows the facets of answers: { [kind]: { groups, total } }. chosen is called with the filters that a press changes, more with
 * the kind of which all groups are wanted.
 */
export function showFacets(answers, where, { chosen, more }) {
  refill(one("#facets"), ...Object.entries(titles).filter(([kind]) => answers[kind]).flatMap(([kind, title]) => {
    const groups = answers[kind].groups.filter(({ key }) => key !== null);
    const most = groups[0]?.filings ?? 1;
    const shown = groups.filter((group, i) => i < few || isChosen(kind, group.key, where));
    const text = `all ${number(answers[kind].total)}`, all = button({ "data-key": kind, "aria-label": `${title}: ${text}` }, () => more(kind), text);
    return [
      element("h2", {}, title, ...(groups.length > few ? [all] : [])),
      groups.length ? element("ul", {}, ...shown.map((group) => barOf(kind, group, group.filings / most, where, chosen))) : element("p", {}, "None"),
    ];
  }));
}

/**
 * The bar of a group, part of the longest one, with more in it. chosen is called with the filters that a press changes. No filter
 * selects what has no value, which is called none.
 */
export function barOf(kind, { key, filings }, part, where, chosen, none, ...more) {
  const parts = [element("span", { class: "name" }, key ?? none),
    element("span", { class: "count" }, number(filings), element("span", { class: "spoken" }, filings === 1 ? " filing" : " filings")), ...more];
  const made = key === null ? element("div", { class: "bar-of" }, ...parts)
    : button({ class: "bar-of", title: key, "data-key": key, "data-kind": kind, "aria-pressed": String(isChosen(kind, key, where)) }, () => chosen(choose(kind, key, where)), ...parts);
  made.style.setProperty("--part", `${100 * part}%`);
  return element("li", {}, made);
}
