// Package index says what a filing is, what a query of filings is and what it returns, and names what an engine
// that stores them must do. It does no I/O: index/elastic and index/embedded do, and index/indextest holds both to
// the same responses.
//
// # Design
//
// One table of fields (field.go) drives reading, mapping, rendering and documentation. What is derived from a record
// (its city, its equity, whether a trust owns it) is derived here, once, for every engine (derive.go), so that engines
// only store and compare. Text that is compared is folded here too (text.go): no engine has a lower-case of its own.
// The tiles of maps are bounded here, by the numbers that engines compare coordinates with (grid.go).
//
// A query is a Filter (predicates that must all hold), a sort, an offset and a limit (query.go). A
// predicate says whether it holds for one filing (predicate.go); engines compile it, and are held
// to the same by tests. The String of a query is canonical: two queries that must have the same
// response have the same text, which makes it a cache key and half an ETag. The text of a filter,
// the expensive part, is computed once, when the filter is made, and kept in it.
//
// Data lives in generations, which package generation builds and which never change. A Reader
// (reader.go) is pinned to one, so whatever is computed from several of its responses is
// consistent, and whatever is cached by (generation, query) stays right for ever.
//
// A Record is the JSON of a filing as the API shows it to the highest tier, fields in the order of the table, which is
// ordered by tier: what a lower tier may see is a prefix of it (cut.go). Engines store that text and hand it
// through; no layer decodes it on the way.
package index
