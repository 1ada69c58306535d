// The API, as this page asks it.

/** The address of a path of the API with parameters, those without a value left out. */
export function address(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  return new URL(path + (query && "?" + query), document.baseURI).href;
}

/** An answer that is no success. Its message is meant for the reader. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Client holds the key, which is nowhere else: no storage, no address and no element has it. */
export class Client {
  #key = "";

  /** What the answers said of the account: tier, limit, remaining, reset. */
  account = null;

  use(key) {
    this.#key = key;
    this.account = null;
  }

  get ready() {
    return this.#key !== "";
  }

  /** Asks for a path; returns the body. Throws a Refusal, or an AbortError when the signal says so. */
  async get(path, parameters, signal) {
    let answer, text;
    try {
      // Answers have people's contacts in them: the browser must not keep them on its disk.
      answer = await fetch(address(path, parameters), { headers: { "X-API-Key": this.#key }, cache: "no-store", signal });
      text = await answer.text();
    } catch (failure) {
      if (signal?.aborted) throw failure;
      throw new Refusal(0, "The service did not answer. Is the network there?");
    }
    const body = read(text);
    if (!answer.ok) throw new Refusal(answer.status, words(answer, body));
    this.#learn(answer.headers, body.meta?.tier ?? "");
    return body;
  }

  /** Learns of the account. Of requests that went together the answers come in any order: the least counts, till the reset. */
  #learn(headers, tier) {
    const [limit, remaining, reset] = ["Limit", "Remaining", "Reset"].map((name) => Number(headers.get(`X-RateLimit-${name}`)));
    const before = this.account;
    const same = before?.tier === tier && before.limit === limit && before.reset === reset;
    this.account = { tier, limit, reset, remaining: same ? Math.min(before.remaining, remaining) : remaining };
  }
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

/** Says what a refusal means: first what the reader can do about it, then what the service said. */
function words(answer, body) {
  const said = body.error?.message ?? body.message ?? "";
  const wait = answer.headers.get("Retry-After");
  switch (answer.status) {
    case 400:
      return `A filter is not right: ${said}.`;
    case 401:
      return `The key was not accepted: ${said}.`;
    case 404:
      return `Not found: ${said}.`;
    case 429:
      return `Too many requests: ${said}.` + (wait ? ` Wait ${duration(wait)}.` : "");
  }
  return `The service failed (${answer.status}): ${said || "it did not say why"}. Request ${answer.headers.get("X-Request-ID") ?? "unknown"}.`;
}

function duration(seconds) {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
