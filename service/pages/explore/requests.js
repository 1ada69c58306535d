// The requests that the page has made, as lines for a shell.

import { copying, element, one } from "./dom.js";

/** The line that asks the same. An address that URL made has no quote in it that a shell would see. */
const curl = (url) => `curl -H "X-API-Key: $KEY" '${url.replaceAll("'", "%27")}'${/\.mvt(\?|$)/.test(url) ? " -o tile.mvt" : ""}`;

/** The line after which curl trusts the certificate that this service shows: a page cannot know where its file is. */
function trust() {
  const { hostname, host, port } = location;
  return `openssl s_client -connect ${port ? host : host + ":443"} -servername ${hostname} </dev/null 2>/dev/null | openssl x509 >cert.pem; ` +
    'export CURL_CA_BUNDLE="$PWD/cert.pem"';
}

export class Requests {
  #details;
  #lines = new Map();

  constructor(details) {
    this.#details = details;
    one(".trust", details).append(row("trust", trust()));
  }

  /** Shows the last request of each name. */
  show(name, url) {
    if (!this.#lines.has(name)) {
      const made = row(name, "");
      this.#lines.set(name, one("code", made));
      this.#details.append(made);
    }
    this.#lines.get(name).textContent = curl(url);
  }

  /** Shows how many requests counted. */
  showUsed(used) {
    one("#used").textContent = used ? `· ${used} counted since the key was typed` : "";
  }
}

/** A line with its name and a button that copies it. */
function row(name, line) {
  const code = element("code", { "data-request": name, tabindex: "0" }, line);
  const copy = copying("Copy", { "aria-label": `Copy the line for ${name}` }, () => code.textContent, () => {
    getSelection().selectAllChildren(code); // the reader copies what is selected
    return "Selected";
  });
  return element("div", { class: "request" }, element("span", {}, name), code, copy);
}
