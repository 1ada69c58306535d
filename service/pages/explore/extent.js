// Where the filings are that the filters select, and how many of them are nowhere.

import { place } from "./world.js";

const world = { bounds_north: 90, bounds_south: -90, bounds_east: 180, bounds_west: -180, zoom: 3 }; // as many cells as there may be

/**
 * How many filings of a list have a place, and the box around them: { placed, box }, with null for no box. Of a list that
 * is here whole its own filings tell that; else clusters is called with the parameters of the whole world, and returns its
 * cells.
 */
export async function extentOf({ data, pagination: { total } }, clusters) {
  if (data.length === total) {
    const placed = data.filter((filing) => typeof filing.geocodedLatitude === "number");
    return { placed: placed.length, box: boxOf(placed.map((f) => [f.geocodedLatitude, place(f.geocodedLongitude)])) };
  }
  const cells = await clusters(world);
  return { placed: cells.total, box: boxOf(cells.cells.flatMap(({ bbox: [w, s, e, n] }) => [[s, place(w)], [n, place(e)]])) };
}

const boxOf = (corners) => (corners.length ? L.latLngBounds(corners) : null);
