// What a link to this page carries, behind #: the map's position, the filters, the open filing. Never the key.

/** Reads the hash: { map: { zoom, lat, lng } or null, filing: id or "", filters: { name: value } }. */
export function readHash(hash) {
  const { map, filing = "", ...filters } = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  const [zoom, lat, lng] = (map ?? "").split("/").map(Number);
  const whole = [zoom, lat, lng].every(Number.isFinite);
  return { map: whole ? { zoom, lat, lng } : null, filing: /^\d+$/.test(filing) ? filing : "", filters };
}

/** Writes what readHash reads. */
export function hashOf({ map, filing, filters }) {
  const position = `map=${map.zoom}/${map.lat.toFixed(5)}/${map.lng.toFixed(5)}`;
  const rest = new URLSearchParams(filing ? { ...filters, filing } : filters).toString();
  return "#" + position + (rest && "&" + rest);
}
