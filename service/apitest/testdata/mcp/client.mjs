// Calls tools with the official client for TypeScript: prints the tools' names, and the texts of two results.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.ADDRESS), {
  requestInit: { headers: { Authorization: "Bearer " + process.env.KEY } },
}));
const { tools } = await client.listTools();
const page = await client.callTool({ name: "search_filings", arguments: { filing_types: ["Tax Lien", "Municipal Lien"], limit: 3 } });
const wrong = await client.callTool({ name: "search_filings", arguments: { limit: 0 } });
console.log(JSON.stringify({ tools: tools.map((t) => t.name), page: page.content[0].text, wrong: wrong.content[0].text }));
await client.close();
