// The form of filters, made from the OpenAPI document: a filter that the service learns is in the form at once.

import { separators } from "./chips.js";
import { element } from "./dom.js";
import { plain } from "./facets.js";
import { filings as count, label } from "./format.js";
import { Offers } from "./offers.js";
import { resolved } from "./schema.js";
import { helpOf } from "./words.js";

// What most people filter by comes first, in this order; everything else the document has is below "More filters".
const first = ["county", "city", "owner", "holder", "filing_types", "date_start", "date_end", "min_amount", "max_amount", "categories",
  "has_property_data", "foreclosure_filter"];

// The map and the table give these.
const notAsked = /^(bounds_|zoom$|sort_|limit$|offset$|cursor$|generation$|fields$)/;

// Filters whose values filings have: what the service groups by.
const kinds = { city: "city", filing_type: "filing_type", filing_types: "filing_type", exclude_filing_types: "filing_type", property_type: "property_classification",
  holder: "holder", exclude_holders: "holder" };

const whole = ["owner", "holder", "filing_type", "filing_types", "city"]; // the beginning of a name is nobody's: it is asked for when it is entered, or picked

const letters = 3; // of a name, from which on owners are offered

const stay = 300; // ms that a field has the focus before its values are asked for: who passes through wants none

// Numbers as people write them: -12.5, and $5,000.
const decimal = String.raw`\s*-?\s*\$?\s*(\d+|\d{1,3}(,\d{3})+)(\.\d+)?\s*`;

export class Filters {
  #form;
  #offers = {};
  #counties = null; // as they are compared, with and without the state; null: not known

  /**
   * Fills a form with the list's filters. typed is called while a value is being typed, chosen when one is entered or
   * picked; counties is asked once the names of all counties are of use, values for those of a kind that filings have,
   * among what the other filters select; both return false where there are none yet. owners is asked for those whose names
   * have the words that were typed so far.
   */
  constructor(form, openapi, { typed, chosen, counties, values, owners }) {
    this.#form = form;
    form.noValidate = true; // the service says what is wrong; the form only waits while a value is not whole
    const filters = openapi.paths["/v1/filings"].get.parameters
      .filter((p) => p.in === "query" && !p.deprecated && !notAsked.test(p.name))
      .map((p) => ({ ...p, schema: resolved(openapi, p.schema) }));
    const named = (name) => filters.filter((p) => p.name === name);
    const rest = filters.filter((p) => !first.includes(p.name));
    form.replaceChildren(
      ...first.flatMap(named).map(field),
      element("details", {}, element("summary", {}, "More filters"), ...rest.map(field)),
      element("button", { type: "reset" }, "Clear filters"),
    );
    for (const p of filters) if (isText(p.schema)) this.#offers[p.name] = new Offers(form.elements[p.name], separators[p.name] ?? (p.schema.type === "array" ? "," : ""));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      const { name, value, validity } = event.target;
      this.#checkCounty();
      if (validity.valid && (!whole.includes(name) || !value.trim() || this.#offers[name]?.has(value))) typed();
    });
    form.addEventListener("change", chosen);
    form.addEventListener("reset", () => setTimeout(chosen)); // the values are cleared after the event
    for (const name of ["county", "exclude_counties"]) this.#whenIn(name, () => this.#offerCounties(counties));
    this.#completeOwner(owners);
    for (const name of Object.keys(kinds)) this.#whenIn(name, () => this.#offer(name, values));
  }

  /** The filters that are set, by the names of their parameters. */
  get values() {
    const values = {};
    for (const [name, value] of new FormData(this.#form)) {
      const read = this.#form.elements[name].inputMode === "decimal" && new RegExp(`^${decimal}$`).test(value) ? value.replace(/[$,\s]/g, "") : value.trim();
      if (read) values[name] = name in values ? `${values[name]},${read}` : read;
    }
    return values;
  }

  set values(values) {
    for (const control of this.#controls()) {
      const value = values[control.name] ?? "";
      if (control.type === "checkbox") control.checked = value.split(",").includes(control.value);
      else control.value = value;
      if (value) control.closest("#filters details")?.setAttribute("open", "");
    }
  }

  /** Forgets the values that are offered. */
  forget() {
    for (const offers of Object.values(this.#offers)) offers.set([]);
    this.#counties = null;
    this.#checkCounty();
  }

  /** Does something when the reader is in a field, and stays: once, also if the field was left and entered again meanwhile. */
  #whenIn(name, act) {
    const control = this.#form.elements[name];
    let timer = 0;
    control?.addEventListener("focus", () => {
      clearTimeout(timer);
      timer = setTimeout(() => document.activeElement === control && act(), stay);
    });
  }

  /** Offers the values of a field that filings have. Without an answer the field is as good. */
  async #offer(name, ask) {
    const values = await ask(kinds[name]).catch(() => false);
    if (values) this.#offers[name].set(values);
  }

  /** Offers owners while a name is typed, in whatever order: the words that are typed stand in the label, by which browsers compare. */
  #completeOwner(ask) {
    const { owner } = this.#form.elements;
    let timer = 0;
    owner.addEventListener("input", () => {
      clearTimeout(timer);
      const all = owner.value.trim(), typed = all.slice(all.lastIndexOf(";") + 1).trim(); // the last of several
      if (typed.length < letters || this.#offers.owner.has(owner.value)) return;
      timer = setTimeout(async () => {
        const found = (await ask(typed).catch(() => false)) || [];
        if (owner.value.trim() !== all) return; // more was typed meanwhile
        this.#offers.owner.label(found.map(({ name, filings }) => ({ value: name, label: `${count(filings)}: ${all}` })));
      }, stay);
    });
  }

  /** Offers all counties. From then on the beginning of a county's name is no whole value. */
  async #offerCounties(ask) {
    if (this.#counties) return;
    this.#counties = new Set(); // asked for: once is enough
    const names = (await ask().catch(() => false)) || [];
    if (!names.length) return (this.#counties = null); // none yet: asked again when the field gets the focus again
    for (const name of ["county", "exclude_counties"]) this.#offers[name]?.set(names);
    this.#counties = new Set(names.flatMap((name) => [name, name.replace(/, ..$/, "")]).map(plain));
    this.#checkCounty();
  }

  #checkCounty() {
    const { county } = this.#form.elements;
    const typed = county.value.split(";").map(plain).filter(Boolean);
    county.setCustomValidity(!this.#counties?.size || typed.every((name) => this.#counties.has(name)) ? "" : "no county of that name");
  }

  /** Marks the fields that a message of the service names; none for "". */
  mark(message) {
    for (const control of this.#controls()) {
      control.setAttribute("aria-invalid", String(new RegExp(`\\b${control.name}\\b`).test(message)));
    }
  }

  #controls() {
    return [...this.#form.elements].filter((control) => control.name);
  }
}

/** Folds the filters away in a narrow window, where the filings come first. */
export function fold(filtering) {
  const wide = matchMedia("(width >= 50rem)"); // as in page.css
  const follow = () => (filtering.open = wide.matches);
  wide.addEventListener("change", follow);
  follow();
}

/** Whether a filter takes any text, one or a list of them. */
function isText(schema) {
  const { type, enum: choices, format, pattern } = schema.items ?? schema;
  return type === "string" && !choices && !format && !pattern;
}

/** One filter: its label, its control, and its help, which shows while the control has the focus. */
function field(parameter) {
  const help = element("p", { id: `help-${parameter.name}`, class: "help" }, helpOf(parameter));
  const described = { name: parameter.name, "aria-describedby": help.id };
  const { type, items, enum: choices, format, pattern } = parameter.schema;
  if (items?.enum) {
    const boxes = items.enum.map((v) => element("label", {}, element("input", { ...described, type: "checkbox", value: v }), label(v)));
    return element("fieldset", { class: "field" }, element("legend", {}, label(parameter.name)), ...boxes, help);
  }
  if (type === "boolean" && /false`? is no filter/.test(parameter.description)) {
    const box = element("input", { ...described, type: "checkbox", value: "true" });
    return element("div", { class: "field" }, element("label", {}, box, label(parameter.name)), help);
  }
  const id = `filter-${parameter.name}`;
  const isNumber = ["number", "integer"].includes(type);
  const options = type === "boolean" ? [["true", "Yes"], ["false", "No"]] : choices?.map((v) => [v, label(v)]);
  const control = options
    ? element("select", { ...described, id }, element("option", { value: "" }, "–"), ...options.map(([v, text]) => element("option", { value: v }, text)))
    : element("input", {
      ...described, id, type: format === "date" ? "date" : "text", spellcheck: "false",
      inputmode: isNumber && "decimal", pattern: isNumber ? decimal : (pattern ?? false),
    });
  return element("div", { class: "field" }, element("label", { for: id }, label(parameter.name)), control, help);
}
