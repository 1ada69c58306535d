// Filings in groups, as the service counts them. An answer is kept until another one of its kind is asked for.

import { others } from "./facets.js";

export class Groups {
  #get;
  #answers = new Map();

  /** get asks the service: (name, path, parameters, signal) => body. */
  constructor(get) {
    this.#get = get;
  }

  /**
   * The groups of what the other filters select, by their kind: { key, filings, sum }, key null for filings without a
   * value, sum null where no filing has an amount.
   */
  async by(kind, where, signal) {
    const parameters = { ...others(kind, where), by: kind };
    const question = JSON.stringify(parameters);
    const kept = this.#answers.get(kind);
    if (kept?.question === question) return kept.groups;
    const { data } = await this.#get("groups", "v1/filings/groups", parameters, signal);
    const groups = data.map((group) => ({ key: group[kind], filings: group.filings, sum: group.filingAmount.count ? group.filingAmount.sum : null }));
    this.#answers.set(kind, { question, groups });
    return groups;
  }

  forget() {
    this.#answers.clear();
  }
}
