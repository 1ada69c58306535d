// Package indextest is what tests of several packages need: an oracle, which is a Reader that evaluates each query by a plain
// loop over the filings; Load, which fills any store as a load does; and a Clock. What every engine must do is in
// indextest/conformance, the filings that try the rules in indextest/edges.
//
// # Design
//
// The oracle is written to be obviously right and shares nothing with the engines but package index: where an engine
// compiles a filter, the oracle looks at each filing. Its sorting is slices.SortFunc, its paging a slice expression.
package indextest
