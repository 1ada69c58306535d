// The facets beside the result: the types, counties and holders with most filings, a bar each, which filters when it is pressed.

import { element, one } from "./dom.js";
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
  const place = one("#facets"), held = document.activeElement.closest("#facets button")?.dataset.key;
  place.replaceChildren(...Object.entries(titles).filter(([kind]) => answers[kind]).flatMap(([kind, title]) => {
    const groups = answers[kind].groups.filter(({ key }) => key !== null);
    const most = groups[0]?.filings ?? 1;
    const shown = groups.filter((group, i) => i < few || isChosen(kind, group.key, where));
    const all = element("button", { type: "button", "data-more": kind, "aria-label": `${title}: all ${number(answers[kind].total)}` }, `all ${number(answers[kind].total)}`);
    all.addEventListener("click", () => more(kind));
    return [
      element("h2", {}, title, ...(groups.length > few ? [all] : [])),
      groups.length ? element("ul", {}, ...shown.map((group) => element("li", {}, bar(kind, group, most, where, chosen)))) : element("p", {}, "None"),
    ];
  }));
  if (held !== undefined) [...place.querySelectorAll("button")].find((button) => button.dataset.key === held)?.focus();
}

function bar(kind, { key, filings }, most, where, chosen) {
  const made = element("button", { type: "button", class: "bar-of", title: key, "data-key": key, "data-kind": kind, "aria-pressed": String(isChosen(kind, key, where)) },
    element("span", { class: "name" }, key), element("span", { class: "count" }, number(filings), element("span", { class: "spoken" }, " filings")));
  made.style.setProperty("--part", `${(100 * filings) / most}%`);
  made.addEventListener("click", () => chosen(choose(kind, key, where)));
  return made;
}
