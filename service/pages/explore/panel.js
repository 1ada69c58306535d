// A panel at the side of the page: a title, something below it, and the focus while it is open.

import { one } from "./dom.js";

export class Panel {
  #panel;
  #opener = null;

  /** closed is called when the reader wants the panel closed. */
  constructor(panel, closed) {
    this.#panel = panel;
    one("button", panel).addEventListener("click", closed);
    panel.addEventListener("keydown", (event) => event.key === "Escape" && closed());
  }

  show(title, ...content) {
    const heading = one("h2", this.#panel);
    heading.textContent = title;
    one(".content", this.#panel).replaceChildren(...content);
    if (this.#panel.hidden) this.#opener = document.activeElement;
    this.#panel.hidden = false;
    this.#panel.scrollTop = 0;
    heading.focus();
  }

  /** Hides the panel; the focus goes back to what opened it, or to the map if that is gone. */
  hide() {
    if (this.#panel.hidden) return;
    this.#panel.hidden = true;
    (this.#opener?.isConnected ? this.#opener : one("#map")).focus();
  }
}
