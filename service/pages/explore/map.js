// The map: borders of states and counties, a graticule, and cells of filings as circles. Nothing of it comes from
// elsewhere, but for the base map that an operator may have set.

import { address } from "./api.js";
import { drawBorders } from "./borders.js";
import { element } from "./dom.js";
import { brief, money, number } from "./format.js";
import { drawGraticule } from "./graticule.js";
import { Regions } from "./regions.js";
import { drawTiles } from "./tiles.js";
import { boundsOf, east, place, west } from "./world.js";

const home = [[24.4, -125], [49.5, -66.9]]; // the 48 states
const world = [[-85, west], [85, east]];
const nearest = 18; // zoom: half a meter a pixel
const shades = [1e3, 1e4, 1e5, 1e6, 1e7]; // dollars, from which on the next color is: those of the legend

/** The number of an amount's color: 0 for none. */
const shadeOf = (sum) => (sum === null ? 0 : 1 + shades.filter((from) => sum >= from).length);

const about = 11; // zoom: a place is shown with what is around it, about a county

export class FilingsMap {
  #map;
  #cells = L.layerGroup();
  #mark = null;
  #regions;
  #opened;
  #chosen;

  /**
   * moved is called when the view has changed, opened with the id of a filing that was chosen, chosen with the cell of
   * several, drawn with the filters that a drawn region changes.
   */
  constructor(container, { moved, opened, chosen, drawn }) {
    this.#opened = opened;
    this.#chosen = chosen;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#map = L.map(container, {
      zoomControl: false, minZoom: 2, maxZoom: nearest, maxBounds: world, maxBoundsViscosity: 1, renderer: L.svg({ padding: 0.5 }),
      trackResize: false, // the observer below sees the window's too, and at once
      zoomAnimation: !calm, fadeAnimation: !calm, markerZoomAnimation: !calm,
    });
    this.#map.attributionControl.setPrefix("Leaflet").addAttribution("Outlines: U.S. Census Bureau, cities: GeoNames");
    L.control.zoom({ position: "topright" }).addTo(this.#map);
    L.control.scale({ position: "bottomright" }).addTo(this.#map);
    this.#map.createPane("names").style.zIndex = 450; // above lines, below circles
    const graticule = L.layerGroup().addTo(this.#map);
    this.#map.on("moveend", () => drawGraticule(this.#map, graticule)).fitBounds(home);
    this.#cells.addTo(this.#map);
    this.#regions = new Regions(this.#map, drawn);
    this.#map.on("moveend", moved);
    new ResizeObserver(() => this.#map.invalidateSize({ animate: false })).observe(container);
  }

  /** Draws what is below the filings. */
  async drawLand() {
    const [tiles] = await Promise.all([fetch(address("explore/tiles.json")).then((answer) => answer.json()), drawBorders(this.#map)]);
    if (tiles.url) drawTiles(this.#map, tiles);
  }

  get view() {
    const { lat, lng } = this.#map.getCenter();
    return { zoom: this.#map.getZoom(), lat, lng };
  }

  set view({ zoom, lat, lng }) {
    this.#map.setView([lat, place(lng)], zoom, { animate: false });
  }

  /** Shows the regions of filters. */
  showRegions(where) {
    this.#regions.show(where);
  }

  /** Shows what is in boxes, as the service has them, and what is around it if it is small. */
  show(boxes) {
    const corners = boxes.flatMap(([w, south, e, north]) => [[south, place(w)], [north, place(e)]]);
    this.#map.fitBounds(L.latLngBounds(corners), { maxZoom: about, padding: [30, 30], animate: false });
  }

  /** The parameters that ask for what is in view. */
  get bounds() {
    return boundsOf(this.#map.getBounds());
  }

  /** What is in view, as parts of the world's width and height: { zoom, left, right, top, bottom }. */
  get extent() {
    const { min, max } = this.#map.getPixelBounds(), zoom = this.#map.getZoom(), size = 256 * 2 ** zoom;
    return { zoom, left: Math.max(min.x / size, (west + 180) / 360), right: Math.min(max.x / size, (east + 180) / 360), top: min.y / size, bottom: max.y / size };
  }

  /** Draws cells in place of those that are drawn, as far as they are near the view. */
  draw(cells) {
    const held = this.#map.getContainer().contains(document.activeElement);
    const view = this.#map.getBounds(), near = view.pad(0.5);
    this.#cells.clearLayers();
    for (const cell of cells) {
      const at = [cell.latitude, place(cell.longitude)];
      if (near.contains(at)) this.#circle(cell, at, view.contains(at));
    }
    if (held && document.activeElement === document.body) this.#map.getContainer().focus(); // the circle that had it is gone
  }

  /** Draws a circle. One that is not in view gets no focus: that would move the map, whose circles are drawn anew. */
  #circle(cell, at, inView) {
    const single = cell.count === 1;
    const size = single ? 16 : Math.round(22 + 8 * Math.log10(cell.count)); // pixels: below the 64 of a cell up to 100,000
    const icon = L.divIcon({ className: `${single ? "point" : "circle"} amount-${shadeOf(cell.sum)}`, iconSize: [size, size], html: element("span", {}, single ? "" : brief(cell.count)) });
    const marker = L.marker(at, { icon, riseOnHover: true, zIndexOffset: -10 * size, keyboard: inView, autoPanOnFocus: false }).addTo(this.#cells);
    const title = `${single ? "" : `${number(cell.count)} filings: `}${cell.sum === null ? "no amount" : money(cell.sum)}`;
    marker.getElement().title = title;
    const name = single ? `Filing ${cell.id}: open` : `${brief(cell.count)} filings: ${!cell.bbox || this.#isApart(cell) ? "zoom in" : "list"}`;
    marker.getElement().setAttribute(...(inView ? ["aria-label", name] : ["aria-hidden", "true"]));
    marker.getElement().dataset.count = cell.count;
    marker.on("click keypress", ({ type, originalEvent }) => {
      if (type === "keypress" && !["Enter", " "].includes(originalEvent.key)) return;
      if (single) this.#opened(String(cell.id));
      else this.#chosen(cell);
    });
  }

  /** Whether zooming in takes a cell apart. */
  #isApart({ bbox: [w, south, e, north] }) {
    return this.#map.getZoom() < nearest && (w < e || south < north);
  }

  /** Zooms in to where a cell falls apart, or as far as it goes; returns whether there is such a zoom. */
  split(cell) {
    if (!this.#isApart(cell)) return false;
    const [w, south, e, north] = cell.bbox;
    const box = L.latLngBounds([south, place(w)], [north, place(e)]);
    const zoom = Math.max(this.#map.getBoundsZoom(box.pad(0.1)), this.#map.getZoom() + 1);
    this.#map.setView(box.getCenter(), Math.min(zoom, nearest));
    return true;
  }

  /** Marks the place of a filing, if it has one, and brings it into view. */
  mark(filing) {
    this.#mark?.remove();
    this.#mark = null;
    if (typeof filing?.geocodedLatitude !== "number") return;
    const icon = L.divIcon({ className: "mark", iconSize: [30, 30] });
    const at = [filing.geocodedLatitude, place(filing.geocodedLongitude)];
    this.#mark = L.marker(at, { icon, interactive: false, keyboard: false, zIndexOffset: 1000 }).addTo(this.#map);
    if (!this.#map.getBounds().contains(at)) this.#map.panTo(at, { animate: false });
  }
}
