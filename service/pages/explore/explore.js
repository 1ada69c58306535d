// The page: the key, the filters and the map's view ask; the map, the table and the panel show what is answered.

import { address, Client } from "./api.js";
import { hashOf, readHash } from "./address.js";
import { one } from "./dom.js";
import { Panel } from "./filing.js";
import { Filters } from "./filters.js";
import { filings, label, number } from "./format.js";
import { FilingsMap } from "./map.js";
import { Requests } from "./requests.js";
import { Table } from "./table.js";

const pageSize = 25;
const pause = 300; // ms without a further change before the service is asked: every request counts

let filters, panel; // made once the OpenAPI document is there
const wide = matchMedia("(width >= 50rem)"); // as in page.css
const client = new Client();
const map = new FilingsMap(one("#map"), { moved: changed, opened: openFiling, listed: () => one("#table button")?.focus() });
const table = new Table(one("#table"), openFiling);
const requests = new Requests(one("#requests"));

let offset = 0;
let outdated = true; // the map's circles are not what is asked for
let filing = ""; // the id of the open one
let asking = new AbortController(); // ends when something else is asked
let opening = new AbortController();
let timer = 0;

/** Something else is to be shown: it is in the address at once, and asked for after a pause. */
function changed() {
  if (!filters) return; // the page is still being made
  history.replaceState(null, "", hashOf({ map: map.view, filing, filters: filters.values }));
  asking.abort(); // what is under way would be out of date
  clearTimeout(timer);
  offset = 0;
  outdated = true;
  busy(client.ready);
  timer = setTimeout(ask, pause);
}

/** Asks for the page of filings at offset and, if they are not what is drawn, for the cells. */
async function ask() {
  clearTimeout(timer);
  asking.abort();
  if (!client.ready || !filters) return;
  const { signal } = (asking = new AbortController());
  const where = { ...filters.values, ...map.bounds };
  busy(true);
  try {
    const [list, clusters] = await Promise.all([
      get("list", "v1/filings", { ...where, limit: pageSize, offset }, signal),
      outdated && get("map", "v1/filings/clusters", { ...where, zoom: map.view.zoom }, signal),
    ]);
    if (signal.aborted) return; // stale: something else is being asked
    if (clusters) map.draw(clusters.data.cells);
    outdated = false;
    showPage(list);
    trouble("list", null);
  } catch (failure) {
    if (signal.aborted) return;
    asking.abort(); // the other one
    clear(); // what is shown answers another question
    trouble("list", failure, ask);
  }
  if (asking.signal === signal) busy(false);
}

function get(name, path, parameters, signal) {
  requests.show(name, address(path, parameters));
  return client.get(path, parameters, signal);
}

function showPage({ data, pagination: { total, has_more } }) {
  table.show(data);
  table.select(filing);
  const range = `${number(offset + 1)}–${number(offset + data.length)}`;
  one("#status").textContent = total ? `${filings(total)} in view, shown: ${range}` : "No filings here. Zoom out, or clear a filter.";
  one("#previous").disabled = offset === 0;
  one("#next").disabled = !has_more;
}

/** Opens a filing in the panel. */
async function openFiling(id) {
  opening.abort();
  const { signal } = (opening = new AbortController());
  try {
    const { data } = await get("filing", `v1/filings/${id}`, {}, signal);
    if (signal.aborted) return;
    panel.show(data);
    map.mark(data);
    choose(id);
    trouble("filing", null);
  } catch (failure) {
    if (!signal.aborted) trouble("filing", failure, () => openFiling(id));
  }
}

/** Makes a filing the open one; none for "". */
function choose(id) {
  filing = id;
  table.select(id);
  history.replaceState(null, "", hashOf({ map: map.view, filing, filters: filters.values }));
}

function busy(is) {
  one("#busy").hidden = !is;
  one("#results").setAttribute("aria-busy", String(is));
}

/** Says what went wrong with what, and offers to try again, if that may help; null: nothing did. */
function trouble(what, failure, again) {
  showAccount();
  const place = one("#trouble");
  if (!failure && place.dataset.what !== what) return; // something else did
  place.dataset.what = what;
  place.hidden = !failure;
  one("p", place).textContent = failure?.message ?? "";
  one("button", place).hidden = !again || [400, 401, 404].includes(failure?.status);
  one("button", place).onclick = () => again();
  filters?.mark(failure?.status === 400 ? failure.message : "");
  if (failure?.status === 401) forget();
}

function showAccount() {
  const { account, ready } = client;
  one("#key").hidden = ready;
  one("#account").hidden = !ready;
  one("#hint").hidden = ready;
  one("#quota").textContent = account ? `${label(account.tier)} · ${number(account.remaining)} of ${number(account.limit)} requests left` : "";
}

/** Forgets the key and everything that it has shown. */
function forget() {
  client.use("");
  asking.abort();
  opening.abort();
  clear();
  closeFiling();
  busy(false);
  showAccount();
  one("#key-text").focus();
}

/** Takes away what the map and the table show. */
function clear() {
  map.draw([]);
  outdated = true;
  table.show([]);
  one("#status").textContent = "";
  one("#previous").disabled = one("#next").disabled = true;
}

function closeFiling() {
  panel.hide();
  map.mark(null);
}

function applyHash() {
  const state = readHash(location.hash);
  filters.values = state.filters;
  filing = state.filing;
  if (state.map) map.view = state.map;
  changed();
  if (!filing) closeFiling();
  else if (client.ready) openFiling(filing);
}

one("#key").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = one("#key-text");
  const key = input.value.trim();
  input.value = "";
  if (!/^[!-~]+$/.test(key)) return trouble("list", new Error("This is no API key: a key is ak_live_ and 32 digits or letters a to f."));
  client.use(key);
  showAccount();
  ask();
  if (filing) openFiling(filing);
});
one("#forget").addEventListener("click", () => {
  one("#trouble").hidden = true;
  forget();
});
one("#previous").addEventListener("click", () => turn(-pageSize));
one("#next").addEventListener("click", () => turn(pageSize));
addEventListener("hashchange", applyHash);

function turn(by) {
  offset = Math.max(0, offset + by);
  ask();
}

/** Folds the filters away in a narrow window, where the map comes first. */
function fold() {
  one("#filtering").open = wide.matches;
}

async function start() {
  wide.addEventListener("change", fold);
  fold();
  const described = fetch(address("openapi.json")).then((answer) => answer.json());
  const [openapi] = await Promise.all([described, map.drawStates()]);
  const fields = openapi.components.schemas.Filing.properties;
  panel = new Panel(one("#filing"), fields, () => {
    closeFiling();
    choose("");
  });
  filters = new Filters(one("#filters"), openapi, changed);
  applyHash();
}

start().catch(() => trouble("page", new Error("The page could not be loaded whole. Load it again.")));
