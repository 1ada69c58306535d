// Map, table or both: which of them shows, as the reader chose it last. In a narrow window it is the table at first.

import { one } from "./dom.js";

const buttons = [...document.querySelectorAll("#views button")];
const narrow = matchMedia("(width < 50rem)"); // as in page.css

export class View {
  #changed;

  /** changed is called when another view is chosen. */
  constructor(changed) {
    this.#changed = changed;
    for (const button of buttons) button.addEventListener("click", () => this.#choose(button.dataset.view));
    this.#show(kept("filings-view") ?? (narrow.matches ? "table" : "both"));
  }

  /** Whether the map shows. */
  get map() {
    return !one("main").classList.contains("table");
  }

  #choose(name) {
    keep("filings-view", name);
    this.#show(name);
    this.#changed();
  }

  #show(name) {
    one("main").className = name;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.view === name));
  }
}

/** The reader's preferences, as this browser keeps them; null: nothing, or it keeps nothing for pages. */
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch { // as it is without: until the page is loaded again
  }
}
