package reindexer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/sidecar"
)

// TestX41_ByCounty: a filing that moves changes both counties, one that comes or goes its own; a county that is
// written in several cases is one.
func TestX41_ByCounty(t *testing.T) {
	t.Parallel()
	in := func(id int64, county string, digest uint64) index.Fingerprint {
		return index.Fingerprint{ID: id, Digests: index.Digests{digest}, Facts: index.Facts{County: county}}
	}
	const orange, upper, polk = "Orange, FL", "ORANGE, FL", "Polk, FL"
	var d sidecar.Differences
	for _, pair := range [][2]index.Fingerprint{
		{in(1, orange, 1), in(1, polk, 2)}, // moves
		{in(2, orange, 1), in(2, orange, 2)},
		{in(3, orange, 1), in(3, upper, 2)},
		{in(4, orange, 1), in(4, orange, 1)}, // stays as it is
		{{}, in(5, upper, 1)},
		{in(6, polk, 1), {}},
	} {
		d.Note(pair[0], pair[1])
	}
	want := map[string]*Changes{orange: {Added: 1, Changed: 3}, polk: {Changed: 1, Removed: 1}}
	if diff := cmp.Diff(want, byCounty(&d)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if d.Added != 1 || d.Changed != 3 || d.Removed != 1 {
		t.Errorf("%+v", d)
	}
}
