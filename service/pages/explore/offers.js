// Values that a field offers while it is typed into.

import { element } from "./dom.js";

export class Offers {
  #control;
  #separator;
  #values = [];
  #list;

  /** separator is what is between the values of a field that takes several; "": it takes one. */
  constructor(control, separator) {
    this.#control = control;
    this.#separator = separator;
    this.#list = element("datalist", { id: `offers-${control.name}` });
    control.after(this.#list);
    control.setAttribute("list", this.#list.id);
    if (separator) control.addEventListener("input", () => this.#fill());
  }

  /** Whether a value is offered. */
  has(value) {
    return [...this.#list.options].some((option) => option.value === value);
  }

  /** Offers values as they are, each with a label: a browser offers what has the text that is typed in either. */
  label(values) {
    this.#values = values.filter(({ value }) => value && !(this.#separator && value.includes(this.#separator))); // a list would take it for two
    this.#fill();
  }

  /** Offers values, in place of those before. */
  set(values) {
    this.label(values.filter(Boolean).sort().map((value) => ({ value })));
  }

  /** A browser compares an offer with all that is typed: one for a further value begins with those before it. */
  #fill() {
    const typed = this.#separator ? this.#control.value : "";
    const before = typed.slice(0, typed.lastIndexOf(this.#separator) + 1);
    this.#list.replaceChildren(...this.#values.map(({ value, label = false }) => element("option", { value: before + value, label })));
  }
}
