package columns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
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

// stored are the chunks of columns, in memory.
type stored struct {
	sync.Mutex
	chunks map[cache.Key][]byte
}

func (s *stored) put(name string, chunk int, data []byte) error {
	s.Lock()
	defer s.Unlock()
	s.chunks[cache.Key{Text: name, Part: chunk}] = slices.Clone(data)
	return nil
}

func (s *stored) get(_ context.Context, name string, chunk, from, to int) ([]byte, error) {
	s.Lock()
	defer s.Unlock()
	data, ok := s.chunks[cache.Key{Text: name, Part: chunk}]
	if !ok {
		return nil, fmt.Errorf("no chunk %d of %s", chunk, name)
	}
	if to < 0 {
		to = len(data)
	}
	return bytes.Clone(data[from:to]), nil
}

// newTable returns a table of filings whose columns are in memory.
func newTable(t testing.TB, filings []*index.Filing) *Table {
	t.Helper()
	table, _ := build(t, nil, filings, nil)
	return table
}

// build returns a table of the filings of base, with others put and then some removed, and its
// chunks.
func build(t testing.TB, base *Table, put []*index.Filing, removed []int64) (*Table, *stored) {
	t.Helper()
	changes := NewChanges(t.TempDir())
	for _, f := range put {
		putFiling(t, changes, f)
	}
	for range removed {
		changes.Remove()
	}
	to := &stored{chunks: map[cache.Key][]byte{}}
	filings, err := Build(t.Context(), base, changes, logOf(put, removed), to.put, t.TempDir())
	if err := errors.Join(err, changes.Close()); err != nil {
		t.Fatal(err)
	}
	return Open("test", filings, to.get, cache.New(256<<20)), to
}

// logOf returns the log of filings that are put, and of ids that then are removed.
func logOf(put []*index.Filing, removed []int64) Log {
	actions := map[int64][]uint64{}
	for i, f := range put {
		actions[f.ID] = append(actions[f.ID], uint64(i+1))
	}
	for i, id := range removed {
		actions[id] = append(actions[id], uint64(len(put)+i+1))
	}
	return func(_ context.Context, visit func(id int64, action uint64) error) error {
		for _, id := range slices.Sorted(maps.Keys(actions)) {
			for _, action := range actions[id] {
				if err := visit(id, action); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// putFiling puts a filing with its record.
func putFiling(t testing.TB, changes *Changes, f *index.Filing) {
	t.Helper()
	d := index.Derive(f)
	if err := changes.Put(f, &d, index.AppendRecord(nil, f)); err != nil {
		t.Fatal(err)
	}
}

// valuesOf returns the stored values of a filing.
func valuesOf(f *index.Filing) []byte {
	d := index.Derive(f)
	return appendValues(nil, f, &d)
}
