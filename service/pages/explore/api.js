// The API, as this page asks it.

import { limitsOf, Refusal, refusalOf } from "./refusal.js";

const attempts = 5; // for a request that comes too soon after others
const most = 60; // answers that are kept

/** The address of a path of the API with parameters, those without a value left out. */
export function address(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  return new URL(path + (query && "?" + query), document.baseURI).href;
}

/** The key is kept for the tab (sessionStorage): a reload has it, another tab and another day do not. No address and no element has it. */
export class Client {
  #key = sessionStorage.getItem("filings-key") ?? "";
  #waits;

  /** What the answers said of the account: tier, limit, remaining, reset. */
  account = null;

  /** How many requests of this page counted. */
  used = 0;

  /** How many requests the last question took. */
  cost = 0;

  /** The generation that the latest answer is of. */
  generation = "";

  #list = null; // the latest list: { url, tag }
  #kept = new Map(); // what was answered of that generation, by address: who goes back pays nothing

  /** waits is called with the seconds for which the client waits until the service takes more requests; with 0: it goes on. */
  constructor(waits) {
    this.#waits = waits;
  }

  use(key) {
    this.#key = key;
    if (key) sessionStorage.setItem("filings-key", key);
    else sessionStorage.removeItem("filings-key");
    this.account = null;
    this.used = this.cost = 0;
    this.renew();
  }

  get ready() {
    return this.#key !== "";
  }

  /** Asks for a path; returns the body. Throws a Refusal, or an AbortError when the signal says so. */
  async get(path, parameters, signal) {
    const url = address(path, parameters);
    if (this.#kept.has(url)) return this.#kept.get(url);
    const { answer, body } = await this.#patiently(url, signal);
    const generation = answer.headers.get("X-Generation");
    if (generation && generation !== this.generation && !parameters.generation) this.renew(generation);
    if (generation === this.generation) this.#kept.set(url, body);
    if (this.#kept.size > most) this.#kept.delete(this.#kept.keys().next().value);
    if (parameters.generation) return body;
    if (body.pagination) this.#list = { url, tag: answer.headers.get("ETag") };
    return body;
  }

  /** Forgets what was answered of another generation. */
  renew(generation = this.generation) {
    this.generation = generation;
    this.#kept.clear();
  }

  /** Asks which generation is live: of a list that is here, which costs nothing while it is as it was. */
  async look() {
    if (!this.ready || !this.#list?.tag) return;
    const answer = await fetch(this.#list.url, { headers: { "X-API-Key": this.#key, "If-None-Match": this.#list.tag }, cache: "no-store" }).catch(() => null);
    const generation = answer?.headers.get("X-Generation") ?? this.generation;
    if (generation !== this.generation) this.renew(generation);
    if (answer?.ok) this.used++;
  }

  /** Asks for what never changes, as bytes, which the browser keeps: nothing of people's contacts may be in them. Throws as get does. */
  async keep(path, parameters, signal) {
    return (await this.#patiently(address(path, parameters), signal, { kept: true })).bytes;
  }

  /** Sends a request, again and again while it comes too soon after others. */
  async #patiently(url, signal, options) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(url, signal, options);
      } catch (failure) {
        if (!failure.wait || attempt === attempts) throw failure;
        await this.#wait(failure.wait, signal);
      }
    }
  }

  /** Asks for a stream that costs so many requests; returns the response, whose body is to be read. Throws as get does. */
  async stream(path, parameters, signal, price) {
    const { answer } = await this.#send(address(path, parameters), signal, { price });
    if (this.account) this.account.reset = 0; // what is not sent is given back: the next answer may say more than this one
    return answer;
  }

  /** Sends a request. With a price, the body of a success is left to be read. kept: the browser may have the answer. */
  async #send(url, signal, { price = 0, kept = false } = {}) {
    let answer, bytes, text = "";
    const cost = price || 1, before = this.account;
    this.used += cost; // also if it is aborted: the service has mostly counted it by then
    try {
      // A file is opened in a spreadsheet, which must not take a name for a formula.
      // Answers have people's contacts in them: the browser must not keep them on its disk.
      answer = await fetch(url, { headers: { "X-API-Key": this.#key, ...(price && { Prefer: "escape-formulas" }) }, cache: kept ? "default" : "no-store", signal });
      if (kept && answer.ok) bytes = await answer.arrayBuffer();
      else if (!price || !answer.ok) text = await answer.text();
    } catch (failure) {
      signal.throwIfAborted();
      this.used -= cost;
      throw new Refusal("Can’t reach the service. Check your connection.", { help: "retry" });
    }
    signal.throwIfAborted(); // something else was asked meanwhile
    const body = read(text);
    if ([401, 429].includes(answer.status) || answer.status >= 500) this.used -= cost;
    if (kept && isOld(answer.headers, before)) this.used -= cost;
    else if (answer.headers.has("X-RateLimit-Limit")) this.#learn(answer.headers, body.meta?.tier ?? this.account?.tier ?? "");
    if (!answer.ok) throw refusalOf(answer, body);
    if (!price && !kept && !body.data) throw new Refusal("Unexpected response. A proxy or sign-in page may be in the way.", { help: "retry" });
    return { answer, body, bytes };
  }

  async #wait(seconds, signal) {
    this.#waits(seconds);
    await new Promise((resolve) => {
      setTimeout(resolve, seconds * 1000);
      signal.addEventListener("abort", resolve, { once: true });
    });
    this.#waits(0);
    signal.throwIfAborted();
  }

  /** Learns of the account. Of requests that went together the answers come in any order: the least counts, till the reset. */
  #learn(headers, tier) {
    const { limit, remaining, reset } = limitsOf(headers);
    const before = this.account;
    const same = before?.tier === tier && before.limit === limit && before.reset === reset;
    this.account = { tier, limit, reset, remaining: same ? Math.min(before.remaining, remaining) : remaining };
  }
}

/** Whether an answer is of before its request was sent, from the browser's store or a proxy's: then no less was left than was known. */
function isOld(headers, before) {
  const { remaining, reset } = limitsOf(headers);
  return before !== null && before.reset > 0 && (reset < before.reset || (reset === before.reset && remaining >= before.remaining));
}

/** Reads JSON. Whole numbers with more digits than JavaScript's numbers have, as ids may be, stay text. */
function read(text) {
  try {
    return JSON.parse(text, (_, value, context) =>
      Number.isInteger(value) && !Number.isSafeInteger(value) && context ? context.source : value);
  } catch {
    return {}; // a proxy's own page, say: the status tells enough
  }
}
