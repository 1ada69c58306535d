// What a link to this page carries, after #: the map's position, whether the table has only what is in view, the page of the table,
// the open filing, the filters, among them the term, and the order. Never the key.

/** Reads the hash: { map: { zoom, lat, lng } or null, inView, offset, filing: id or "", filters: { name: value } }. */
export function readHash(hash) {
  const { map, in_view, offset, filing = "", ...filters } = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  const [zoom, lat, lng] = (map ?? "").split("/").map(Number);
  const whole = [zoom, lat, lng].every(Number.isFinite);
  return { map: whole ? { zoom, lat, lng } : null, inView: in_view === "true", offset: Math.max(0, Math.trunc(Number(offset)) || 0), filing: /^\d+$/.test(filing) ? filing : "", filters };
}

/** Writes what readHash reads. */
export function hashOf({ map, inView, offset, filing, filters }) {
  const position = `map=${map.zoom}/${map.lat.toFixed(5)}/${map.lng.toFixed(5)}`;
  const rest = new URLSearchParams({ ...filters, ...(inView && { in_view: "true" }), ...(offset && { offset }), ...(filing && { filing }) }).toString();
  return "#" + position + (rest && "&" + rest);
}

/** A hash without the map's position: it changes with every move, and is no step to go back by. */
export const stepOf = (hash) => hash.replace(/^#map=[^&]*/, "");
