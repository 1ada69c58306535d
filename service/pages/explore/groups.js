// Filings in groups, as the service counts them. An answer is kept until another one of its kind is asked for. Two kinds come
// with one request, as a table of both: what one of them filters, the other's groups need not be asked for again.

const most = 1000; // groups that are asked for: nobody reads more of them
const pairs = 4000; // cells of a table of two kinds

import { folded, isChosen, isFiltered, others } from "./facets.js";

const fields = { county: "county", filing_type: "filingType", holder: "filingHolder", day: "filingDate", month: "filingDate" };

export class Groups {
  #get;
  #answers = new Map();
  #totals = new Map(); // answers of all filings there are, by kind
  #large = new Set(); // pairs of kinds with more cells than are asked for

  /** get asks the service: (name, path, parameters, signal) => body. */
  constructor(get) {
    this.#get = get;
  }

  /**
   * The first groups of what the other filters select, by their kind, and how many there are: { groups, total }. Each is
   * { key, filings, sum }, key null for filings without a value, sum null where no filing has an amount.
   */
  async by(kind, where, signal, sort = "") {
    return this.#ask(kind, question(kind, where, sort), signal, ([key]) => key);
  }

  /**
   * The groups of two kinds, each as by has them: { [kind]: { groups, total } }. rows are all filings that the filters select,
   * where they are here: then nothing is asked.
   */
  async pair(kinds, where, signal, rows = null) {
    const name = kinds.join(), rest = kinds.reduce((left, kind) => others(kind, left), where), parameters = { ...rest, by: name, limit: pairs };
    const here = rows?.every((row) => kinds.every((kind) => fields[kind] in row)) ? rows : null;
    const isWhole = here && Object.keys({ ...rest, ...where }).every((filter) => rest[filter] === where[filter]);
    const isKept = this.#answers.get(name)?.question === JSON.stringify(parameters);
    if (isWhole && !isKept) this.#answers.set(name, { question: JSON.stringify(parameters), answer: tableOf(kinds, here) }); // for when they are filtered further
    const counted = () => Object.fromEntries(kinds.map((kind) => {
      const answer = added(here.map((row) => [keyOf(kind, row), 1, row.filingAmount ?? null]));
      if (!isFiltered(kind, where)) this.#answers.set(kind, { question: JSON.stringify(question(kind, where, "")), answer });
      return [kind, answer];
    }));
    if (here && !isKept) return counted();
    if (isKept || !this.#large.has(name)) {
      const table = await this.#ask(name, parameters, signal, (keys) => keys);
      if (table.total > table.groups.length) this.#large.add(name);
      const both = table.total > table.groups.length ? null : apart(table.groups, kinds, where);
      for (const kind of both ? kinds : []) {
        this.#answers.set(kind, { question: JSON.stringify(question(kind, where, "")), answer: both[kind] });
        if (!Object.keys(where).length) this.#totals.set(kind, both[kind]);
      }
      if (both) return both;
      if (here) return counted();
    }
    return Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await this.by(kind, where, signal)])));
  }

  /** How many filings have a value of a kind, of all that there are; null where that was not asked. */
  total(kind, value) {
    const { groups } = this.#totals.get(kind) ?? { groups: [] };
    return groups.find(({ key }) => key === value)?.filings ?? null;
  }

  /** The groups of a kind that were answered last, of whatever filters. */
  known(kind) {
    return this.#answers.get(kind)?.answer ?? { groups: [], total: Infinity };
  }

  async #ask(name, parameters, signal, keyed) {
    const asked = JSON.stringify(parameters), kept = this.#answers.get(name);
    if (kept?.question === asked) return kept.answer;
    const { data, meta } = await this.#get("groups", "v1/filings/groups", parameters, signal);
    const kinds = parameters.by.split(",");
    const groups = data.map((group) => ({ key: keyed(kinds.map((kind) => group[kind])), filings: group.filings, sum: group.filingAmount.count ? group.filingAmount.sum : null }));
    const answer = { groups, total: meta.groups };
    this.#answers.set(name, { question: asked, answer });
    return answer;
  }

  forget() {
    for (const kept of [this.#answers, this.#totals, this.#large]) kept.clear();
  }
}

const question = (kind, where, sort) => ({ ...others(kind, where), by: kind, sort_by: sort, limit: most });

const keyOf = (kind, row) => (kind === "month" ? (row.filingDate?.slice(0, 7) ?? null) : row[fields[kind]]);

/** A table of two kinds, with a cell for each of some rows. */
const tableOf = (kinds, rows) => ({ groups: rows.map((row) => ({ key: kinds.map((kind) => keyOf(kind, row)), filings: 1, sum: row.filingAmount ?? null })), total: rows.length });

/** The groups of each kind of a table of both; null where a filter does not say which groups it chooses. */
export function apart(cells, kinds, where) {
  const both = kinds.map((kind, i) => {
    const other = kinds[1 - i], filtered = isFiltered(other, where) && others(other, where) !== where;
    const chosen = filtered ? cells.filter(({ key }) => key[1 - i] !== null && isChosen(other, key[1 - i], where)) : cells;
    return filtered && !chosen.length ? null : [kind, added(chosen.map(({ key, filings, sum }) => [key[i], filings, sum]))];
  });
  return both.includes(null) ? null : Object.fromEntries(both);
}

/** Groups added up by their keys, each under its most frequent writing, as the service has it; most filings first. */
export function added(parts) {
  const groups = new Map();
  for (const [key, filings, sum] of parts) {
    const name = key ? folded(key) : null;
    const group = groups.get(name) ?? { key, filings: 0, sum: null, writings: new Map() };
    group.filings += filings;
    group.writings.set(key, (group.writings.get(key) ?? 0) + filings);
    const more = group.writings.get(key) - group.writings.get(group.key);
    if (more > 0 || (more === 0 && key < group.key)) group.key = key;
    if (sum !== null) group.sum = Math.round(((group.sum ?? 0) + sum) * 100) / 100;
    groups.set(name, group);
  }
  const sorted = [...groups.values()].map(({ key, filings, sum }) => ({ key, filings, sum })).sort((a, b) => b.filings - a.filings || (a.key === null) - (b.key === null) || (a.key < b.key ? -1 : 1));
  return { groups: sorted, total: sorted.length };
}
