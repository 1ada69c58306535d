// The page: the key, the filters and the map's view ask; the map, the table and the panels show what is answered.
//
// Every request counts, for a free key for life. So the page asks after a pause, asks only for what it does not have, and
// opens a filing of the table without asking. What the map shows comes from tiles, of which it needs each once.

import { showAccount, showTrouble, showWait } from "./account.js";
import { hashOf, readHash, stepOf } from "./address.js";
import { address, Client } from "./api.js";
import { around, Cells } from "./cells.js";
import { showChips } from "./chips.js";
import { Details } from "./details.js";
import { one } from "./dom.js";
import { choose } from "./facets.js";
import { Filters, fold } from "./filters.js";
import { Fresh } from "./fresh.js";
import { FilingsMap } from "./map.js";
import { meantOf, nearOf, showMeant } from "./meant.js";
import { mostPrinted, writeHead } from "./paper.js";
import { Requests } from "./requests.js";
import { Results } from "./results.js";
import { Search } from "./search.js";
import { Side } from "./side.js";
import { isKey } from "./suggest.js";
import { View } from "./view.js";
import { world } from "./world.js";

const pageSize = 100; // the most that one request brings
const pause = 300, typing = 700; // ms without a further change before the service is asked

const client = new Client(showWait);
const map = new FilingsMap(one("#map"), { moved, opened: (id) => details.open(id), chosen: openCell, drawn: change });
const tiles = new Cells(loadTile, drawCells);
const details = new Details({ get, chosen, related: { only, count }, failed: (failure, again) => trouble("filing", failure, again) });
const results = new Results({ opened: (id) => details.open(id), turned: (pages) => turn(offset + pages * pageSize), sorted: (column) => search.sortBy(column), listed: listUnplaced });
const fresh = new Fresh({ load: reload, counties: openCounties, look: () => client.look().then(counted) });
const requests = new Requests(one("#requests"));
const side = new Side({ get, stream, opened: askGroups, chosen: change, failed: trouble });
const view = new View(() => view.map && later(0));
const inView = one("#in-view");

let filters, search; // made once the OpenAPI document is there
let where = {}; // the filters that are asked for, the term q among them
let found = null; // what they select: { total, all, placed }, placed undefined until the map needs it; null: to be asked
let offset = 0;
let rows = false, cells = false; // whether the table and the map show what is asked for
let glancing = false; // the reader still types: of what they type the table alone is asked, which is one request
let page = null; // the list that the table shows
let names = null; // a promise of the names of all counties
let every = []; // these names
const counts = new Map(); // promises of how many filings a filter selects, by its name and value
let shownPlace = placeOf({}); // the county and city that the map has gone to
let going = false; // the map is going there
let filing = ""; // the id of the open one
let asking = new AbortController(); // ends when something else is asked
let reading = new AbortController(); // of what no other question ends: ends with the key
let timer = 0; // 0: nothing is waited for
let settled = false; // the reader has seen what the address says: what comes next is a step of its own, to go back by

/** The map shows something else. */
function moved() {
  if (!filters) return; // the page is still being made
  cells = false;
  drawCells();
  if (inView.checked) {
    [rows, offset] = [false, 0];
    results.wait();
    side.download.offer(null);
  }
  const finding = !found && !timer && isBusy();
  if (going || finding) remember(); // what is in view is asked for next
  else later(pause);
}

/** Other filters are set; typed: by a value that may not be whole yet. */
function filtered(delay, from = 0, typed = false) {
  const entered = glancing && !typed;
  glancing = typed;
  const values = Object.fromEntries(Object.entries({ ...filters.values, q: search.term }).filter(([, value]) => value && !isKey(value)));
  if (JSON.stringify(values) === JSON.stringify(where)) return (timer || entered) && later(entered ? 0 : delay);
  where = values;
  showChips(where, change);
  one("main").classList.toggle("glancing", typed);
  map.showRegions(where);
  [found, rows, cells, offset] = [null, false, false, from];
  details.reset();
  results.wait();
  side.download.offer(null);
  later(delay);
}

/** Sets other filters; the rest stay. */
function change(changes) {
  filters.values = { ...filters.values, ...changes };
  if ("q" in changes) search.values = { ...search.order, q: changes.q };
  filtered(pause);
}

/** Asks after a pause, without what is under way, which would be out of date. The address says at once what is asked. */
function later(delay) {
  remember();
  asking.abort();
  clearTimeout(timer);
  busy(client.ready);
  timer = setTimeout(ask, delay);
}

/** Loads what is shown anew, of the data that is live now. */
function reload() {
  [found, rows, cells, names] = [null, false, false, null];
  client.renew();
  counts.clear();
  side.groups.forget();
  details.reset();
  later(0);
}

/** Opens the counties. */
async function openCounties() {
  const { signal } = reading;
  try {
    fresh.open((await get("coverage", "v1/coverage", {}, signal)).data);
    trouble("coverage", null);
  } catch (failure) {
    if (!signal.aborted) trouble("coverage", failure, openCounties);
  }
}

/** Sets a filter in place of all others. */
function only(filter) {
  details.close();
  search.values = { ...search.order };
  filters.values = {};
  picked(...Object.entries(filter)[0]);
}

/** How many filings a filter selects: a number or a promise; null where nobody knows yet and it is not asked for. */
function count(name, value, asked) {
  const key = `${name} ${value}`, total = side.groups.total(name, value);
  if (total !== null) return total;
  if (!counts.has(key)) {
    if (!asked && (name !== "owner" || client.account?.tier === "free")) return null;
    const [path, filter] = name === "address" ? ["v1/filings/search", "q"] : ["v1/filings", name]; // the filter of addresses refuses one without a house number
    const answer = get("count", path, { [filter]: value, limit: 1 }, reading.signal).then(({ pagination }) => pagination.total);
    counts.set(key, answer.catch(() => counts.delete(key) && null));
  }
  return counts.get(key);
}

/** Asks for all that the page does not have. */
async function ask() {
  clearTimeout(timer);
  timer = 0;
  asking.abort();
  if (!client.ready || !filters) return;
  const { signal } = (asking = new AbortController());
  busy(true);
  const before = client.used;
  try {
    if (!found) await find(signal);
    await askRows(signal);
    search.suggest(page.data);
    if (!glancing) {
      one("main").classList.remove("glancing");
      await askAll(signal);
      await askCells(signal);
    }
    trouble("list", null);
    settled = true;
    if (!glancing) await Promise.all([side.showFacets(selected(), complete()), side.showGroups(selected())]);
    if (client.used > before) client.cost = client.used - before;
    counted();
  } catch (failure) {
    if (signal.aborted) return; // something else is being asked
    asking.abort(); // the other one
    if (failure.status === 410) { // the tiles are of a generation that is gone: the list tells the next one
      [found, rows] = [null, false];
      client.renew();
      return ask();
    }
    clear();
    trouble("list", failure, ask);
  }
  if (asking.signal === signal && !timer) busy(false);
}

/** Asks what the filters select, wherever it is. */
async function find(signal) {
  const [name, from] = inView.checked ? ["all", 0] : ["list", offset];
  const list = await getRows(name, { offset: from || "" }, signal);
  if (!inView.checked) showPage(list);
  const plainly = list.meta.corrected ? { data: [], pagination: { total: 0 } } : list; // the map knows nothing of misspelled words
  tiles.use(client.generation, where);
  const placed = where.has_coordinates === "false" ? 0 : undefined;
  found = { total: plainly.pagination.total, list: plainly, generation: client.generation, placed };
}

/** Asks for all filings where they are few: no more requests than groups and tiles take, which would say less. */
async function askAll(signal) {
  const { total, list } = found, pagesAtMost = inView.checked ? 1 : view.map ? 3 : 2;
  if (found.all || total > pageSize * pagesAtMost) return;
  const all = list.data.length === total ? list.data : await getPages(total, signal);
  if (client.generation !== found.generation) return; // newer data came meanwhile: the pages are of two generations
  found.all = all;
  details.learn(all);
  tiles.learnFilings(all);
}

/** Asks where it is, and goes there when the filters name another place. */
async function locate(signal) {
  if (!found.all) tiles.learnWorld((await get("places", "v1/filings/clusters", { ...where, ...world, generation: found.generation }, signal)).data);
  const { count: placed, boxes } = tiles.whole, place = placeOf(where);
  found.placed = placed;
  if (!isRegion()) counts.set(unplacedOf(where), found.total - placed);
  if (place !== shownPlace && placed) {
    going = true;
    map.show(boxes);
    going = false;
  }
  shownPlace = place;
}

async function askRows(signal) {
  const bounds = inView.checked ? map.bounds : {};
  if (!rows) showPage(await getRows("list", { ...bounds, offset: offset || "" }, signal));
  if (found.others === undefined && !glancing && isRegion()) found.others = await countUnplaced(signal);
  results.showPlaced(found, inView.checked);
}

const isRegion = () => Boolean(where.near || where.polygon);

const unplacedOf = (where) => `unplaced ${JSON.stringify(where)}`;

/** How many filings of the filters without their region have no place: they could lie in it. */
async function countUnplaced(signal) {
  const { near, radius, polygon, ...rest } = where, name = unplacedOf(rest);
  if (!counts.has(name)) counts.set(name, (await get("unplaced", listPath(), { ...rest, has_coordinates: false, limit: 1 }, signal)).pagination.total);
  return counts.get(name);
}

/** Lists the filings that have no place, in or out of the region. */
function listUnplaced() {
  change({ near: "", radius: "", polygon: "", has_coordinates: "false" });
}

async function askCells(signal) {
  if (cells || !view.map) return;
  const isHere = placeOf(where) === shownPlace && tiles.holdsAll(map.extent); // what is in view says how many have a place
  if (found.placed === undefined && (found.all || !isHere)) await locate(signal);
  if (found.placed !== 0) await tiles.load(map.extent, signal);
  found.placed ??= tiles.at(map.extent).reduce((sum, { count }) => sum + count, 0);
  results.showPlaced(found, inView.checked);
  drawCells();
  cells = true;
}

/** Draws what is known of what is in view. */
function drawCells() {
  map.draw(tiles.at(map.extent));
}

function loadTile(generation, where, tile, signal) {
  const path = `v1/tiles/${generation}/${tile}.mvt`;
  requests.show("map", address(path, where));
  return client.keep(path, where, signal).finally(counted);
}

/** All filings that are selected, where they are here; else null. */
const complete = () => (!inView.checked ? found.all : page?.data.length === page?.pagination.total && page.data) || null;

/** The filters, with the map's view where only that shows. */
const selected = () => ({ ...where, ...(inView.checked && map.bounds) });

/** A term is searched for, also misspelled where the generation knows its words; without one there is the list. */
async function getRows(name, parameters, signal, typos = where.q ? "auto" : "") {
  try {
    return await get(name, listPath(), { ...where, ...search.order, limit: pageSize, ...parameters, typos }, signal);
  } catch (failure) {
    if (!typos || !failure.message?.includes("before owners were kept")) throw failure;
    return getRows(name, parameters, signal, "");
  }
}

/** All filings of the list, in its order: a page that is here costs nothing. */
async function getPages(total, signal) {
  const starts = Array.from({ length: Math.ceil(total / pageSize) }, (_, page) => page * pageSize);
  return (await Promise.all(starts.map((from) => getRows("more", { offset: from || "" }, signal)))).flatMap(({ data }) => data);
}

const listPath = () => (where.q ? "v1/filings/search" : "v1/filings");

/** Asks for the groups; while the rest is asked for, they come after it. */
function askGroups() {
  if (client.ready && !isBusy()) return Promise.all([side.showGroups(selected()), found && side.showFacets(selected(), complete())]);
}

async function get(name, path, parameters, signal) {
  requests.show(name, address(path, parameters));
  return client.get(path, parameters, signal).finally(counted);
}

async function stream(path, parameters, signal, price) {
  requests.show("export", address(path, parameters));
  return client.stream(path, parameters, signal, price).finally(counted);
}

/** Shows what a request has cost. */
function counted() {
  requests.showUsed(client.used);
  showAccount(client);
  fresh.show(found?.generation ?? "", client.generation);
  side.download.showLeft(client.account?.remaining ?? 0);
}

function showPage(list) {
  const { data, pagination: { total } } = list;
  if (total && !data.length) return turn(total - 1 - (total - 1) % pageSize); // an older link, to a page that is not there any more
  page = list;
  details.learn(data);
  results.showPage(list, search.columns, inView.checked, where.q);
  const meant = list.meta.corrected && total ? meantOf(where.q, list) : null;
  showMeant(meant ?? nearOf(list.meta.unmatched), change);
  side.download.offer(meant ? null : { total, parameters: selected() }); // a file has what the term finds
  results.select(filing);
  rows = true;
}

/** Zooms in to where a cell falls apart, or opens the list of its filings where nothing takes them apart. */
function openCell(cell) {
  const locate = async (signal) => {
    const bbox = cell.bbox ?? around((await get("cell", "v1/filings/clusters", { ...where, ...cell.bounds, zoom: map.view.zoom }, signal)).data.cells);
    return bbox && !map.split({ bbox }) ? { ...cell, bbox } : null;
  };
  details.openPlace(locate, ({ bbox: [west, south, east, north] }) => { // its box holds no others
    const bounds = { bounds_north: north, bounds_south: south, bounds_east: east, bounds_west: west };
    return [listPath(), { ...where, ...search.order, ...bounds, limit: pageSize }];
  });
}

/** Another filing is open, or null. */
function chosen(opened) {
  filing = opened ? String(opened.id) : "";
  map.mark(opened);
  results.select(filing);
  remember();
  settled ||= !timer && !isBusy();
}

/** Says in the address what is asked for. Back goes back by what was seen, not by each letter and each move of the map. */
function remember() {
  const hash = hashOf({ map: map.view, inView: inView.checked, offset, filing, filters: { ...where, ...search.order } });
  if (!settled || stepOf(hash) === stepOf(location.hash)) return history.replaceState(null, "", hash);
  history.pushState(null, "", hash);
  settled = false;
}

function busy(is) {
  one("#busy").hidden = !is;
  one("#results").setAttribute("aria-busy", String(is));
}

function isBusy() {
  return one("#results").ariaBusy === "true";
}

/** Says what went wrong with what; null: nothing did. */
function trouble(what, failure, again) {
  showAccount(client);
  showTrouble(what, failure, again, anotherKey);
  for (const form of what === "list" ? [filters, search] : []) form?.mark(failure?.said ?? "");
  if (failure?.status === 401) forget();
}

function anotherKey() {
  one("#trouble").hidden = true;
  forget();
}

/** Forgets the key and everything that it has shown. */
function forget() {
  client.use("");
  asking.abort();
  reading.abort();
  reading = new AbortController();
  tiles.use("", {});
  [found, rows, cells, names, page] = [null, false, false, null, null];
  clear();
  filters?.forget();
  details.forget();
  side.forget();
  map.mark(null);
  busy(false);
  showAccount(client);
  counts.clear();
  every = [];
  fresh.hide();
  fresh.show("", "");
  requests.showUsed(0);
  one("#key-text").focus();
}

/** Takes away what the map and the table show, unless it is what is asked for. */
function clear() {
  if (!found) tiles.use("", {});
  if (!cells) map.draw([]);
  if (!rows) {
    showMeant(null);
    results.clear();
    side.download.offer(null);
  }
}

function applyHash() {
  const state = readHash(location.hash), order = JSON.stringify(search.order);
  filters.values = search.values = state.filters;
  settled = false;
  if (JSON.stringify(search.order) !== order || inView.checked !== state.inView || offset !== state.offset) rows = false;
  inView.checked = state.inView;
  filing = state.filing;
  if (state.map) {
    map.view = state.map;
    shownPlace = placeOf(state.filters);
  }
  offset = state.offset;
  filtered(pause, offset);
  if (!rows && !timer && client.ready) later(pause);
  if (!filing) details.close();
  else if (client.ready) details.open(filing);
  settled = rows && !timer;
}

function placeOf({ county = "", city = "" }) {
  return `${city}, ${county}`.toLowerCase();
}

one("#key").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = one("#key-text");
  const key = input.value.trim();
  input.value = "";
  useKey(key);
});

function useKey(key) {
  if (!/^[!-~]+$/.test(key)) return trouble("list", new Error("That isn’t an API key: a key is ak_live_ and 32 digits or letters a to f."));
  if (client.ready) forget();
  client.use(key);
  showAccount(client);
  one("#term").focus(); // the field of the key is gone
  ask();
  if (filing) details.open(filing);
  side.showUsage();
}

/** Puts the filings on paper: all of them, as many as are read. */
async function print() {
  const { signal } = reading, shown = page;
  if (!shown) return;
  const { data, pagination: { total } } = shown;
  try {
    const all = data.length === Math.min(total, mostPrinted) ? data
      : !inView.checked && found?.all?.length === total ? await getPages(total, signal)
      : (await getRows("print", { ...(inView.checked && map.bounds), cursor: "*", limit: mostPrinted }, signal)).data;
    trouble("print", null);
    results.showRows(all, search.columns, "");
    writeHead(where, total, all.length);
    window.print();
    if (page === shown) results.showPage(shown, search.columns, inView.checked, where.q);
    results.select(filing);
  } catch (failure) {
    if (!signal.aborted) trouble("print", failure, print);
  }
}

addEventListener("beforeprint", () => page && !one("#printed").children.length && writeHead(where, page.pagination.total, page.data.length));
addEventListener("afterprint", () => one("#printed").replaceChildren());
one("#print").addEventListener("click", print);

/** The names of all counties; asked for once. */
function counties() {
  if (!client.ready) return false;
  names ??= get("counties", "v1/counties", {}, reading.signal).then(({ data }) => data);
  names.catch(() => (names = null));
  return names;
}

/** The source of the search box's completions: groups of what is filtered, or all counties while there are none. */
function known() {
  const groups = side.known;
  return groups.county.length ? groups : { ...groups, county: every.map((key) => ({ key })) };
}

/** Learns all counties, where the groups do not have them: once. */
async function offerCounties() {
  if (every.length || side.known.county.length) return;
  const asked = counties();
  every = asked ? await asked.catch(() => []) : [];
  search.suggest([]);
}

/** Sets the filter that a suggestion is. */
function picked(kind, value) {
  change(kind === "address" ? { q: value } : { q: "", ...choose(kind, value, {}) });
}

one("#skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address holds what is shown
  one("#results .scroll").focus();
});
one("#forget").addEventListener("click", anotherKey);
inView.addEventListener("change", () => turn(0));
addEventListener("hashchange", applyHash);

function turn(to) {
  offset = Math.max(0, to);
  rows = false;
  busy(client.ready);
  remember();
  ask();
}

async function start() {
  fold(one("#filtering"));
  one("#filtering").addEventListener("toggle", askGroups);
  const described = fetch(address("openapi.json")).then((answer) => answer.json());
  const [openapi] = await Promise.all([described, map.drawLand()]);
  details.help = openapi.components.schemas.Filing.properties;
  const forms = { typed: () => filtered(typing, 0, true), chosen: () => filtered(pause) };
  search = new Search(openapi, { ...forms, sorted: () => turn(0), picked, keyed: useKey, known, counties: offerCounties });
  filters = new Filters(one("#filters"), openapi, {
    ...forms,
    counties,
    owners: async (q) => client.ready && !isKey(q) && (await get("owners", "v1/owners", { q, limit: 10 }, reading.signal)).data,
    values: async (kind) => client.ready && side.values(kind, where),
  });
  showAccount(client);
  applyHash();
}

start().catch(() => trouble("page", new Error("The page could not be loaded whole. Load it again.")));
