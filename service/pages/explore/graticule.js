// Parallels and meridians in the map's view, with their degrees at its edges: where there are no streets to see, they
// tell where one is.

import { write } from "./outline.js";
import { east, served, west } from "./world.js";

const steps = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];
const apart = 110; // pixels between two meridians, at least

/** Draws the lines of a map's view into a layer group, in place of what is there. */
export function drawGraticule(map, group) {
  group.clearLayers();
  const view = map.getBounds();
  const degree = map.options.crs.scale(map.getZoom()) / 360; // pixels, along the equator
  const step = steps.filter((s) => s * degree >= apart).at(-1) ?? steps[0];
  const decimals = (String(step).split(".")[1] ?? "").length;
  const corner = map.containerPointToLatLng([0, map.getSize().y]);
  for (const lng of between(Math.max(view.getWest(), west), Math.min(view.getEast(), east), step)) {
    line(group, [[-85, lng], [85, lng]]);
    if (map.latLngToContainerPoint([corner.lat, lng]).x < apart / 2) continue; // its degrees would be on those of a parallel
    write(group, [corner.lat, lng], degrees(served(lng), decimals, "E", "W"), "degrees meridian");
  }
  for (const lat of between(Math.max(view.getSouth(), -85), Math.min(view.getNorth(), 85), step)) {
    line(group, [[lat, west], [lat, east]]);
    write(group, [lat, corner.lng], degrees(lat, decimals, "N", "S"), "degrees parallel");
  }
}

/** The multiples of step from low to high. */
function* between(low, high, step) {
  for (let i = Math.ceil(low / step); i * step <= high; i++) yield i * step;
}

function line(group, ends) {
  L.polyline(ends, { className: "graticule", interactive: false, weight: 1 }).addTo(group);
}

function degrees(d, decimals, positive, negative) {
  const text = Math.abs(d).toFixed(decimals) + "°";
  return Number(d.toFixed(decimals)) % 180 === 0 ? text : text + (d > 0 ? positive : negative);
}
