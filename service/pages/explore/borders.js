// The borders of states and counties on the map. Counties are many: they are loaded when the reader first zooms in, and
// only those in view are drawn.

import { address } from "./api.js";
import { drawNames, largestBox, namesOf, shapesOf } from "./outline.js";
import { place } from "./world.js";

const near = 7; // the zoom from which counties and cities show: a kilometer a pixel
const nearer = 9; // the zoom from which county seats show that are no cities: before, they would cover the map

/** Draws the states' borders, and from now on the counties' where the map is near enough. */
export async function drawBorders(map) {
  const states = await shapesIn(address("explore/outline/states-10m.json"), "states");
  const [names, towns, borders] = [1, 2, 3].map(() => L.layerGroup().addTo(map));
  for (const { polygons } of states) L.polygon(polygons, { className: "state", interactive: false, weight: 1 }).addTo(map).bringToBack();

  let counties, places; // promises, once they are needed
  const draw = async () => {
    const zoom = map.getZoom(), isNear = zoom >= near;
    if (isNear) counties ??= shapesIn(address("explore/outline/counties-10m.json"), "counties").catch(() => (counties = undefined));
    if (isNear) places ??= read(address("explore/outline/cities.json")).catch(() => (places = undefined));
    const all = isNear && (await counties), { cities, seats } = (isNear && (await places)) || { cities: [], seats: [] };
    if (map.getZoom() !== zoom) return; // drawn by a later call
    const view = map.getBounds(), shown = all ? all.filter(({ around }) => view.intersects(around)) : states;
    borders.clearLayers();
    for (const { polygons } of all ? shown : []) L.polygon(polygons, { className: "county", interactive: false, weight: 1 }).addTo(borders);
    const points = (zoom < nearer ? cities : [...cities, ...seats]).map(([name, latitude, longitude]) => ({ name, at: [latitude, place(longitude)] }));
    const before = drawNames(map, towns, "city-name", points);
    drawNames(map, names, "place-name", namesOf(map, shown), { before, shifts: [0, 16, -16] });
  };
  map.on("moveend", draw);
  await draw();
}

const read = async (file) => (await fetch(file)).json();

/** The shapes of a file, with the box around the largest part of each, where its name goes, and the box around all of it. */
async function shapesIn(file, object) {
  return shapesOf(await read(file), object).map((shape) => ({ ...shape, box: largestBox(shape.polygons), around: L.latLngBounds(shape.polygons.flat(2)) }));
}
