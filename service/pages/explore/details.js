// What the reader opens at the side: a filing, or the list of those at one place.

import { one } from "./dom.js";
import { differencesOf, fieldsOf, listOf, titleOf } from "./filing.js";
import { filings } from "./format.js";
import { timeOf } from "./fresh.js";
import { Panel } from "./panel.js";

export class Details {
  #filing;
  #place;
  #get;
  #chosen;
  #failed;
  #related;
  #known = new Map(); // filings that were answered, by id: these open without a request
  #opening = new AbortController();

  /** The meaning of each field of a filing, by name. */
  help = {};

  /**
   * get asks the service: (name, path, parameters, signal) => body. chosen is called with the filing that is open now, or
   * null. failed is called with what went wrong and a function that tries again; with null when nothing did. related has only
   * and count, as fieldsOf has them.
   */
  constructor({ get, chosen, failed, related }) {
    this.#get = get;
    this.#related = related;
    this.#chosen = chosen;
    this.#failed = failed;
    this.#filing = new Panel(one("#filing"), () => this.close());
    this.#place = new Panel(one("#place"), () => this.#place.hide());
  }

  /** Keeps filings of the latest answer. */
  learn(data) {
    for (const filing of data) this.#known.set(String(filing.id), filing);
  }

  /** Opens a filing. */
  open(id) {
    return this.#open(() => this.open(id), async (signal) => {
      const filing = this.#known.get(id) ?? (await this.#get("filing", `v1/filings/${id}`, {}, signal)).data;
      const link = `${location.origin}${location.pathname}#filing=${id}`;
      this.#filing.show(titleOf(filing), ...fieldsOf(filing, this.help, { link, ...this.#related, changes: () => this.#changes(filing, signal) }));
      this.#chosen(filing);
    });
  }

  /** The changes of a filing since the oldest generation that is kept: { differences, since }, or the text that stands instead. */
  async #changes(filing, signal) {
    try {
      const { data: generations } = await this.#get("generations", "v1/generations", {}, signal);
      const { id } = generations.at(-1);
      if (generations.length === 1) return { said: "No earlier data is kept." };
      const before = await this.#get("earlier", `v1/filings/${filing.id}`, { generation: id }, signal);
      return { differences: differencesOf(before.data, filing), since: timeOf(id) };
    } catch (failure) {
      return { said: failure.status === 404 ? "Added since the earliest data that is kept." : failure.message };
    }
  }

  /**
   * Opens the list of the filings of a cell, which locate returns, given a signal; null: there is nothing to open. request
   * returns the path and the parameters that ask for them.
   */
  openPlace(locate, request) {
    return this.#open(() => this.openPlace(locate, request), async (signal) => {
      const cell = await locate(signal);
      if (!cell) return;
      const { data } = await this.#get("place", ...request(cell), signal);
      this.learn(data);
      const more = cell.count > data.length ? `, the latest ${data.length}` : "";
      this.#place.show(`${filings(cell.count)} at one place${more}`, listOf(data, (id) => this.open(id)));
    });
  }

  async #open(again, open) {
    this.#opening.abort();
    const { signal } = (this.#opening = new AbortController());
    try {
      await open(signal);
      this.#failed(null);
    } catch (failure) {
      if (!signal.aborted) this.#failed(failure, again);
    }
  }

  /** Closes the filing. */
  close() {
    this.#filing.hide();
    this.#chosen(null);
  }

  /** Closes the list, and forgets the filings of earlier answers. */
  reset() {
    this.#place.hide();
    this.#known.clear();
  }

  /** Closes all and forgets it; nothing else was chosen. */
  forget() {
    this.#opening.abort();
    this.#filing.hide();
    this.reset();
  }
}
