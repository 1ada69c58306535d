// The outlines of states and counties, from a TopoJSON file: shared borders are stored once, as arcs of small steps on a
// grid.

import { element } from "./dom.js";
import { place } from "./world.js";

/** The shapes of an object of a topology: { name, polygons }, polygons as Leaflet takes them: rings of [latitude, longitude]. */
export function shapesOf(topology, object) {
  const { scale, translate } = topology.transform;
  const arcs = topology.arcs.map((steps) => {
    let [x, y] = [0, 0];
    return steps.map(([dx, dy]) => {
      x += dx;
      y += dy;
      return [y * scale[1] + translate[1], place(x * scale[0] + translate[0])];
    });
  });
  // An arc is named by its index, one that is walked backward by the index's complement; it begins where the last ended.
  const ring = (indices) => indices.flatMap((i, n) => (i < 0 ? [...arcs[~i]].reverse() : arcs[i]).slice(n ? 1 : 0));
  return topology.objects[object].geometries.filter((shape) => shape.type).map((shape) => ({
    name: shape.properties.name,
    polygons: (shape.type === "Polygon" ? [shape.arcs] : shape.arcs).map((polygon) => polygon.map(ring)),
  }));
}

/** The box around the largest polygon of a shape. */
export function largestBox(polygons) {
  const boxes = polygons.map(([outer]) => L.latLngBounds(outer));
  const size = (box) => (box.getNorth() - box.getSouth()) * (box.getEast() - box.getWest());
  return boxes.reduce((a, b) => (size(b) > size(a) ? b : a));
}

const letter = 7; // pixels, in the size in which names are drawn

/** Writes a text at a point into a layer group. */
export function write(group, at, text, className) {
  const icon = L.divIcon({ className, iconSize: null, html: element("span", {}, text) });
  L.marker(at, { icon, interactive: false, keyboard: false, pane: "names" }).addTo(group);
}

/** The names of shapes that fit into their boxes: { name, at }. */
export const namesOf = (map, shapes) => shapes.filter(({ name, box }) => map.project(box.getSouthEast()).x - map.project(box.getNorthWest()).x >= name.length * letter)
  .map(({ name, box }) => ({ name, at: box.getCenter() }));

/**
 * Draws the names in view into a layer group, in place of what is there: the first ones first, none over another or over one that
 * was drawn before. shifts are the pixels by which a name may be lower than its point. Returns where names are now.
 */
export function drawNames(map, group, className, names, { before = [], shifts = [0] } = {}) {
  group.clearLayers();
  const view = map.getBounds(), drawn = [...before];
  for (const { name, at } of names) {
    if (!view.contains(at)) continue;
    const { x, y } = map.latLngToContainerPoint(at), half = (name.length * letter) / 2 + 6;
    const shift = shifts.find((down) => !drawn.some((other) => Math.abs(other.y - y - down) < 16 && Math.abs(other.x - x) < half + other.half));
    if (shift === undefined) continue;
    drawn.push({ x, y: y + shift, half });
    write(group, map.containerPointToLatLng([x, y + shift]), name, className);
  }
  return drawn;
}
