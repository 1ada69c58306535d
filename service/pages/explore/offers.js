// Values that a field offers while it is typed into.

import { element } from "./dom.js";

export class Offers {
  #control;
  #many;
  #values = new Set();
  #list;

  /** many: the field takes several values, separated by commas. */
  constructor(control, many) {
    this.#control = control;
    this.#many = many;
    this.#list = element("datalist", { id: `offers-${control.name}` });
    control.after(this.#list);
    control.setAttribute("list", this.#list.id);
    if (many) control.addEventListener("input", () => this.#fill());
  }

  /** Offers values besides those that are offered already. */
  add(values) {
    const before = this.#values.size;
    for (const value of values) if (value) this.#values.add(value);
    if (this.#values.size > before) this.#fill();
  }

  clear() {
    this.#values.clear();
    this.#fill();
  }

  /** A browser compares an offer with all that is typed: one for a further value begins with those before it. */
  #fill() {
    const typed = this.#many ? this.#control.value : "";
    const before = typed.slice(0, typed.lastIndexOf(",") + 1);
    this.#list.replaceChildren(...[...this.#values].sort().map((value) => element("option", { value: before + value })));
  }
}
