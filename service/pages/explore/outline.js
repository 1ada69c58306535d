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

/** Draws the names that fit into their boxes into a layer group, in place of what is there. */
export function drawNames(map, group, shapes) {
  group.clearLayers();
  for (const { name, box } of shapes) {
    const width = map.project(box.getSouthEast()).x - map.project(box.getNorthWest()).x;
    if (width < name.length * letter) continue;
    write(group, box.getCenter(), name, "place-name");
  }
}

/** Draws the names of cities in view into a layer group, in place of what is there: the largest first, none over another. */
export function drawCities(map, group, cities) {
  group.clearLayers();
  const view = map.getBounds(), taken = [];
  for (const [name, latitude, longitude] of cities) {
    const at = [latitude, place(longitude)];
    if (!view.contains(at)) continue;
    const { x, y } = map.latLngToContainerPoint(at), half = (name.length * letter) / 2 + 6;
    if (taken.some((other) => Math.abs(other.y - y) < 16 && Math.abs(other.x - x) < half + other.half)) continue;
    taken.push({ x, y, half });
    write(group, at, name, "city-name");
  }
}
