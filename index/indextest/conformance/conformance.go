// Package conformance says what every engine must do: one suite (Run) that index/elastic and index/embedded both pass. It
// knows nothing of servers, files or HTTP, and never sleeps: it moves the store's clock.
//
// # Design
//
// Edges are the filings of package edges, a group for each rule of the decisions, each case with the ids that it must
// select. Random sends random queries over random filings and compares pages and totals with the oracle's. Crawl pages
// through whole generations in every order; one of them has more ties than Elasticsearch lets a search skip. Aggregates
// holds stats, counties and distinct values to those counted by hand and by the oracle. Cells does the same for the tiles
// of maps, Groups for groups, Owners for owners and the words near a typed one. Generations covers the life of a generation, Locks the lock of a load, Changes
// what is kept of how generations came from each other.
//
// That the suite finds errors is tested too: wrong engines, each with one error, must fail the part that is about it.
package conformance

import (
	"testing"
)

// Run runs the whole suite. It calls open for each part of it; what open makes it must also clean up (t.Cleanup).
// With -short the crawl over many ties is left out.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, part := range []struct {
		name string
		run  func(*testing.T, func(t *testing.T) Harness)
	}{
		{"Edges", testEdges},
		{"Random", testRandom},
		{"Crawl", testCrawl},
		{"Aggregates", testAggregates},
		{"Cells", testCells},
		{"Groups", testGroups},
		{"Owners", testOwners},
		{"Generations", testGenerations},
		{"Locks", testLocks},
		{"Changes", testChanges},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.run(t, open)
		})
	}
}
