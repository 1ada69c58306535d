// What is beside the map: groups, download, usage. Each asks when the reader opens it, and not before.

import { Bars } from "./bars.js";
import { one } from "./dom.js";
import { Download } from "./download.js";
import { Groups } from "./groups.js";
import { Usage } from "./usage.js";

export class Side {
  #get;
  #failed;
  #groups;
  #bars;
  #download;
  #usage;
  #asking = { groups: new AbortController(), usage: new AbortController(), values: new AbortController() };

  /**
   * get asks the service: (name, path, parameters, signal) => body; stream asks for an export. opened is called when the
   * groups are needed, chosen with the filters that one of them changes. failed is called with what went wrong with what
   * and a function that tries again; with null when nothing did.
   */
  constructor({ get, stream, opened, chosen, failed }) {
    this.#get = get;
    this.#failed = failed;
    this.#groups = new Groups(get);
    this.#bars = new Bars(this.#groups, { opened, chosen });
    this.#download = new Download(stream);
    this.#usage = new Usage(() => this.showUsage());
  }

  /** Shows the groups of what filters select, if they are open. */
  showGroups(where) {
    return this.#ask("groups", () => this.showGroups(where), (signal) => this.#bars.show(where, signal));
  }

  /** Shows what the key has used, if that is open. */
  showUsage() {
    if (!one("#usage").open) return;
    this.#ask("usage", () => this.showUsage(), async (signal) => this.#usage.show((await this.#get("usage", "v1/me/usage", {}, signal)).data));
  }

  /** The values that filings have, of those that the other filters select. */
  async values(kind, where) {
    const { groups } = await this.#groups.by(kind, where, this.#asking.values.signal);
    return groups.map((group) => group.key);
  }

  async #ask(what, again, show) {
    this.#asking[what].abort();
    const { signal } = (this.#asking[what] = new AbortController());
    try {
      await show(signal);
      if (!signal.aborted) this.#failed(what, null);
    } catch (failure) {
      if (!signal.aborted) this.#failed(what, failure, again);
    }
  }

  /** Offers a download of what parameters select, { total, parameters }; null: of nothing. */
  offer(selected) {
    this.#download.offer(selected);
  }

  /** Shows prices next to the requests that the key has left. */
  showLeft(left) {
    this.#download.showLeft(left);
  }

  /** Forgets all that a key has shown. */
  forget() {
    for (const controller of Object.values(this.#asking)) controller.abort();
    this.#asking.values = new AbortController();
    this.#groups.forget();
    this.#bars.clear();
    this.#download.forget();
    this.#usage.clear();
  }
}
