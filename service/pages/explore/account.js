// The head of the page: the key, what is left of its quota, and what went wrong.

import { one } from "./dom.js";
import { label, number } from "./format.js";

const place = one("#trouble"), button = one("#trouble button");

/** Shows whether there is a key, and what the client knows of its account. */
export function showAccount({ account, ready, cost }) {
  one("#welcome").hidden = ready;
  one("#account").hidden = !ready;
  one("#kept").textContent = ready ? "Key kept in this tab" : "";
  const tier = account?.tier ? `${label(account.tier)} · ` : "";
  one("#quota").textContent = account ? `${tier}${number(account.remaining)} of ${number(account.limit)} requests left${account.tier === "free" && cost ? `; the last question took ${cost}` : ""}` : "";
}

/**
 * Says what went wrong with what, and offers what helps: again, or another key. null: nothing went wrong with it. What
 * went wrong with something else stays.
 */
export function showTrouble(what, failure, again, anotherKey) {
  if (!failure && place.dataset.what !== what) return;
  if (!failure && place.contains(document.activeElement)) one("#term").focus(); // what it is on goes
  place.dataset.what = what;
  place.hidden = !failure;
  one("p", place).textContent = failure?.message ?? "";
  const help = { retry: ["Try again", again], key: ["Use another key", anotherKey] }[failure?.help];
  button.hidden = !help;
  [button.textContent, button.onclick] = help ?? ["", null];
}

/** Says that the page waits for the service to take more requests; 0: no longer. */
export function showWait(seconds) {
  one("#note").hidden = !seconds;
  one("#note").textContent = seconds ? `Rate limit reached. Continuing in ${seconds} s.` : "";
}
