// What the key's account has used: its limits, and the requests of the last 30 days.

import { element, one } from "./dom.js";
import { clock, number, requests as sent } from "./format.js";

const names = { day: "Today (UTC)", lifetime: "For life", burst: "In a second" };

export class Usage {
  #details = one("#usage");

  /** opened is called when the reader wants to see it. */
  constructor(opened) {
    this.#details.addEventListener("toggle", () => this.#details.open && opened());
  }

  show({ windows, days }) {
    one("dl", this.#details).replaceChildren(...windows.flatMap((w) => [
      element("dt", {}, names[w.name]),
      element("dd", {}, `${number(w.used)} of ${number(w.limit)} used, ${number(w.remaining)} left${anew(w)}`),
    ]));
    const most = days.reduce((a, b) => (b.requests > a.requests ? b : a));
    const all = days.reduce((sum, day) => sum + day.requests, 0);
    one("#days-text").textContent = `${number(all)} in the last ${days.length} days; most on ${most.date}: ${number(most.requests)}`;
    one("#days").replaceChildren(...days.map(({ date, requests }) => {
      const text = `${date}: ${sent(requests)}`;
      const day = element("li", { title: text }, element("span", { class: "spoken" }, text));
      day.style.setProperty("--part", `${(100 * requests) / (most.requests || 1)}%`);
      return day;
    }));
  }

  clear() {
    for (const part of ["dl", "#days-text", "#days"]) one(part, this.#details).replaceChildren();
  }
}

/** When there are new requests, in the reader's time. */
const anew = ({ name, resetsAt }) => (name === "day" && resetsAt ? `; new ones at ${clock(resetsAt)} here` : "");
