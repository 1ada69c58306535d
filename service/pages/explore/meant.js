// What the reader may have meant by a term that no filing contains as it stands (typos=auto).

import { element, one } from "./dom.js";

const most = 3; // owners that are proposed

/** What a list has in place of a term: { text, owners }, the owners that most of its filings name. */
export function meantOf(q, { data, meta: { corrected } }) {
  const words = corrected.map(({ from, to }) => `${to.join(" or ")} for ${from}`).join(", ");
  const counts = new Map();
  for (const { owner } of data) if (owner) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const owners = [...counts].sort((a, b) => b[1] - a[1]).slice(0, most).map(([owner]) => owner);
  return { text: `No filing contains “${q}” as it stands. Shown are those with ${words || "its words in another order"}.`, owners };
}

/** Shows what may have been meant; null: nothing else. chosen is called with an owner that the reader picks. */
export function showMeant(meant, chosen) {
  const place = one("#meant");
  place.hidden = !meant;
  if (!meant) return place.replaceChildren();
  const buttons = meant.owners.map((owner) => {
    const button = element("button", { type: "button" }, owner);
    button.addEventListener("click", () => {
      chosen(owner);
      one("#filter-owner").focus(); // the button goes
    });
    return button;
  });
  place.replaceChildren(meant.text, ...(buttons.length ? [" Did you mean the owner ", ...buttons, "?"] : []));
}
