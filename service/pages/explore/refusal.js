// What the service refuses, in words: first what the reader can do about it, then what the service said.

import { clock, number } from "./format.js";
import { plainly } from "./words.js";

/**
 * An answer that is no success. Its message is meant for the reader. help is what helps: "retry" (the same request, later),
 * "key" (the key of another account), or "" (another question). wait: seconds until the service takes the same request,
 * where that is soon; else 0. said is what the service said, with the names of parameters.
 */
export class Refusal extends Error {
  constructor(message, { status = 0, help = "", wait = 0, said = "" } = {}) {
    super(message);
    Object.assign(this, { status, help, wait, said });
  }
}

/** The account, as the headers of a response have it. */
export function limitsOf(headers) {
  const [limit, remaining, reset] = ["Limit", "Remaining", "Reset"].map((name) => Number(headers.get(`X-RateLimit-${name}`)));
  return { limit, remaining, reset };
}

/** The refusal that a response is. */
export function refusalOf({ status, headers }, body) {
  const said = body.error?.message ?? body.message ?? "";
  switch (status) {
    case 400:
      return new Refusal(`Check your filters: ${plainly(said)}.`, { status, said });
    case 401:
      return new Refusal(`The key was not accepted: ${said}.`, { status });
    case 404:
      return new Refusal(`Not found: ${said}.`, { status });
    case 429:
      return limited(body.error, said, headers);
  }
  const id = headers.get("X-Request-ID") ?? "unknown";
  return new Refusal(`The service failed (${status}): ${said || "it did not say why"}. Request ${id}.`, { status, help: "retry" });
}

/**
 * Which limit it was: that of a lifetime has a code of its own, that of a day leaves nothing, a burst is over within a
 * second. What else there is, as for an export that is dear, the service says.
 */
function limited(code, said, headers) {
  const { limit, remaining, reset } = limitsOf(headers);
  const wait = Number(headers.get("Retry-After"));
  if (code === "lifetime_limit_exceeded" && !remaining) {
    return new Refusal(`The account has used up its ${number(limit)} requests, which are for life: waiting does not help. ` +
      "Have it upgraded, or use the key of another account.", { status: 429, help: "key" });
  }
  if (remaining === 0) {
    return new Refusal(`The account has used up its ${number(limit)} requests of today. There are new ones at midnight UTC: ` +
      `in ${duration(wait)}, at ${clock(reset * 1000)} here. Until then, use the key of another account.`, { status: 429, help: "key" });
  }
  if (wait !== 1) return new Refusal(`The service refused it: ${plainly(said)}.`, { status: 429, help: "retry" });
  return new Refusal("Too many requests within a second.", { status: 429, help: "retry", wait });
}

function duration(seconds) {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
