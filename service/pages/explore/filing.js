// Filings in the panels: one with its head, its sections and what is related to it, and those of one place as a list to choose from.

import { button, copying, element } from "./dom.js";
import { filings, label, value } from "./format.js";
import { plainly } from "./words.js";

const filed = ["filingType", "filingAmount", "currentAmount", "filingDate", "filingHolder", "caseNumber", "county", "dateRange", "createdAt", "id"];

// The filter that selects what has the same value of a field.
const related = { owner: "owner", filingHolder: "holder", county: "county", filingType: "filing_type", propertyAddress: "address" };

/** What a filing is called. */
export const titleOf = (filing) => filing.owner ?? `Filing ${filing.id}`;

/** A filing in one line. */
const gistOf = (filing, ...more) => ["filingType", "filingAmount", "filingDate", ...more].map((name) => value(name, filing[name])).filter((text) => text !== "–").join(" · ");

/** The sections of a filing: { title: [names] }, without what has no value. */
export function sectionsOf(filing) {
  const names = Object.keys(filing).filter((name) => value(name, filing[name]) !== "–");
  const isContact = (name) => /Phone|Email/.test(name);
  return {
    Filing: [...(names.includes("owner") ? ["owner"] : []), ...filed.filter((name) => names.includes(name))],
    Property: names.filter((name) => name !== "owner" && !filed.includes(name) && !isContact(name)),
    Contacts: names.filter(isContact),
  };
}

/** The differences between two records of a filing: [{ name, before, now }]. */
export function differencesOf(before, now) {
  const names = Object.keys(now).filter((name) => name in before && value(name, before[name]) !== value(name, now[name]));
  return names.map((name) => ({ name, before: value(name, before[name]), now: value(name, now[name]) }));
}

/**
 * A filing. help has the meaning of each field, by name; link is its address. only is called with the one filter that a link
 * sets; count returns how many filings it selects: a number, a promise of one, or null for one that is only asked for when
 * the reader is there (asked). changes is asked for [differences, since] once the reader wants them.
 */
export function fieldsOf(filing, help, { link, only, count, changes }) {
  const copy = copying("Copy link", {}, () => link, () => link);
  const sections = Object.entries(sectionsOf(filing)).filter(([, names]) => names.length).flatMap(([title, names]) => [
    element("h3", {}, title),
    element("dl", {}, ...names.map((name) => element("div", { "data-field": name }, element("dt", { title: plainly(help[name]?.description ?? "") }, label(name)),
      element("dd", {}, ...(related[name] ? [linkOf(name, filing[name], only, count)] : [value(name, filing[name])]))))),
  ]);
  const history = element("details", { class: "history" }, element("summary", {}, "Changes"), element("p", {}, "…"));
  history.addEventListener("toggle", async () => history.open && history.lastChild.replaceWith(changesOf(await changes())), { once: true });
  return [element("p", { class: "gist" }, gistOf(filing, "county")), copy, ...sections, history];
}

function changesOf({ differences, since, said }) {
  if (said) return element("p", {}, said);
  const rows = differences.map(({ name, before, now }) => element("div", {}, element("dt", {}, label(name)), element("dd", {}, `${before} → ${now}`)));
  return rows.length ? element("dl", {}, element("p", {}, `Since ${since}`), ...rows) : element("p", {}, `Unchanged since ${since}.`);
}

function linkOf(name, text, only, count) {
  const made = button({ class: "link", title: "Show all filings with this" }, () => only({ [related[name]]: text }), value(name, text));
  const said = element("span", { class: "count" });
  const tell = async (asked) => {
    const n = await count(related[name], text, asked);
    if (n !== null) said.textContent = ` ${filings(n)}`;
  };
  tell(false);
  let timer = 0;
  for (const there of ["pointerenter", "focus"]) made.addEventListener(there, () => (timer = setTimeout(() => said.textContent || tell(true), 300)));
  for (const away of ["pointerleave", "blur"]) made.addEventListener(away, () => clearTimeout(timer));
  return element("span", {}, made, said);
}

/** Filings, each of which opens when it is chosen: opened is called with its id. */
export function listOf(all, opened) {
  return element("ul", {}, ...all.map((filing) => element("li", {},
    button({ "data-id": filing.id }, () => opened(String(filing.id)), titleOf(filing)), element("p", {}, gistOf(filing)))));
}
