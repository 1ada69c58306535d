// The filings of the map, from tiles. A tile never changes, so one that is here is not requested again, by the browser's own
// store also not after a reload. What is here tells much of other tiles: one with single filings has all of those below it, and
// cells tell which tiles have none, or few enough to come at once, also of filters that select fewer.

import { pointsOf } from "./mvt.js";
import { text } from "./world.js";

const single = 500; // filings of a tile, up to which it has each of them
const widest = 1; // a cell is a tile of the map's zoom and so many more, 128 pixels, or one more where it is known what is in it
const finer = 3; // zooms by which the cells of a tile are finer than the tile
const sharp = 7; // the same, of the cells that can be made of the single filings of a tile: its units are 4 pixels then
const ahead = 3; // zooms that a tile with few filings may be further up: what is around comes with it

/** A place on the map as parts of the world's width and height, from the north-western corner. */
const worldOf = (latitude, longitude) => ({ x: (longitude + 180) / 360, y: (1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2 });
const latitudeOf = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
const longitudeOf = (x) => x * 360 - 180;

export class Cells {
  #load;
  #drawn;
  #known = new Map(); // by the name of a tile: { points, fine }, up to which zoom of cells its points tell the truth
  #coming = new Map(); // what is requested, by the same names
  #of = []; // the generation and the filters
  #outer = null; // as known, of the whole world, of filters that select these filings and others
  #asking = new AbortController(); // ends with other ones

  /** load requests a tile: (generation, where, "z/x/y", signal) => a buffer. drawn is called when more is known. */
  constructor(load, drawn) {
    this.#load = load;
    this.#drawn = drawn;
  }

  /** Shows what filters select of a generation from now on. */
  use(generation, where) {
    const of = [generation, lasting(where)];
    if (JSON.stringify(of) === JSON.stringify(this.#of)) return;
    this.#asking.abort();
    this.#asking = new AbortController();
    const [before, earlier = {}] = this.#of;
    const narrows = before === generation && [",", typesOf(of[1])].includes(typesOf(earlier)) && Object.entries(earlier).every(([name, value]) => of[1][name] === value);
    this.#outer = narrows ? (this.#known.get("0/0/0") ?? this.#outer) : null;
    this.#of = of;
    this.#known.clear();
    this.#coming.clear();
  }

  /** Learns all filings, of a list that has them all. */
  learnFilings(filings) {
    const placed = filings.filter((filing) => typeof filing.geocodedLatitude === "number");
    this.#known.set("0/0/0", {
      fine: Infinity,
      points: placed.map(({ id, geocodedLatitude: lat, geocodedLongitude: lon, filingAmount: sum = null }) => ({ ...worldOf(lat, lon), count: 1, sum, id: String(id), bbox: [lon, lat, lon, lat] })),
    });
  }

  /** Learns the cells of the whole world, as the service counts them. */
  learnWorld({ cells, precision }) {
    this.#known.set("0/0/0", {
      fine: precision,
      points: cells.map(({ latitude, longitude, count, sum = null, id = "", bbox }) => ({ ...worldOf(latitude, longitude), count, sum, id: String(id), bbox })),
    });
  }

  /** How many filings the last ones that it learned have a place, and the boxes around them. */
  get whole() {
    const { points } = this.#known.get("0/0/0");
    return { count: points.reduce((sum, { count }) => sum + count, 0), boxes: points.map(({ bbox }) => bbox) };
  }

  /** Whether a view has all filings that have a place, as what is known of those and others tells. */
  holdsAll({ zoom, left, right, top, bottom }) {
    const margin = 2 ** -(zoom + 7); // 2 pixels: the points of tiles are rounded
    const isIn = ({ bbox: [w, south, e, north] }) => {
      const first = worldOf(north, w), last = worldOf(south, e);
      return first.x >= left + margin && last.x <= right - margin && first.y >= top + margin && last.y <= bottom - margin;
    };
    return this.#outer?.points.every((point) => point.bbox && isIn(point)) ?? false;
  }

  /**
   * The cells of a view as far as they are known: { latitude, longitude, count, sum, id, bbox, bounds }. id is there where it is one
   * filing, bbox where it is known; bounds, four parameters, are around the cell.
   */
  at(view) {
    return tilesOf(view).flatMap((tile) => {
      const source = this.#source(tile);
      return source ? cellsOf(source.points.filter((point) => contains(tile, point)), Math.min(source.fine, view.zoom + widest + 1)) : [];
    });
  }

  /** Requests what a view needs and is not known. */
  async load(view, signal) {
    for (let tiles = this.#missing(view); tiles.length; tiles = this.#missing(view)) {
      await Promise.all(tiles.map((tile) => this.#request(tile)));
      signal.throwIfAborted();
    }
  }

  #missing(view) {
    const missing = new Map();
    for (const tile of tilesOf(view)) {
      const source = this.#source(tile);
      if (source?.fine >= view.zoom + widest || !this.#most(tile)) continue;
      let z = Math.max(0, tile.z - ahead);
      while (z < tile.z && this.#most(above(tile, z)) > single) z++;
      missing.set(nameOf(above(tile, z)), above(tile, z));
    }
    return [...missing.values()];
  }

  /** What is known best of a tile: of itself, or of one above it. */
  #source(tile) {
    let best = null;
    for (let z = tile.z; z >= 0; z--) {
      const known = this.#known.get(nameOf(above(tile, z)));
      if (known && known.fine > (best?.fine ?? 0)) best = known;
    }
    return best;
  }

  /** How many filings a tile has at most. */
  #most(tile) {
    const source = this.#source(tile) ?? this.#outer;
    if (!source) return Infinity;
    const within = above(tile, Math.min(tile.z, source.fine));
    return source.points.reduce((sum, point) => sum + (contains(within, point) && reaches(point, tile) ? point.count : 0), 0);
  }

  /** Requests a tile. It comes also when the view has moved on: it has been counted, and may be needed again. */
  #request(tile) {
    const name = nameOf(tile), { signal } = this.#asking;
    if (!this.#coming.has(name)) this.#coming.set(name, this.#fetch(tile, name, signal).finally(() => signal.aborted || this.#coming.delete(name)));
    return this.#coming.get(name);
  }

  async #fetch(tile, name, signal) {
    const buffer = await this.#load(...this.#of, name, signal);
    signal.throwIfAborted();
    const scale = 2 ** tile.z;
    const points = pointsOf(buffer).map((point) => ({ ...point, x: (tile.x + point.x) / scale, y: (tile.y + point.y) / scale }));
    this.#known.set(name, { points, fine: tile.z + (points.every(({ count }) => count === 1) ? sharp : finer) });
    this.#drawn();
  }
}

/** Filters that select the same every day, as those of tiles must: the first of the last days in place of how many they are. */
function lasting({ date_range, ...where }) {
  if (!date_range) return where;
  const first = new Date(Date.now() - date_range * 86_400_000).toISOString().slice(0, 10);
  return { ...where, date_start: first > (where.date_start ?? "") ? first : where.date_start };
}

/** The filing types of filters: any of two parameters, so a second one selects more. */
const typesOf = ({ filing_type = "", filing_types = "" }) => `${filing_type},${filing_types}`;

const nameOf = ({ z, x, y }) => `${z}/${x}/${y}`;

/** The tile of a zoom that has a tile in it. */
const above = ({ z, x, y }, zoom) => ({ z: zoom, x: x >> (z - zoom), y: y >> (z - zoom) });

const contains = ({ z, x, y }, point) => Math.floor(point.x * 2 ** z) === x && Math.floor(point.y * 2 ** z) === y;

/** Whether the box around a point's filings, where it is known, touches a tile. */
function reaches({ bbox }, { z, x, y }) {
  if (!bbox) return true;
  const [w, south, e, north] = bbox, n = 2 ** z, first = worldOf(north, w), last = worldOf(south, e);
  return first.x * n <= x + 1 && last.x * n >= x && first.y * n <= y + 1 && last.y * n >= y;
}

/** The tiles of a view, 1,024 pixels wide, as its zoom has them with cells just fine enough. */
function tilesOf({ zoom, left, right, top, bottom }) {
  const z = Math.max(0, zoom + widest - finer), n = 2 ** z;
  const tiles = new Map();
  for (let column = Math.floor(left * n); column < right * n; column++) {
    for (let y = Math.max(0, Math.floor(top * n)); y < Math.min(n, bottom * n); y++) {
      const tile = { z, x: ((column % n) + n) % n, y };
      tiles.set(nameOf(tile), tile);
    }
  }
  return [...tiles.values()];
}

/** Points, by the cells of a zoom in which they are. */
function cellsOf(points, zoom) {
  const n = 2 ** zoom, cells = new Map();
  for (const point of points) {
    const [column, row] = [Math.floor(point.x * n), Math.floor(point.y * n)];
    const key = `${column}/${row}`;
    if (!cells.has(key)) cells.set(key, { column, row, points: [] });
    cells.get(key).points.push(point);
  }
  return [...cells.values()].map(({ column, row, points }) => {
    const count = points.reduce((sum, point) => sum + point.count, 0);
    const amounts = points.filter(({ sum }) => sum !== null);
    const mean = (axis) => points.reduce((sum, point) => sum + point[axis] * point.count, 0) / count;
    return {
      count, sum: amounts.length ? amounts.reduce((sum, point) => sum + point.sum, 0) : null, latitude: latitudeOf(mean("y")), longitude: longitudeOf(mean("x")), id: count === 1 ? points[0].id : "", bbox: around(points),
      bounds: {
        bounds_north: text(latitudeOf(row / n)), bounds_south: text(latitudeOf((row + 1) / n)),
        bounds_east: text(longitudeOf((column + 1) / n)), bounds_west: text(longitudeOf(column / n)),
      },
    };
  });
}

/** The box around points, or cells: null where one of them has none. */
export function around(points) {
  if (!points.length || !points.every(({ bbox }) => bbox)) return null;
  const edge = (i, of) => of(...points.map(({ bbox }) => bbox[i]));
  return [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
}
