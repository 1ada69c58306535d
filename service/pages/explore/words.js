// The page's own words for filters, and for what the service says of them.

import { label } from "./format.js";

const helps = {
  county: "As in Orange, FL.", city: "As addresses have it.", owner: "In any spelling.", holder: "Who holds the filing.",
  filing_type: "As counties write it.", filing_types: "One or more, with commas between.", exclude_filing_types: "One or more, with commas between.",
  exclude_counties: "One or more, with semicolons between.", exclude_holders: "One or more, with semicolons between.",
  date_start: "This day and later.", date_end: "This day and earlier.", month: "As in 2026-01.", date_range: "As in 30.",
  min_amount: "In dollars, as in 5,000.", max_amount: "In dollars, as in 5,000.", min_acres: "Of the lot.", max_acres: "Of the lot.",
  min_current_amount: "In dollars, as in 5,000.", max_current_amount: "In dollars, as in 5,000.",
  categories: "Any of those that are ticked.", exclude_categories: "None of those that are ticked.",
  near: "Latitude and longitude, or draw a circle on the map.", radius: "Up to 100,000.", polygon: "Draw a region on the map.",
  property_type: "As in residential.", min_equity_percent: "Of the estimated value.", has_property_data: "Only filings whose property is described.",
  has_coordinates: "Whether the map can show it.", foreclosure_filter: "Show: only those in foreclosure. Hide: only others.", ids: "One or more, with commas between.",
  state: "As in FL, with commas between.", zip: "Five digits, with commas between.", address: "With a house number.",
  added_since: "Added to this service on this day or later.", added_until: "Added to this service on this day or earlier.",
};

/** The help of a filter: of one that this page does not know, the service's, without names of its own. */
export const helpOf = ({ name, description }) => helps[name] ?? plainly(description.replace(/ (Example|Must be).*/, ""));

/** The service's messages in a reader's words. */
export function plainly(said) {
  return said.replaceAll("`", "").replace(/,? separated by commas,? or (the parameter )?repeated/gi, ", with commas between")
    .replace("must be a plain decimal number", "must be a number").replace("must be a name, which has a letter or digit", "must have a letter or a digit")
    .replace(/^q must/, "the search must").replace(/\b[a-z]+(_[a-z]+)+\b|\b[a-z]+[A-Z]\w*\b/g, (name) => label(name).toLowerCase());
}
