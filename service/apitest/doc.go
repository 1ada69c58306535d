// Package apitest tests the API as its clients meet it. The first word of a file's name is its topic:
//
//   - accounts: keys, tiers, quotas, prices and usage; tokens: browsers' tokens and links
//   - filters, crawls, changes, results (statistics, groups, clusters, tiles, owners), exports
//   - responses: envelope, tags, the golden lists of whole responses; openapi: the document, generated clients
//   - agents: the Model Context Protocol
//   - transport: framing, redirects, CORS, hostile clients; faults: of engine, key store, data; load: crowds
//   - operations: the operators' listener, accounts, log, traces
//
// The fixture, the harness and the engines are shared: a data set is loaded once into Elasticsearch for all of them.
package apitest
