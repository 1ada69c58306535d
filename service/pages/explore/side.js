// The panels beside the map: facets and time, which show; groups, download, usage, each of which asks when the reader opens it.

import { Bars } from "./bars.js";
import { one } from "./dom.js";
import { Download } from "./download.js";
import { showFacets, showsFacets } from "./facetbars.js";
import { unitOf } from "./facets.js";
import { Groups } from "./groups.js";
import { barsOf, Strip } from "./strip.js";
import { Usage } from "./usage.js";

/** The filing types and the filings over time of what filters select, in the unit that their span wants. */
async function timesOf(where, pair) {
  const unit = unitOf(where), times = await pair("filing_type", unit);
  return unit === "month" && [1, 2].includes(barsOf(times.month.groups).length) ? pair("filing_type", "day") : times;
}

export class Side {
  groups;
  download;
  #get;
  #failed;
  #bars;
  #usage;
  #strip;
  #chosen;
  #asking = { facets: new AbortController(), groups: new AbortController(), usage: new AbortController(), values: new AbortController() };

  /**
   * get asks the service: (name, path, parameters, signal) => body; stream asks for an export. opened is called when the
   * groups are needed, chosen with the filters that one of them changes. failed is called with what went wrong with what
   * and a function that tries again; with null when nothing did.
   */
  constructor({ get, stream, opened, chosen, failed }) {
    this.#get = get;
    this.#failed = failed;
    this.#chosen = chosen;
    this.#strip = new Strip(chosen);
    this.groups = new Groups(get);
    this.#bars = new Bars(this.groups, { opened, chosen });
    this.download = new Download(stream);
    this.#usage = new Usage(() => this.showUsage());
  }

  /** Shows the facets of what filters select, and its filings over time; rows are all of these, where they are here. */
  showFacets(where, rows) {
    return this.#ask("facets", () => this.showFacets(where, rows), async (signal) => {
      const pair = (...kinds) => this.groups.pair(kinds, where, signal, rows);
      const [times, rest] = await Promise.all([timesOf(where, pair), showsFacets() && pair("county", "holder")]);
      signal.throwIfAborted();
      this.#strip.show((times.day ?? times.month).groups, where);
      showFacets({ ...times, ...rest }, where, { chosen: this.#chosen, more: (kind) => this.#bars.open(kind) });
    });
  }

  /** The groups of each kind that are known, of whatever filters. */
  get known() {
    return Object.fromEntries(["county", "filing_type", "holder"].map((kind) => [kind, this.groups.known(kind).groups]));
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
    const { groups } = await this.groups.by(kind, where, this.#asking.values.signal);
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

  /** Forgets all that a key has shown. */
  forget() {
    for (const controller of Object.values(this.#asking)) controller.abort();
    this.#asking.values = new AbortController();
    this.groups.forget();
    this.#strip.clear();
    one("#facets").replaceChildren();
    this.#bars.clear();
    this.download.forget();
    this.#usage.clear();
  }
}
