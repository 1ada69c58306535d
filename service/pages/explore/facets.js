// What filings are grouped by, and the filters that a group of each kind sets.

/** The filters of each kind of group, which its groups leave out: so the other values stay there to choose from. */
const own = {
  county: ["county"],
  city: ["city"],
  filing_type: ["filing_type", "filing_types"],
  holder: ["holder"],
  owner: ["owner"],
  day: ["month", "date_start", "date_end"],
  month: ["month", "date_start", "date_end"],
  property_classification: ["property_type"],
};

/** Filters without those of a kind of group. */
export function others(by, where) {
  if (by === "month" && !monthsOf(where)) return where; // months cannot tell which days are chosen
  const days = by === "day" && windowOf(where);
  if (days === null) return where;
  return { ...Object.fromEntries(Object.entries(where).filter(([name]) => !own[by].includes(name))), ...days };
}

/** Whether filters choose among the groups of a kind. */
export const isFiltered = (by, where) => own[by].some((name) => where[name]);

/** The first and last month that filters choose: [first, last], "" for no end; null where they choose other days. */
function monthsOf({ month, date_start = "", date_end = "" }) {
  if (month) return date_start || date_end ? null : [month, month];
  const whole = (!date_start || date_start.endsWith("-01")) && (!date_end || date_end === lastDay(date_end.slice(0, 7)));
  return whole ? [date_start.slice(0, 7), date_end.slice(0, 7)] : null;
}

/** The first and last day that filters choose. */
export const daysIn = ({ month, date_start = "", date_end = "9999" }) => (month ? [`${month}-01`, lastDay(month)] : [date_start, date_end]);

/** The one or two months of the days that filters choose, as filters; null where these are of more months. */
function windowOf({ month = "", date_start = month, date_end = month }) {
  const [first, last] = [date_start, date_end].map((day) => day.slice(0, 7));
  const isShort = Date.parse(last) - Date.parse(first) <= 31 * 86_400_000 && (!month || first === last);
  return isShort ? { date_start: `${first}-01`, date_end: lastDay(last) } : null;
}

/** The unit by which filings are grouped over time: days where filters choose some two months, else months. */
export const unitOf = (where) => (windowOf(where) || where.date_range <= 62 ? "day" : "month");

/** The last day of a month. */
export const lastDay = (month) => new Date(Date.UTC(month.slice(0, 4), month.slice(5, 7), 0)).toISOString().slice(0, 10);

/** A text as the service compares it: a ’ is a ', a – is a -, and nothing invisible counts. */
export const folded = (text) => text.replace(/['`´‘’ʻʼ′]/g, "'").replace(/\p{Dash}/gu, "-").replace(/\p{Cf}/gu, "").normalize("NFC").toLowerCase().normalize("NFC");

/** A county's name as the service compares it: Orange County, FL is orange fl, and so is orange ,fl. */
export const plain = (county) => folded(county).replaceAll(",", " ").trim().replace(/\s+/g, " ").replace(/ (county|parish|borough)(?=( ..)?$)/, "");

/** Whether filters select a group by name. A county's name without its state is every county of that name. */
export function isChosen(by, key, where) {
  const same = (value) => folded(value.trim()) === folded(key);
  switch (by) {
    case "county":
      return (where.county ?? "").split(";").some((one) => [key, key.replace(/, ..$/, "")].some((name) => plain(name) === plain(one)));
    case "filing_type":
      return same(where.filing_type ?? "") || listed(where).some(same);
    case "day": {
      const [first, last] = daysIn(where);
      return key >= first && key <= last;
    }
    case "month": {
      const [first, last] = monthsOf(where) ?? ["-", "-"];
      return (first || last) && key >= first && (!last || key <= last);
    }
  }
  return same(where[by] ?? "");
}

/** The filters that change when a group is chosen, or is not any more: names and values, "" for none. */
export function choose(by, key, where) {
  const chosen = isChosen(by, key, where);
  if (by === "month") {
    const only = chosen && monthsOf(where).every((month) => month === key);
    return { month: only ? "" : key, date_start: "", date_end: "" };
  }
  if (by !== "filing_type") return { [by]: chosen ? "" : key };
  const rest = listed(where).filter((value) => folded(value) !== folded(key));
  if (chosen) {
    const single = folded(where.filing_type ?? "") === folded(key) ? "" : (where.filing_type ?? "");
    return { filing_type: single, filing_types: rest.join(",") };
  }
  if (key.includes(",")) return { filing_type: key }; // a list would take it for two
  return { filing_types: [...rest, key].join(",") };
}

const listed = ({ filing_types = "" }) => filing_types.split(",").map((value) => value.trim()).filter(Boolean);
