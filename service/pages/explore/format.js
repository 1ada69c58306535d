// How names and values are shown.

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const count = new Intl.NumberFormat("en-US");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A whole number with its thousands apart. */
export const number = (n) => count.format(n);

/** A number that fits into a circle of the map: exact below 10,000. */
export const brief = (n) => (n < 10_000 ? number(n) : short.format(n));

/** Dollars. */
export const money = (n) => dollars.format(n);

/** How many filings, in words. */
export const filings = (n) => (n === 1 ? "1 filing" : `${number(n)} filings`);

// Names of the API that are no label for a reader.
const labels = { date_start: "Recorded from", date_end: "Recorded until" };

/** A name of the API, min_amount or filingDate, as a label. */
export function label(name) {
  if (labels[name]) return labels[name];
  const words = name.replace(/^(min|max)_/, "$1imum ").replaceAll("_", " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b(id|ai)\b/gi, (w) => w.toUpperCase());
}

/** A field of a filing as text; a dash where the record lacks it. */
export function value(name, v) {
  if (v === null || v === undefined || v.length === 0) return "–";
  if (Array.isArray(v)) return v.join(", ");
  if (isMoney(name) && typeof v === "number") return dollars.format(v);
  return String(v);
}

/** Whether a field is in dollars: the names of all that are end like this. */
export const isMoney = (name) => /(Amount|Value|Price|Estimate)$/.test(name);
