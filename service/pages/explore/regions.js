// Regions on the map: the circle and the polygon of the filters, and how the reader draws them, with a mouse, a finger or the
// keyboard. What is drawn is a filter like all others: near and radius, or polygon.

import { one } from "./dom.js";
import { place, served } from "./world.js";

const earth = 6_371_008.8, largest = 100_000; // meters
const close = 14; // pixels: a click so near to the first corner ends a polygon

const buttons = { circle: one("#draw-circle"), polygon: one("#draw-polygon") };
const done = one("#draw-done"), remove = one("#draw-remove"), help = one("#draw-help");

const words = {
  circle: ["Click the center.", "Click the rim."],
  polygon: ["Click the first corner.", "Click the second corner.", "Click the third corner.", "Click further corners, then Done."],
};
const keys = "With the keyboard: arrow keys move the map below the cross, Enter clicks there, Backspace takes back, Escape stops.";

export class Regions {
  #map;
  #drawn;
  #shown = L.layerGroup();
  #sketch = L.layerGroup();
  #kind = ""; // of what is being drawn; "": nothing is
  #points = [];

  /** drawn is called with the filters that a drawing changes: names and values, "" for none. */
  constructor(map, drawn) {
    this.#map = map;
    this.#drawn = drawn;
    this.#shown.addTo(map);
    this.#sketch.addTo(map);
    for (const [kind, button] of Object.entries(buttons)) button.addEventListener("click", () => this.#begin(this.#kind === kind ? "" : kind));
    done.addEventListener("click", () => this.#end());
    remove.addEventListener("click", () => {
      buttons.circle.focus(); // the button goes
      drawn({ near: "", radius: "", polygon: "" });
    });
    map.on("click", ({ latlng }) => this.#kind && this.#add(latlng));
    map.on("mousemove", ({ latlng }) => this.#kind && this.#draw(latlng));
    map.on("move", () => this.#kind && this.#draw(map.getCenter()));
    map.getContainer().addEventListener("keydown", (event) => {
      if (!this.#kind || event.target !== map.getContainer()) return;
      const act = { Enter: () => this.#add(map.getCenter()), Backspace: () => this.#takeBack(), Escape: () => this.#begin("") }[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation(); // Escape closes panels, too
      act();
    });
  }

  /** Shows the regions of filters. */
  show({ near, radius, polygon }) {
    this.#shown.clearLayers();
    const style = { className: "region", interactive: false };
    const [center] = pointsOf(near), corners = pointsOf(polygon);
    if (center && radius > 0) L.circle(center, { ...style, radius: Number(radius) }).addTo(this.#shown);
    if (corners.length > 2) L.polygon(corners, style).addTo(this.#shown);
    remove.hidden = !near && !radius && !polygon;
  }

  #begin(kind) {
    [this.#kind, this.#points] = [kind, []];
    for (const [name, button] of Object.entries(buttons)) button.setAttribute("aria-pressed", String(name === kind));
    this.#map.getContainer().classList.toggle("drawing", kind !== "");
    this.#map.doubleClickZoom[kind ? "disable" : "enable"]();
    if (kind) this.#map.getContainer().focus();
    this.#draw(null);
  }

  #add(point) {
    const first = this.#points[0], last = this.#points.at(-1);
    const near = (other) => other && this.#map.latLngToContainerPoint(point).distanceTo(this.#map.latLngToContainerPoint(other)) < close;
    const ends = this.#kind === "polygon" && this.#points.length > 2 && (near(first) || near(last));
    if (!ends && near(last)) return; // a double click
    if (!ends) this.#points.push(point);
    if (ends || (this.#kind === "circle" && this.#points.length === 2)) return this.#end();
    this.#draw(null);
  }

  #takeBack() {
    this.#points.pop();
    this.#draw(null);
  }

  /** Draws what there is, and what a click at a point would make of it. */
  #draw(point) {
    this.#sketch.clearLayers();
    const count = this.#points.length;
    help.hidden = !this.#kind;
    const said = this.#kind ? `${words[this.#kind][Math.min(count, words[this.#kind].length - 1)]} ${keys}` : "";
    if (help.textContent !== said) help.textContent = said; // not at each move of the mouse: it is read aloud
    done.hidden = this.#kind !== "polygon" || count < 3;
    const style = { className: "region sketch", interactive: false };
    for (const at of this.#points) L.circleMarker(at, { ...style, radius: 4 }).addTo(this.#sketch);
    if (this.#kind === "circle" && count && point) L.circle(this.#points[0], { ...style, radius: radiusOf(this.#points[0], point) }).addTo(this.#sketch);
    if (this.#kind === "polygon" && count) L.polygon(point ? [...this.#points, point] : this.#points, style).addTo(this.#sketch);
  }

  #end() {
    const [kind, points] = [this.#kind, this.#points];
    const held = document.activeElement === done;
    this.#begin("");
    if (held) this.#map.getContainer().focus(); // the button is gone
    if (kind === "circle") this.#drawn({ near: textOf(points[0]), radius: String(radiusOf(...points)) });
    else this.#drawn({ polygon: points.map(textOf).join(";") });
  }
}

/** The points of a filter as the map has them; none where they are not whole. */
function pointsOf(text = "") {
  const points = text.split(";").map((pair) => pair.split(",").map(Number));
  return text && points.every((pair) => pair.length === 2 && pair.every(Number.isFinite)) ? points.map(([lat, lng]) => [lat, place(lng)]) : [];
}

/** A point as a filter has it, to a meter. */
const textOf = ({ lat, lng }) => [lat, served(lng)].map((degrees) => Number(degrees.toFixed(5))).join();

/** The meters between two points as the service measures them, a whole number that it takes. */
function radiusOf(a, b) {
  const half = (from, to) => Math.sin(((to - from) * Math.PI) / 360) ** 2;
  const cos = (degrees) => Math.cos((degrees * Math.PI) / 180);
  const h = half(a.lat, b.lat) + cos(a.lat) * cos(b.lat) * half(a.lng, b.lng);
  return Math.min(largest, Math.max(1, Math.round(2 * earth * Math.asin(Math.sqrt(Math.min(1, h))))));
}
