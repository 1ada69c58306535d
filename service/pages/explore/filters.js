// The form of filters, made from the OpenAPI document: a filter that the service learns is in the form at once.

import { element } from "./dom.js";
import { label } from "./format.js";

// What most people filter by comes first, in this order; everything else the document has is below "More filters".
const first = ["county", "city", "filing_types", "date_start", "date_end", "min_amount", "max_amount", "categories",
  "has_property_data", "foreclosure_filter"];

// The map and the table give these.
const notAsked = /^(bounds_|zoom$|limit$|offset$)/;

export class Filters {
  #form;

  /** Fills a form with the list's filters; changed is called when a value has changed. */
  constructor(form, openapi, changed) {
    this.#form = form;
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
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", changed);
    form.addEventListener("reset", () => setTimeout(changed)); // the values are cleared after the event
  }

  /** The filters that are set, by the names of their parameters. */
  get values() {
    const values = {};
    for (const [name, value] of new FormData(this.#form)) {
      if (value.trim() !== "") values[name] = name in values ? `${values[name]},${value}` : value.trim();
    }
    return values;
  }

  set values(values) {
    for (const control of this.#controls()) {
      const value = values[control.name] ?? "";
      if (control.type === "checkbox") control.checked = value.split(",").includes(control.value);
      else control.value = value;
      if (value) control.closest("details")?.setAttribute("open", "");
    }
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

/** A schema with what its references name in their place. */
function resolved(openapi, schema) {
  const named = schema.$ref ? openapi.components.schemas[schema.$ref.split("/").at(-1)] : schema;
  return named.items ? { ...named, items: resolved(openapi, named.items) } : named;
}

/** One filter: its label, its control, and its help, which shows while the control has the focus. */
function field(parameter) {
  const help = element("p", { id: `help-${parameter.name}`, class: "help" }, parameter.description.replaceAll("`", ""));
  const described = { name: parameter.name, "aria-describedby": help.id };
  const { type, items, enum: choices, format, examples } = parameter.schema;
  if (items?.enum) {
    const boxes = items.enum.map((v) => element("label", {}, element("input", { ...described, type: "checkbox", value: v }), label(v)));
    return element("fieldset", { class: "field" }, element("legend", {}, label(parameter.name)), ...boxes, help);
  }
  if (type === "boolean") {
    const box = element("input", { ...described, type: "checkbox", value: "true" });
    return element("div", { class: "field" }, element("label", {}, box, label(parameter.name)), help);
  }
  const id = `filter-${parameter.name}`;
  const control = choices
    ? element("select", { ...described, id }, element("option", { value: "" }, "–"), ...choices.map((v) => element("option", { value: v }, label(v))))
    : element("input", {
      ...described, id, type: format === "date" ? "date" : "text", placeholder: String(examples?.[0] ?? ""), spellcheck: "false",
      inputmode: ["number", "integer"].includes(type) && "decimal",
    });
  return element("div", { class: "field" }, element("label", { for: id }, label(parameter.name)), control, help);
}
