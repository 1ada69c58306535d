// What the reader may have meant by a term that no filing contains as it stands (typos=auto).

import { button, one } from "./dom.js";
import { label } from "./format.js";
import { counted } from "./suggest.js";

const most = 3; // owners that are proposed

/** The list's replacement for a term: { text, offers }, the owners that most of its filings name, as filters. */
export function meantOf(q, { data, meta: { corrected } }) {
  const words = corrected.map(({ from, to }) => `${to.join(" or ")} for ${from}`).join(", ");
  const offers = counted(data, "owner").slice(0, most).map(({ key }) => ({ text: key, changes: { owner: key, q: "" } }));
  return { text: `No filing contains “${q}” as it stands. Shown are those with ${words || "its words in another order"}.`, said: " Did you mean the owner ", offers };
}

/** The offers in place of values that no filing has: { text, offers }; null where there are none. */
export function nearOf(unmatched = []) {
  if (!unmatched.length) return null;
  const offers = unmatched.flatMap(({ parameter, nearest }) => (nearest ?? []).map((near) => ({ text: near, changes: { [parameter]: near } })));
  const text = unmatched.map(({ parameter, value }) => `No filing has “${value}” (${label(parameter).toLowerCase()}).`).join(" ");
  return { text, said: " Did you mean ", offers };
}

/** Shows what may have been meant; null: nothing else. chosen is called with the filters that a choice changes. */
export function showMeant(meant, chosen) {
  const place = one("#meant");
  place.hidden = !meant;
  if (!meant) return place.replaceChildren();
  const buttons = meant.offers.map(({ text, changes }) => button({}, () => {
    chosen(changes);
    one("#term").focus(); // the button goes
  }, text));
  place.replaceChildren(meant.text, ...(buttons.length ? [meant.said, ...buttons, "?"] : []));
}
