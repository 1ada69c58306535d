// The borders of states and counties on the map. Counties are many: they are loaded when the reader first zooms in, and
// only those in view are drawn.

import { address } from "./api.js";
import { drawCities, drawNames, largestBox, shapesOf } from "./outline.js";

const near = 7; // the zoom from which counties show: a kilometer a pixel

/** Draws the states' borders, and from now on the counties' where the map is near enough. */
export async function drawBorders(map) {
  const states = await shapesIn(address("explore/outline/states-10m.json"), "states");
  const names = L.layerGroup().addTo(map), places = L.layerGroup().addTo(map), borders = L.layerGroup().addTo(map);
  for (const { polygons } of states) L.polygon(polygons, { className: "state", interactive: false, weight: 1 }).addTo(map).bringToBack();

  let counties, cities; // promises, once they are needed
  const draw = async () => {
    const isNear = map.getZoom() >= near;
    if (isNear) counties ??= shapesIn(address("explore/outline/counties-10m.json"), "counties").catch(() => (counties = undefined));
    if (isNear) cities ??= fetch(address("explore/outline/cities.json")).then((answer) => answer.json()).catch(() => (cities = undefined));
    const all = isNear && (await counties);
    drawCities(map, places, (isNear && (await cities)) || []);
    if (map.getZoom() >= near !== isNear) return; // zoomed meanwhile: drawn by a later call
    borders.clearLayers();
    if (!all) return drawNames(map, names, states);
    const view = map.getBounds();
    const shown = all.filter(({ around }) => view.intersects(around));
    for (const { polygons } of shown) L.polygon(polygons, { className: "county", interactive: false, weight: 1 }).addTo(borders);
    drawNames(map, names, shown);
  };
  map.on("moveend", draw);
  await draw();
}

/** The shapes of a file, with the box around the largest part of each, where its name goes, and the box around all of it. */
async function shapesIn(file, object) {
  const topology = await (await fetch(file)).json();
  return shapesOf(topology, object).map((shape) => ({ ...shape, box: largestBox(shape.polygons), around: L.latLngBounds(shape.polygons.flat(2)) }));
}
