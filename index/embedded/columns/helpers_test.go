package columns

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"filings/index"
	"filings/index/cache"
	"filings/index/synthetic"
)

// synthetics returns n synthetic filings.
func synthetics(n int, seed uint64) []*index.Filing {
	source := synthetic.New(seed)
	all := make([]*index.Filing, n)
	for i := range all {
		all[i] = &index.Filing{}
		source.Next(all[i])
	}
	return all
}

// newTable returns a table of filings whose columns are in memory.
func newTable(t testing.TB, filings []*index.Filing) *Table {
	t.Helper()
	chunks := map[cache.Key][]byte{}
	put := func(name string, chunk int, data []byte) error {
		chunks[cache.Key{Text: name, Part: chunk}] = slices.Clone(data)
		return nil
	}
	values := func(yield func([]byte, error) bool) {
		for _, f := range filings {
			if !yield(AppendStored(nil, AppendValues(nil, f), index.AppendRecord(nil, f)), nil) {
				return
			}
		}
	}
	stats, err := Build(t.Context(), values, put, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Open("test", stats.Filings, func(_ context.Context, name string, chunk int) ([]byte, error) {
		c, ok := chunks[cache.Key{Text: name, Part: chunk}]
		if !ok {
			return nil, errors.New("no such chunk")
		}
		return bytes.Clone(c), nil
	}, cache.New(256<<20))
}
