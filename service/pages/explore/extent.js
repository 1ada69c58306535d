// Where the filings are that the filters select, and how many of them are nowhere.

import { place } from "./world.js";

const world = { bounds_north: 90, bounds_south: -90, bounds_east: 180, bounds_west: -180, zoom: 3 }; // as many cells as there may be

/**
 * How many filings have a place, and the box around them: { placed, box }, with null for no box. Where all are here they
 * tell that themselves; else clusters is called with the parameters of the whole world, and returns its cells.
 */
export async function extentOf(all, clusters) {
  if (all) {
    const placed = all.filter((filing) => typeof filing.geocodedLatitude === "number");
    return { placed: placed.length, box: boxOf(placed.map((f) => [f.geocodedLatitude, place(f.geocodedLongitude)])) };
  }
  const cells = await clusters(world);
  return { placed: cells.total, box: boxOf(cells.cells.flatMap(({ bbox: [w, s, e, n] }) => [[s, place(w)], [n, place(e)]])) };
}

const boxOf = (corners) => (corners.length ? L.latLngBounds(corners) : null);
