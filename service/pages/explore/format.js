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

/** How many requests, in words. */
export const requests = (n) => (n === 1 ? "1 request" : `${number(n)} requests`);

/** The time of a day, in the reader's own. */
export const clock = (time) => new Date(time).toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" });

// Names of the API that are no label for a reader.
const labels = {
  date_start: "Recorded from", date_end: "Recorded until", date_range: "Recorded in the last days", month: "Recorded in the month",
  filingAmount: "Amount", filingDate: "Recorded", filingType: "Type", filingHolder: "Holder", propertyAddress: "Address", propertyClassification: "Classification",
  geocodedLatitude: "Latitude", geocodedLongitude: "Longitude",
  filing_type: "Type", filing_types: "Types", filing_amount: "Amount", record_date: "Recorded", property_owner: "Owner", created_at: "Added",
  near: "Center of a circle", radius: "Radius of the circle, meters", polygon: "Corners of a region", has_property_data: "With property data",
  min_equity_percent: "Equity of at least, percent", foreclosure_filter: "Foreclosure", exclude_counties: "Not in counties", exclude_holders: "Not of holders",
  exclude_filing_types: "Not of types", exclude_categories: "Not of categories", ids: "IDs of filings", has_coordinates: "On the map",
};

/** A name of the API, min_amount or filingDate, as a label. */
export function label(name) {
  if (labels[name]) return labels[name];
  const words = name.replace(/^(min|max)_/, "$1imum ").replaceAll("_", " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b(id|ai)\b/gi, (w) => w.toUpperCase());
}

const coded = ["categories", "propertyClassification"]; // fields with values such as multi_family

/** A field of a filing as text; a dash where the record lacks it. */
export function value(name, v) {
  if (v === null || v === undefined || v.length === 0) return "–";
  if (Array.isArray(v)) return v.map((each) => value(name, each)).join(", ");
  if (coded.includes(name) && /^[a-z_]+$/.test(v)) return label(v);
  if (isMoney(name) && typeof v === "number") return dollars.format(v);
  return String(v);
}

/** Whether a field is in dollars: the names of all that are end like this. */
export const isMoney = (name) => /(Amount|Value|Price|Estimate)$/.test(name);
