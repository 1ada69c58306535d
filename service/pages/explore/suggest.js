// The completions of the search box, by kind: counties, types, holders, owners, addresses. A key that is typed there is offered to be
// used as the key.

import { element, one } from "./dom.js";
import { brief } from "./format.js";

const titles = { county: "County", filing_type: "Type", holder: "Holder", owner: "Owner", address: "Address" };
const most = { county: 3, filing_type: 2, holder: 3, owner: 4, address: 3 };

/** Whether a text is or holds an API key: no term, wherever it is typed. */
export const isKey = (text) => /\bak_/i.test(text);

const words = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f'’.]/g, "").split(/[^a-z0-9]+/).filter(Boolean);

/** Whether each word that was typed begins a word of a text. */
export function begins(text, typed) {
  const has = words(text), wanted = words(typed);
  return wanted.length > 0 && wanted.every((word) => has.some((other) => other.startsWith(word)));
}

/**
 * The completions of a typed text: { kind, value, filings }. known are groups by kind, rows the filings that contain what was
 * typed, with the owners and addresses that are offered.
 */
export function suggestionsFor(typed, known, rows) {
  const all = { ...known, owner: counted(rows, "owner"), address: counted(rows, "propertyAddress") };
  return Object.keys(titles).flatMap((kind) => (all[kind] ?? [])
    .filter(({ key }) => key !== null && (begins(key, typed) || (kind === "owner" && rows.length)))
    .slice(0, most[kind]).map(({ key, filings }) => ({ kind, value: key, filings })));
}

/** The values of a field of rows as groups, the most frequent first. */
export function counted(rows, field) {
  const counts = new Map();
  for (const row of rows) if (row[field]) counts.set(row[field], (counts.get(row[field]) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([key]) => ({ key }));
}

export class Suggestions {
  #box = one("#term");
  #list = one("#suggestions");
  #shown = [];
  #at = -1; // of the one that Enter picks
  #picked;

  /** picked is called with the suggestion that the reader picks. */
  constructor(picked) {
    this.#picked = picked;
    this.#box.addEventListener("keydown", (event) => this.#key(event));
    this.#box.addEventListener("blur", () => this.show([]));
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the focus stays in the box
      const item = event.target.closest("li");
      if (item) this.#pick(Number(item.dataset.at));
    });
  }

  /** Shows suggestions; the first of them is chosen where only it can be meant. */
  show(suggestions, first = false) {
    this.#shown = suggestions;
    this.#list.replaceChildren(...suggestions.map(({ kind, value, filings }, i) => element("li", { id: `suggestion-${i}`, role: "option", "data-at": i, "data-kind": kind, "aria-selected": "false" },
      element("span", { class: "kind" }, titles[kind] ?? "Key"), element("span", {}, value), element("span", { class: "count" }, filings ? brief(filings) : ""))));
    this.#list.hidden = !suggestions.length;
    this.#box.setAttribute("aria-expanded", String(suggestions.length > 0));
    this.#mark(first ? 0 : -1);
  }

  #mark(at) {
    this.#at = at;
    [...this.#list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at < 0) this.#box.removeAttribute("aria-activedescendant");
    else this.#box.setAttribute("aria-activedescendant", `suggestion-${at}`);
  }

  #key(event) {
    const count = this.#shown.length;
    if (!count) return;
    if (event.key === "ArrowDown") this.#mark((this.#at + 1) % count);
    else if (event.key === "ArrowUp") this.#mark(this.#at <= 0 ? count - 1 : this.#at - 1);
    else if (event.key === "Escape") this.show([]);
    else if (event.key === "Enter" && this.#at >= 0) this.#pick(this.#at);
    else return;
    event.preventDefault();
  }

  #pick(at) {
    const picked = this.#shown[at];
    this.show([]);
    this.#picked(picked);
  }
}
