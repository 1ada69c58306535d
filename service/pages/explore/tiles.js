// The base map that an operator has set (FILINGS_TILES_URL), in place of plain land and sea.

import { element } from "./dom.js";

/** Draws tiles below everything else. attribution is text; addresses in it become links. */
export function drawTiles(map, { url, attribution }) {
  const parts = attribution.split(/(https:\/\/\S+)/).map((part, i) => (i % 2 ? element("a", { href: part }, new URL(part).host) : part));
  L.tileLayer(url, {
    attribution: element("span", {}, ...parts).outerHTML, // serialized text: nothing of it is markup
    referrerPolicy: "strict-origin", // providers want to know the site; they need not know the view
  }).addTo(map);
  map.getContainer().classList.add("tiled");
}
