// Calls every operation of the service at ADDRESS with KEY, through the client that @hey-api/openapi-ts generated from its
// OpenAPI document, and prints what it got as JSON: by operation, what TestClients compares.
import * as api from "./filings";
import { createClient, createConfig } from "./filings/client";

declare const process: { env: Record<"ADDRESS" | "KEY", string> };

const ids = (page: { data: api.Filing[] }) => page.data.map((filing) => filing.id);

// be returns what must be there: the data or the error of a response.
function be<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a response has another form");
  return part;
}

async function main(): Promise<void> {
  const baseUrl = process.env.ADDRESS;
  const client = createClient(createConfig({ baseUrl, auth: process.env.KEY }));
  const keyless = createClient(createConfig({ baseUrl }));
  const filing_types = ["Tax Lien", "Municipal Lien"];
  const categories: api.Category[] = ["residential", "land"];
  const county = { client, path: { county: "Orange, FL" } };
  const got: Record<string, unknown> = {};

  got["listFilings"] = ids(be((await api.listFilings({ client, query: { filing_types, categories, limit: 5 } })).data));
  const some = { ids: [1, 2, 3], exclude_counties: ["Nowhere, ZZ", "Elsewhere, ZZ"], fields: ["owner"] };
  got["listFilings of some fields"] = be((await api.listFilings({ client, query: some })).data).data.map((filing) => filing.owner);
  const error = be((await api.listFilings({ client, query: { limit: 0 } })).error).error;
  got["listFilings refused"] = typeof error === "string" ? error : error.message;
  const crawled: number[] = [];
  for (let cursor: string | null | undefined = "*"; cursor && crawled.length < 15; ) {
    const page: api.FilingList = be((await api.listFilings({ client, query: { cursor, limit: 5 } })).data);
    crawled.push(...ids(page));
    cursor = page.pagination.next_cursor;
  }
  got["listFilings by cursor"] = crawled;
  const query = { q: "maple", categories, sort_by: "filing_amount", sort_order: "ASC" } as const;
  got["searchFilings"] = ids(be((await api.searchFilings({ client, query })).data));
  const world = { bounds_north: 90, bounds_south: -90, bounds_east: 180, bounds_west: -180, zoom: 4, filing_types };
  got["clusterFilings"] = be((await api.clusterFilings({ client, query: world })).data).data.total;
  // The generated function is for JSON. GeoJSON comes through the client's own, with the generated type; that it is JSON is
  // said, because the client knows no other type that ends in json.
  const features = await client.get<{ 200: api.FeatureCollection }>({
    url: "/v1/filings/clusters", query: world, headers: { Accept: "application/geo+json" }, parseAs: "json",
    security: [{ name: "X-API-Key", type: "apiKey" }],
  });
  got["clusterFilings as GeoJSON"] = be(features.data).features.map((feature) => feature.properties.count);
  const by: api.By[] = ["county", "category"];
  const groups = be((await api.groupFilings({ client, query: { by, filing_types } })).data).data;
  got["groupFilings"] = groups.map((group) => group.filingAmount.sum);
  got["groupFilings by"] = groups.map((group) => group.category);
  const changes = be((await api.listChanges({ client, query: { since: "20260314-000000.000000" } })).data).data;
  got["listChanges"] = changes.map((change) => change.op);
  const rows = await api.exportFilings({ client, query: { county: ["Orange, FL"], min_amount: 20_000 }, parseAs: "text" });
  got["exportFilings"] = JSON.parse(String(be(rows.data)).split("\n")[0] ?? "").id;
  got["getFiling"] = be((await api.getFiling({ client, path: { id: 1 } })).data).data.county;
  const missing = be((await api.getFiling({ client, path: { id: 1_000_000 } })).error).error;
  got["getFiling refused"] = typeof missing === "string" ? missing : missing.code;

  const owners = be((await api.listOwners({ client, query: { q: "m", min_filings: 1 } })).data).data;
  got["listOwners"] = owners.map((owner) => owner.filingAmount.sum);
  got["getTileSet"] = be((await api.getTileSet({ client, query: { q: "maple" } })).data).tiles;
  const tile = await api.getTile({ client, path: { generation: "20260315-000000.000000", z: 0, x: 0, y: 0 }, parseAs: "blob" });
  got["getTile"] = (be(tile.data) as Blob).size;
  got["getStatistics"] = be((await api.getStatistics({ client })).data).data.totalFilings;
  const byCounty = await api.listCountyStatistics({ client, query: { state: "FL" } });
  got["listCountyStatistics"] = be(byCounty.data).data.map((stats) => stats.filingCount);
  const coverage = await api.listCoverage({ client, query: { state: "FL" } });
  got["listCoverage"] = be(coverage.data).data.map((county) => county.withCoordinates);
  const fields = be((await api.listFields({ client })).data).data;
  got["listFields"] = fields.map((field) => field.filled);
  got["listFields to"] = fields.map((field) => field.max);
  got["listGenerations"] = be((await api.listGenerations({ client })).data).data.map((generation) => generation.id);
  got["listCounties"] = be((await api.listCounties({ client })).data).data;
  got["listCountyMonths"] = be((await api.listCountyMonths(county)).data).data;
  got["listCountyDateRanges"] = be((await api.listCountyDateRanges(county)).data).data;
  const tier: api.Tier = be((await api.getIdentity({ client })).data).data.tier;
  got["getIdentity"] = tier;
  got["getUsage"] = be((await api.getUsage({ client })).data).data.windows.map((window) => window.limit);
  const wanted = { origin: ["https://maps.example.com"], endpoints: ["tiles" as const, "one" as const], county: ["Orange, FL"] };
  got["createToken"] = be((await api.createToken({ client, query: wanted })).data).data.filter;
  got["getIdentity refused"] = be((await api.getIdentity({ client: keyless })).error).error;

  const legacy = await api.legacyListFilings({ client, query: { lien_types: filing_types, limit: 5 } });
  got["legacyListFilings"] = ids(be(legacy.data));
  const legacyFound = await api.legacySearchFilings({ client, query: { q: "maple", lien_types: filing_types } });
  got["legacySearchFilings"] = ids(be(legacyFound.data));
  got["legacyGetFiling"] = be((await api.legacyGetFiling({ client, path: { id: 1 } })).data).data.county;
  const document = be((await api.getOpenApi({ client: keyless })).data);
  got["getOpenAPI"] = (document as { openapi?: string }).openapi;
  console.log(JSON.stringify(got));
}

void main();
