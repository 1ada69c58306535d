// Package indextest says what every engine must do: one suite (Run) that index/elastic and index/embedded both pass,
// and an oracle that answers each query by a plain loop over the filings.
//
// # Design
//
// The oracle is written to be obviously right and shares nothing with the engines but package index: where an engine
// compiles a filter, the oracle asks each filing. Its sorting is slices.SortFunc, its paging a slice expression.
//
// The suite has six parts. Edges are filings made by hand, a group for each rule of the decisions, each case with the
// ids that it must select. Random asks random queries over random filings and compares pages and totals with the
// oracle's. Crawl pages through whole generations in every order; one of them has more ties than Elasticsearch lets a
// search skip. Aggregates holds stats, counties and distinct values to figures counted by hand and by the oracle.
// Cells does the same for the tiles of maps.
// Generations covers the life of a generation and the lock of a load.
//
// The suite knows nothing of servers, files or HTTP, and never sleeps: it moves the store's clock.
package indextest
