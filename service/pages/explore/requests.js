// The requests that the page has made, as lines for a shell.

import { element } from "./dom.js";

/** The line that asks the same. An address that URL made has no quote in it that a shell would see. */
const curl = (url) => `curl -H "X-API-Key: $KEY" '${url.replaceAll("'", "%27")}'`;

export class Requests {
  #details;
  #lines = new Map();

  constructor(details) {
    this.#details = details;
  }

  /** Shows the last request of each name. */
  show(name, url) {
    if (!this.#lines.has(name)) this.#lines.set(name, this.#line(name));
    this.#lines.get(name).textContent = curl(url);
  }

  #line(name) {
    const code = element("code", { "data-request": name, tabindex: "0" });
    const copy = element("button", { type: "button", "aria-label": `Copy the line for ${name}` }, "Copy");
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        copy.textContent = "Copied";
      } catch { // not allowed: the reader copies what is selected
        getSelection().selectAllChildren(code);
        copy.textContent = "Selected";
      }
    });
    copy.addEventListener("blur", () => (copy.textContent = "Copy"));
    this.#details.append(element("div", { class: "request" }, element("span", {}, name), code, copy));
    return code;
  }
}
