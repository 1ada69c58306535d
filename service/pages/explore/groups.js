// Filings in groups, as the service counts them. An answer is kept until another one of its kind is asked for.

const most = 1000; // groups that are asked for: nobody reads more of them

import { others } from "./facets.js";

export class Groups {
  #get;
  #answers = new Map();

  /** get asks the service: (name, path, parameters, signal) => body. */
  constructor(get) {
    this.#get = get;
  }

  /**
   * The first groups of what the other filters select, by their kind, and how many there are: { groups, total }. Each is
   * { key, filings, sum }, key null for filings without a value, sum null where no filing has an amount.
   */
  async by(kind, where, signal, sort = "") {
    const parameters = { ...others(kind, where), by: kind, sort_by: sort, limit: most };
    const question = JSON.stringify(parameters);
    const kept = this.#answers.get(kind);
    if (kept?.question === question) return kept.answer;
    const { data, meta } = await this.#get("groups", "v1/filings/groups", parameters, signal);
    const groups = data.map((group) => ({ key: group[kind], filings: group.filings, sum: group.filingAmount.count ? group.filingAmount.sum : null }));
    const answer = { groups, total: meta.groups };
    this.#answers.set(kind, { question, answer });
    return answer;
  }

  forget() {
    this.#answers.clear();
  }
}
