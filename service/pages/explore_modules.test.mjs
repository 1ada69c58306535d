// The explorer's modules without a browser: node --test. TestExplore_Modules copies them beside this file and runs it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hashOf, readHash } from "./address.js";
import { Cells } from "./cells.js";
import { chipsOf, sentenceOf } from "./chips.js";
import { choose, isChosen, lastDay, others, plain, unitOf } from "./facets.js";
import { added, apart, Groups } from "./groups.js";
import { label, value } from "./format.js";
import { anchorOf, find, languages, requestsOf, sectionsOf } from "./guide.js";
import { barsOf, chosenOf, daysOf } from "./strip.js";
import { begins, isKey, suggestionsFor } from "./suggest.js";
import { helpOf, plainly } from "./words.js";

test("a chip for each filter, and each leaves the others when it goes", () => {
  const where = { county: "Orange, FL", filing_types: "Tax Lien,Lis Pendens", min_amount: "5000", date_start: "2026-01-01", date_end: "2026-03-31", q: "maple", near: "28.5,-81.4", radius: "1500" };
  const chips = chipsOf(where);
  assert.deepEqual(chips.map(({ text }) => text), ["County: Orange, FL", "Tax Lien", "Lis Pendens", "$5,000 or more", "Contains “maple”",
    "Recorded 2026-01-01 to 2026-03-31", "Within 1,500 m of 28.5,-81.4"]);
  assert.deepEqual(chips[1].changes, { filing_types: "Lis Pendens" });
  assert.deepEqual(chips[5].changes, { date_start: "", date_end: "" });
  assert.equal(sentenceOf({}), "All filings");
  assert.deepEqual(chipsOf({ owner: "HALE, ANN;Oak LLC" }).map(({ text }) => text), ["Owner: HALE, ANN", "Owner: Oak LLC"]);
  assert.deepEqual(chipsOf({ county: "Lee, FL;Orange, FL" }).map(({ changes }) => changes.county), ["Orange, FL", "Lee, FL"]);
});

test("no chip has a word of the API in it", () => {
  for (const name of ["exclude_filing_types", "has_property_data", "min_equity_percent", "foreclosure_filter", "date_range", "max_amount"]) {
    for (const { text } of chipsOf({ [name]: "true" })) assert.doesNotMatch(text, /_/);
  }
});

test("a filter of whole months leaves the other months to choose from; one of days does not", () => {
  assert.deepEqual(others("month", { county: "Lee, FL", date_start: "2026-02-01", date_end: "2026-02-28" }), { county: "Lee, FL" });
  const days = { date_start: "2026-02-03" };
  assert.equal(others("month", days), days);
  assert.equal(lastDay("2024-02"), "2024-02-29");
  assert.ok(isChosen("month", "2026-02", { date_start: "2026-01-01", date_end: "2026-02-28" }));
  assert.ok(!isChosen("month", "2026-03", { date_start: "2026-01-01", date_end: "2026-02-28" }));
  assert.deepEqual(choose("month", "2026-02", { date_start: "2026-01-01" }), { month: "2026-02", date_start: "", date_end: "" });
});

test("days of two months are chosen among all days of these", () => {
  for (const where of [{ month: "2026-02" }, { date_start: "2026-01-31", date_end: "2026-02-01" }, { date_start: "2025-12-03", date_end: "2026-01-31" }, { date_range: "30" }]) assert.equal(unitOf(where), "day");
  for (const where of [{}, { date_start: "2026-02-01" }, { date_end: "2026-02-01" }, { date_start: "2026-01-31", date_end: "2026-03-01" }, { date_range: "90" }, { month: "2026-02", date_start: "2026-01-01" }]) assert.equal(unitOf(where), "month");
  const days = { county: "Lee, FL", date_start: "2026-01-20", date_end: "2026-02-03" };
  assert.deepEqual(others("day", days), { county: "Lee, FL", date_start: "2026-01-01", date_end: "2026-02-28" });
  assert.deepEqual(others("day", { date_range: "30" }), { date_range: "30" });
  assert.deepEqual(["2026-01-19", "2026-01-20", "2026-02-03", "2026-02-04"].map((day) => isChosen("day", day, days)), [false, true, true, false]);
  assert.ok(isChosen("day", "2026-02-28", { month: "2026-02" }) && !isChosen("day", "2026-03-01", { month: "2026-02" }));
});

test("a county is chosen under each of its spellings, and in a list", () => {
  for (const county of ["Orange, FL", "orange county fl", "Orange", "Lee, FL; orange, fl"]) assert.ok(isChosen("county", "Orange, FL", { county }), county);
  assert.ok(!isChosen("county", "Orange, FL", { county: "Orange, CA" }));
  assert.equal(plain("Saint Mary Parish, LA"), "saint mary la");
});

const cells = [
  { key: ["Tax Lien", "2026-01"], filings: 3, sum: 10.1 }, { key: ["Tax Lien", "2026-02"], filings: 2, sum: 20.2 },
  { key: ["Lis Pendens", "2026-02"], filings: 4, sum: null }, { key: [null, null], filings: 1, sum: 5 },
];

test("a table of two kinds is both kinds of groups, each under the filter of the other", () => {
  const kinds = ["filing_type", "month"];
  const all = apart(cells, kinds, {});
  assert.deepEqual(all.filing_type.groups, [{ key: "Tax Lien", filings: 5, sum: 30.3 }, { key: "Lis Pendens", filings: 4, sum: null }, { key: null, filings: 1, sum: 5 }]);
  assert.equal(all.month.total, 3);
  const typed = apart(cells, kinds, { filing_types: "tax lien" });
  assert.deepEqual(typed.month.groups.map(({ key, filings }) => [key, filings]), [["2026-01", 3], ["2026-02", 2]]);
  assert.equal(typed.filing_type.groups[0].filings, 5);
  assert.deepEqual(apart(cells, kinds, { month: "2026-02" }).filing_type.groups.map(({ key }) => key), ["Lis Pendens", "Tax Lien"]);
  assert.equal(apart(cells, kinds, { filing_types: "a spelling that only the service knows" }), null);
});

test("writings of one value are one group, under the most frequent writing", () => {
  const rows = ["O’Brien", "o'brien", "O\u00adBrien", "O'BRIEN – Smith", "O’Brien - Smith", "constructor", null].map((key) => [key, 1, null]);
  assert.deepEqual(added(rows).groups.map(({ key, filings }) => [key, filings]),
    [["O'BRIEN – Smith", 2], ["O’Brien", 2], ["O\u00adBrien", 1], ["constructor", 1], [null, 1]]);
  assert.equal(added([...rows, ["o'brien", 1, null]]).groups[0].key, "o'brien");
  assert.ok(isChosen("holder", "O’Brien", { holder: " o'brien " }));
});

test("what one of two kinds filters costs nothing; too large a table is asked for in two", async () => {
  const sent = [];
  let total = 3;
  const groups = new Groups(async (_, path, parameters) => {
    sent.push(parameters.by);
    return { data: cells.map(({ key, filings, sum }) => ({ filing_type: key[0], month: key[1], filings, filingAmount: { count: sum === null ? 0 : 1, sum } })), meta: { groups: total } };
  });
  const kinds = ["filing_type", "month"];
  await groups.pair(kinds, { county: "Lee, FL" });
  await groups.by("filing_type", { county: "Lee, FL" });
  await groups.pair(kinds, { county: "Lee, FL", filing_types: "Tax Lien" });
  await groups.pair(kinds, { county: "Lee, FL", date_start: "2026-01-01", date_end: "2026-01-31" });
  assert.deepEqual(sent, ["filing_type,month"]);
  const few = await groups.pair(kinds, { county: "Kenedy, TX" }, null, [{ filingType: "HOA Lien", filingDate: "2026-03-04", filingAmount: 7 }]);
  assert.deepEqual(few.month, { groups: [{ key: "2026-03", filings: 1, sum: 7 }], total: 1 });
  assert.equal(sent.length, 1);
  total = 9;
  await groups.pair(kinds, { county: "Orange, FL" });
  await groups.pair(kinds, { county: "Pinellas, FL" });
  assert.deepEqual(sent.slice(1), ["filing_type,month", "filing_type", "month", "filing_type", "month"]);
});

test("filings that are all here are a table too, in which days can be chosen", async () => {
  const groups = new Groups(() => assert.fail("nothing is asked for"));
  const kinds = ["filing_type", "day"], filing = (filingType, filingDate) => ({ filingType, filingDate, filingAmount: null });
  const rows = [filing("Tax Lien", "2026-02-02"), filing("Tax Lien", "2026-02-04"), filing("HOA Lien", "2026-02-27")];
  await groups.pair(kinds, { county: "Kenedy, TX", date_start: "2026-02-01", date_end: "2026-02-28" }, null, rows);
  const few = await groups.pair(kinds, { county: "Kenedy, TX", date_start: "2026-02-03", date_end: "2026-02-28" }, null, rows.slice(1));
  assert.deepEqual(few.day.groups.map(({ key }) => key), ["2026-02-02", "2026-02-04", "2026-02-27"]);
  assert.deepEqual(few.filing_type.groups.map(({ key, filings }) => [key, filings]), [["HOA Lien", 1], ["Tax Lien", 1]]);
  const other = await groups.pair(kinds, { county: "Lee, FL", date_start: "2026-02-03", date_end: "2026-02-28" }, null, rows.slice(2));
  assert.deepEqual(other.day.groups.map(({ key }) => key), ["2026-02-27"]);
});

test("bars of time have no gaps, and are years where months are many", () => {
  const bars = barsOf([{ key: "2026-01", filings: 1, sum: 2 }, { key: null, filings: 9, sum: null }, { key: "2025-11", filings: 3, sum: null }]);
  assert.deepEqual(bars.map(({ key, filings }) => [key, filings]), [["2025-11", 3], ["2025-12", 0], ["2026-01", 1]]);
  const years = barsOf([{ key: "1999-12", filings: 1, sum: 1 }, { key: "2026-01", filings: 1, sum: 1 }, { key: "2026-05", filings: 2, sum: 1 }]);
  assert.deepEqual([years.length, years[0].key, years.at(-1)], [28, "1999", { key: "2026", filings: 3, sum: 2 }]);
  assert.deepEqual(barsOf([]), []);
  const days = barsOf([{ key: "2026-03-02", filings: 2, sum: 1 }, { key: null, filings: 1, sum: 1 }, { key: "2026-02-27", filings: 1, sum: null }]);
  assert.deepEqual(days.map(({ key, filings }) => [key, filings]), [["2026-02-27", 1], ["2026-02-28", 0], ["2026-03-01", 0], ["2026-03-02", 2]]);
  assert.deepEqual(daysOf("2026-02-28", "2026-03-01"), { date_start: "2026-02-28", date_end: "2026-03-01" });
  assert.deepEqual(chosenOf(days, { date_start: "2026-02-28", date_end: "2026-03-01" }), [1, 2]);
  assert.deepEqual(chosenOf(days, { month: "2026-02" }), [0, 1]);
  assert.deepEqual(daysOf("2025-12", "2026-02"), { date_start: "2025-12-01", date_end: "2026-02-28" });
  assert.deepEqual(daysOf("1999", "2000"), { date_start: "1999-01-01", date_end: "2000-12-31" });
  assert.deepEqual(chosenOf(bars, { date_start: "2025-12-01" }), [1, 2]);
  assert.deepEqual(chosenOf(bars, { month: "2025-12" }), [1, 1]);
  assert.deepEqual(chosenOf(bars, {}), [0, 2]);
});

test("the box completes by kind", () => {
  assert.ok(begins("Doña Ana, NM", "dona"));
  assert.ok(begins("THISTLEBANK REAL ESTATE", "real thist"));
  assert.ok(!begins("Orange, FL", "range"));
  const known = { county: [{ key: "Orange, FL", filings: 9 }, { key: "Lee, FL", filings: 1 }], holder: [{ key: "Orange Fund", filings: 2 }] };
  const rows = [{ owner: "ORANGEWOOD LLC", propertyAddress: "1 Orange St" }, { owner: "ORANGEWOOD LLC", propertyAddress: "2 Elm St" }];
  assert.deepEqual(suggestionsFor("orang", known, rows).map(({ kind, value }) => `${kind} ${value}`),
    ["county Orange, FL", "holder Orange Fund", "owner ORANGEWOOD LLC", "address 1 Orange St"]);
});

test("a key is a key however it is pasted", () => {
  for (const text of ["ak_live_0123", "AK_live", " X-API-Key: ak_live_00", "Bearer ak_", "“ak_live_12”"]) assert.ok(isKey(text), text);
  for (const text of ["maple", "oak_ridge", "AK", "peak_1"]) assert.ok(!isKey(text), text);
});

test("an address brings a view back", () => {
  const state = { map: { zoom: 5, lat: 28.5, lng: -81.3 }, inView: true, offset: 100, filing: "88", filters: { county: "Orange, FL" } };
  assert.deepEqual(readHash(hashOf(state)), state);
});

test("labels and values read as people write", () => {
  assert.equal(label("min_amount"), "Minimum amount");
  assert.equal(label("filingHolder"), "Holder");
  assert.equal(value("filingAmount", 5), "$5.00");
  assert.equal(value("owner", null), "–");
  assert.equal(value("categories", ["multi_family", "land"]), "Multi family, Land");
  assert.equal(value("propertyClassification", "R-2 Multi"), "R-2 Multi");
  assert.equal(value("owner", "multi_family"), "multi_family");
});

test("what the service says is said in a reader's words", () => {
  assert.equal(plainly('min_amount must be a plain decimal number, not "much"'), 'minimum amount must be a number, not "much"');
  assert.equal(plainly("owner must be a name, which has a letter or digit"), "owner must have a letter or a digit");
  assert.equal(plainly("q must have at most 200 characters"), "the search must have at most 200 characters");
  assert.equal(helpOf({ name: "brand_new", description: "Of `filingAmount`, separated by commas or repeated. Example: 1." }), "Of amount, with commas between.");
});

test("a sample of requests alone is there in other languages", () => {
  const requests = requestsOf(`curl -H "X-API-Key: $KEY" -H 'Accept: application/geo+json' \\\n  'https://localhost:8443/v1/filings?q="a"'\n`);
  assert.deepEqual(requests, [{ url: 'https://localhost:8443/v1/filings?q="a"', headers: { "X-API-Key": "$KEY", Accept: "application/geo+json" } }]);
  assert.match(languages.Python(requests), /requests\.get\("https:\/\/localhost:8443\/v1\/filings\?q=\\"a\\"",\n {4}headers=\{"X-API-Key": os\.environ\["KEY"\], "Accept"/);
  assert.match(languages.JavaScript(requests), /process\.env\.KEY/);
  for (const other of ["curl -o file 'https://x/'", "make run", "curl -H \"X-API-Key: $KEY\" 'https://x/' | jq ."]) assert.equal(requestsOf(other), null, other);
});

test("the guide's search has sections with titles first, and no heading of a sample", () => {
  const sections = sectionsOf("# Maps\nall\n## Regions of `near`\ncircles\n```sh\n# comment\n```\n# Filters\nA region is a filter.\n");
  assert.deepEqual(sections.map(({ title, heading }) => `${title}/${heading}`), ["Maps/", "Maps/Regions of near", "Filters/"]);
  assert.deepEqual(find(sections, "region").map(({ title }) => title), ["Maps", "Filters"]);
  assert.deepEqual(find(sections, "region nowhere"), []);
  assert.equal(anchorOf("Regions of near"), "regions-of-near");
});

test("cells of earlier filters say where filings are of filters that select no others", async () => {
  const view = { zoom: 6, left: 0.2, right: 0.4, top: 0.3, bottom: 0.5 };
  const asks = async (...filters) => {
    const sent = [], cells = new Cells((generation, where, name) => sent.push(name) && new ArrayBuffer(0), () => {});
    for (const [i, where] of filters.entries()) {
      cells.use("g", where);
      if (!i) cells.learnWorld({ cells: [], precision: 6 }); // none of the first ones is anywhere
    }
    await cells.load(view, new AbortController().signal);
    return sent.length > 0;
  };
  const lee = { county: "Lee, FL" }, tax = { filing_type: "Tax Lien" }, types = { filing_types: "HOA Lien" };
  for (const filters of [[lee, { ...lee, ...tax }], [lee, { ...lee, ...types }, { ...lee, ...types, q: "elm" }], [tax, { ...tax, ...lee }]]) {
    assert.ok(!(await asks(...filters)), JSON.stringify(filters));
  }
  for (const filters of [[lee, tax], [tax, { ...tax, ...types }], [types, { ...types, ...tax }], [lee, {}], [{ ...lee, q: "elm" }, { ...lee, q: "elms" }]]) {
    assert.ok(await asks(...filters), JSON.stringify(filters));
  }
});
