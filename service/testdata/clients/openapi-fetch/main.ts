// Calls every operation of the service at ADDRESS with KEY, through openapi-fetch with the types that openapi-typescript
// generated from its OpenAPI document, and prints what it got as JSON: by operation, what TestClients compares.
import createClient from "openapi-fetch";
import type { components, paths } from "./filings";

declare const process: { env: Record<"ADDRESS" | "KEY", string> };

const ids = (page: { data: components["schemas"]["Filing"][] }) => page.data.map((filing) => filing.id);

// be returns what must be there: the data or the error of a response.
function be<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a response has another form");
  return part;
}

async function main(): Promise<void> {
  const baseUrl = process.env.ADDRESS;
  const headers = { "X-API-Key": process.env.KEY };
  const client = createClient<paths, "application/json">({ baseUrl, headers });
  const map = createClient<paths, "application/geo+json">({ baseUrl, headers: { ...headers, Accept: "application/geo+json" } });
  const keyless = createClient<paths>({ baseUrl });
  const filing_types = ["Tax Lien", "Municipal Lien"];
  const categories: components["schemas"]["Category"][] = ["residential", "land"];
  const county = { params: { path: { county: "Orange, FL" } } };
  const got: Record<string, unknown> = {};

  const list = await client.GET("/v1/filings", { params: { query: { filing_types, categories, limit: 5 } } });
  got["listFilings"] = ids(be(list.data));
  const some = { ids: [1, 2, 3], exclude_counties: ["Nowhere, ZZ", "Elsewhere, ZZ"], fields: ["owner"] };
  const owners = be((await client.GET("/v1/filings", { params: { query: some } })).data).data;
  got["listFilings of some fields"] = owners.map((filing) => filing.owner);
  const refused = await client.GET("/v1/filings", { params: { query: { limit: 0 } } });
  const error = be(refused.error).error;
  got["listFilings refused"] = typeof error === "string" ? error : error.message;
  const crawled: number[] = [];
  for (let cursor: string | null | undefined = "*"; cursor && crawled.length < 15; ) {
    const response = await client.GET("/v1/filings", { params: { query: { cursor, limit: 5 } } });
    const page: components["schemas"]["FilingList"] = be(response.data);
    crawled.push(...ids(page));
    cursor = page.pagination.next_cursor;
  }
  got["listFilings by cursor"] = crawled;
  const query = { q: "maple", categories, sort_by: "filing_amount", sort_order: "ASC" } as const;
  got["searchFilings"] = ids(be((await client.GET("/v1/filings/search", { params: { query } })).data));
  const world = { bounds_north: 90, bounds_south: -90, bounds_east: 180, bounds_west: -180, zoom: 4, filing_types };
  const clusters = be((await client.GET("/v1/filings/clusters", { params: { query: world } })).data);
  got["clusterFilings"] = clusters.data.total;
  const features = be((await map.GET("/v1/filings/clusters", { params: { query: world } })).data).features;
  got["clusterFilings as GeoJSON"] = features.map((f) => f.properties.count);
  const by: components["schemas"]["By"][] = ["county", "category"];
  const groups = be((await client.GET("/v1/filings/groups", { params: { query: { by, filing_types } } })).data).data;
  got["groupFilings"] = groups.map((group) => group.filingAmount.sum);
  got["groupFilings by"] = groups.map((group) => group.category);
  const since = { since: "20260314-000000.000000" };
  const changes = be((await client.GET("/v1/filings/changes", { params: { query: since } })).data).data;
  got["listChanges"] = changes.map((change) => change.op);
  const filtered = { params: { query: { county: ["Orange, FL"], min_amount: 20_000 } } };
  const rows = await client.GET("/v1/filings/export", { ...filtered, parseAs: "text" });
  got["exportFilings"] = JSON.parse(be(rows.data).split("\n")[0] ?? "").id;
  const one = await client.GET("/v1/filings/{id}", { params: { path: { id: 1 } } });
  got["getFiling"] = be(one.data).data.county;
  const none = await client.GET("/v1/filings/{id}", { params: { path: { id: 1_000_000 } } });
  const missing = be(none.error).error;
  got["getFiling refused"] = typeof missing === "string" ? missing : missing.code;

  const portfolios = be((await client.GET("/v1/owners", { params: { query: { q: "m", min_filings: 1 } } })).data).data;
  got["listOwners"] = portfolios.map((owner) => owner.filingAmount.sum);
  got["getTileSet"] = be((await client.GET("/v1/tiles.json", { params: { query: { q: "maple" } } })).data).tiles;
  const place = { params: { path: { generation: "20260315-000000.000000", z: 0, x: 0, y: 0 } } };
  got["getTile"] = be((await client.GET("/v1/tiles/{generation}/{z}/{x}/{y}.mvt", { ...place, parseAs: "blob" })).data).size;
  got["getStatistics"] = be((await client.GET("/v1/stats")).data).data.totalFilings;
  const byCounty = await client.GET("/v1/stats/counties", { params: { query: { state: "FL" } } });
  got["listCountyStatistics"] = be(byCounty.data).data.map((stats) => stats.filingCount);
  const coverage = await client.GET("/v1/coverage", { params: { query: { state: "FL" } } });
  got["listCoverage"] = be(coverage.data).data.map((county) => county.withCoordinates);
  const fields = be((await client.GET("/v1/fields")).data).data;
  got["listFields"] = fields.map((field) => field.filled);
  got["listFields to"] = fields.map((field) => field.max);
  got["listGenerations"] = be((await client.GET("/v1/generations")).data).data.map((generation) => generation.id);
  got["listCounties"] = be((await client.GET("/v1/counties")).data).data;
  got["listCountyMonths"] = be((await client.GET("/v1/counties/{county}/months", county)).data).data;
  got["listCountyDateRanges"] = be((await client.GET("/v1/counties/{county}/date-ranges", county)).data).data;
  const tier: components["schemas"]["Tier"] = be((await client.GET("/v1/me")).data).data.tier;
  got["getIdentity"] = tier;
  got["getUsage"] = be((await client.GET("/v1/me/usage")).data).data.windows.map((window) => window.limit);
  const wanted = { origin: ["https://maps.example.com"], endpoints: ["tiles" as const, "one" as const], county: ["Orange, FL"] };
  got["createToken"] = be((await client.GET("/v1/tokens", { params: { query: wanted } })).data).data.filter;
  got["getIdentity refused"] = be((await keyless.GET("/v1/me")).error).error;

  const legacy = await client.GET("/v1/liens", { params: { query: { lien_types: filing_types, limit: 5 } } });
  got["legacyListFilings"] = ids(be(legacy.data));
  const legacyFound = await client.GET("/v1/liens/search", { params: { query: { q: "maple", lien_types: filing_types } } });
  got["legacySearchFilings"] = ids(be(legacyFound.data));
  got["legacyGetFiling"] = be((await client.GET("/v1/liens/{id}", { params: { path: { id: 1 } } })).data).data.county;
  const document = be((await keyless.GET("/openapi.json")).data);
  got["getOpenAPI"] = (document as { openapi?: string }).openapi;
  console.log(JSON.stringify(got));
}

void main();
