// The panel of one filing.

import { element, one } from "./dom.js";
import { label, value } from "./format.js";

export class Panel {
  #panel;
  #help;
  #opener = null;

  /** help has the meaning of each field, by name; closed is called when the reader wants the panel closed. */
  constructor(panel, help, closed) {
    this.#panel = panel;
    this.#help = help;
    one("button", panel).addEventListener("click", closed);
    panel.addEventListener("keydown", (event) => event.key === "Escape" && closed());
  }

  show(filing) {
    const title = one("h2", this.#panel);
    title.textContent = filing.owner ?? `Filing ${filing.id}`;
    one("dl", this.#panel).replaceChildren(...Object.entries(filing).map(([name, v]) =>
      element("div", { "data-field": name }, element("dt", { title: this.#help[name]?.description ?? "" }, label(name)), element("dd", {}, value(name, v)))));
    if (this.#panel.hidden) this.#opener = document.activeElement;
    this.#panel.hidden = false;
    this.#panel.scrollTop = 0;
    title.focus();
  }

  /** Hides the panel; the focus goes back to what opened it, or to the map if that is gone. */
  hide() {
    if (this.#panel.hidden) return;
    this.#panel.hidden = true;
    (this.#opener?.isConnected ? this.#opener : one("#map")).focus();
  }
}
