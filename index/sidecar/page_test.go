package sidecar_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"filings/index"
	"filings/index/cache"
	"filings/index/sidecar"
)

// memory keeps the chunks of changesets, by the generations that they lead to, and has filings of any id, each with a record of so
// many bytes.
type memory struct {
	changesets map[string]chunks
	size       func(id int64) int
	mu         sync.Mutex
	kept       *cache.Cache
	read       int            // chunks
	bytes      int            // of the filings that were read
	of         map[string]int // filings that were read of each generation
}

// keep writes a changeset.
func (m *memory) keep(t *testing.T, s index.Changeset, differences []sidecar.Difference, copies bool) {
	t.Helper()
	if m.changesets == nil {
		m.changesets, m.kept = map[string]chunks{}, cache.New(1<<20)
	}
	m.changesets[s.Generation] = chunks{}
	if err := sidecar.WriteChangeset(t.Context(), s, differences, copies, m.Filings, m.changesets[s.Generation].put); err != nil {
		t.Fatal(err)
	}
}

func (m *memory) Sidecar(generation, _ string) sidecar.Source {
	return func(ctx context.Context, section string, chunks []int) ([][]byte, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.read += len(chunks)
		return m.changesets[generation].get(ctx, section, chunks)
	}
}

func (m *memory) Filings(_ context.Context, generation string, ids []int64) (versions []index.Version, _ error) {
	bytes := 0
	for _, id := range ids {
		record := fmt.Sprintf(`{"id":%d,"of":%q,"text":"`, id, generation) + strings.Repeat("x", m.size(id)) + `"}`
		versions = append(versions, index.Version{Record: index.Record(record)})
		bytes += len(record)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += bytes
	if m.of == nil {
		m.of = map[string]int{}
	}
	m.of[generation] += len(ids)
	return versions, nil
}

func changed(n int) []sidecar.Difference {
	all := make([]sidecar.Difference, n)
	for i := range all {
		all[i] = sidecar.Difference{ID: int64(i) + 1, FieldGroups: index.FreeFields, Earlier: true, Later: true}
	}
	return all
}

// TestX16_OneVersion: of a changeset without copies a page reads one generation's filings, if the earlier ones are not
// needed; it says which there are all the same.
func TestX16_OneVersion(t *testing.T) {
	t.Parallel()
	for laterOnly, want := range map[bool]map[string]int{false: {"a": 300, "b": 300}, true: {"b": 300}} {
		m := &memory{size: func(int64) int { return 10 }}
		changeset := index.Changeset{Generation: "b", Parent: "a", Changed: 300}
		m.keep(t, changeset, changed(300), false)
		page, err := sidecar.Page(t.Context(), m, m.kept, index.ChangeQuery{
			Generations: []string{"b"}, FieldGroups: index.FreeFields, Limit: 1000, LaterOnly: laterOnly,
		})
		if err != nil || len(page.Changes) != 300 || !maps.Equal(m.of, want) {
			t.Errorf("later only %v: %d changes, %v; filings read: %v, want %v", laterOnly, len(page.Changes), err, m.of, want)
		}
		for _, c := range page.Changes {
			if c.Earlier.Record == nil || c.Later.Record == nil {
				t.Fatalf("later only %v: %+v", laterOnly, c)
			}
		}
	}
}

// TestX16_LongRecords: a page ends behind 4 MiB of its records, whether they are copies or read from their generations, and
// never reads much more. All pages together are everything.
func TestX16_LongRecords(t *testing.T) {
	t.Parallel()
	const filings = 1_200
	for name, size := range map[string]func(int64) int{
		"short":                          func(int64) int { return 10 },
		"long":                           func(int64) int { return 20_000 },
		"short, then long":               func(id int64) int { return 10 + int(id/700)*20_000 },
		"the last is longer than a page": func(id int64) int { return 10 + int(id/filings)*5_000_000 },
	} {
		for _, copies := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, copies %v", name, copies), func(t *testing.T) {
				t.Parallel()
				m := &memory{size: size}
				changeset := index.Changeset{Generation: "b", Parent: "a", Changed: filings}
				m.keep(t, changeset, changed(filings), copies)
				next, after := int64(1), int64(0)
				for more := true; more; {
					m.read, m.bytes = 0, 0
					page, err := sidecar.Page(t.Context(), m, m.kept, index.ChangeQuery{
						Generations: []string{"b"}, FieldGroups: index.FreeFields, LastID: after, Limit: 1000,
					})
					if err != nil || len(page.Changes) == 0 {
						t.Fatalf("behind %d: %d changes, %v", after, len(page.Changes), err)
					}
					if m.read > 12 {
						t.Errorf("behind %d: %d chunks were read", after, m.read)
					}
					if m.bytes > 16<<20 {
						t.Errorf("behind %d: %d bytes were read", after, m.bytes)
					}
					bytes := 0
					for i, c := range page.Changes {
						if bytes > 4<<20 {
							t.Fatalf("behind %d: %d bytes, and then %d more changes", after, bytes, len(page.Changes)-i)
						}
						bytes += len(c.Earlier.Record) + len(c.Later.Record)
						if c.ID != next || !strings.Contains(string(c.Later.Record), `"of":"b"`) {
							t.Fatalf("change %d, want %d: %.40s", c.ID, next, c.Later.Record)
						}
						next++
					}
					if len(page.Changes) < 1000 && bytes < 4<<20 && page.More {
						t.Errorf("behind %d: %d changes of %d bytes are a page", after, len(page.Changes), bytes)
					}
					after, more = page.Changes[len(page.Changes)-1].ID, page.More
				}
				if next != filings+1 {
					t.Errorf("%d of %d changes", next-1, filings)
				}
			})
		}
	}
}

// found is a change on a page.
type found struct {
	id        int64
	changeset string
}

func order(a, b found) int {
	return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.changeset, b.changeset))
}

// TestX16_Pages: pages of any length have the changes of several changesets, of many chunks each, in the parts that are asked for:
// all of them, by id.
func TestX16_Pages(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	m := &memory{size: func(int64) int { return 10 }}
	var want []found
	for _, name := range []string{"b", "c", "d"} {
		var all []sidecar.Difference
		for id := int64(1); len(all) < 5000; id += 1 + random.Int64N(4) {
			parts := index.FreeFields << random.IntN(2)
			all = append(all, sidecar.Difference{ID: id, FieldGroups: parts, Earlier: true, Later: true})
			if parts == index.FreeFields {
				want = append(want, found{id, name})
			}
		}
		m.keep(t, index.Changeset{Generation: name, Parent: "before " + name}, all, name == "c")
	}
	slices.SortFunc(want, order)
	for _, limit := range []int{30, 1000, 2048, 20_000} {
		if got := pagesOf(t, m, limit, "b", "c", "d"); !slices.Equal(got, want) {
			t.Errorf("limit %d: %d changes, want %d", limit, len(got), len(want))
		}
		one := slices.DeleteFunc(slices.Clone(want), func(f found) bool { return f.changeset != "b" })
		if got := pagesOf(t, m, limit, "b"); !slices.Equal(got, one) {
			t.Errorf("limit %d: %d changes of one changeset, want %d", limit, len(got), len(one))
		}
	}
}

// pagesOf reads all pages of the changes of changesets that differ in FreeFields, and orders those of an id by their changesets.
func pagesOf(t *testing.T, m *memory, limit int, changesets ...string) (got []found) {
	t.Helper()
	for after, more := int64(0), true; more; {
		page, err := sidecar.Page(t.Context(), m, m.kept, index.ChangeQuery{
			Generations: changesets, FieldGroups: index.FreeFields, LastID: after, Limit: limit,
		})
		if err != nil || len(page.Changes) == 0 || len(page.Changes) > limit {
			t.Fatalf("limit %d, behind %d: %d changes, %v", limit, after, len(page.Changes), err)
		}
		for _, c := range page.Changes {
			got = append(got, found{c.ID, c.Generation})
		}
		after, more = page.Changes[len(page.Changes)-1].ID, page.More
	}
	slices.SortStableFunc(got, order)
	return got
}
