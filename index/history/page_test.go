package history_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"filings/index"
	"filings/index/generation"
	"filings/index/history"
)

// memory keeps the chunks of one step, and has filings of any id, each with a record of so many bytes.
type memory struct {
	chunks []history.Chunk
	size   func(id int64) int
	read   int // chunks
	mu     sync.Mutex
	most   int            // bytes of the filings that were read at once
	of     map[string]int // filings that were read of each generation
}

func (m *memory) Chunks(_ context.Context, _ string, after int64, parts index.Parts, n int) (data [][]byte, _ error) {
	for _, c := range m.chunks {
		if c.Last > after && c.Parts&parts != 0 && len(data) < n {
			data = append(data, c.Data)
		}
	}
	m.read += len(data)
	return data, nil
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
	m.most = max(m.most, bytes)
	if m.of == nil {
		m.of = map[string]int{}
	}
	m.of[generation] += len(ids)
	return versions, nil
}

func changed(n int) iter.Seq2[generation.Difference, error] {
	return func(yield func(generation.Difference, error) bool) {
		for id := range int64(n) {
			if !yield(generation.Difference{ID: id + 1, Parts: index.FreePart, Before: true, After: true}, nil) {
				return
			}
		}
	}
}

// TestX16_OneVersion: of a step without copies a page reads one generation's filings, if the other's are not looked at; it
// says which there are all the same.
func TestX16_OneVersion(t *testing.T) {
	t.Parallel()
	for unread, want := range map[index.Side]map[string]int{
		index.NoSide: {"a": 300, "b": 300}, index.Earlier: {"b": 300}, index.Later: {"a": 300},
	} {
		m := &memory{size: func(int64) int { return 10 }}
		step := index.Step{Generation: "b", Parent: "a", Changed: 300}
		err := history.Encode(t.Context(), step, changed(300), false, m.Filings, func(c history.Chunk) error {
			c.Data = slices.Clone(c.Data)
			m.chunks = append(m.chunks, c)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		page, err := history.Page(t.Context(), m, index.ChangeQuery{
			Generations: []string{"b"}, Parts: index.FreePart, Limit: 1000, Unread: unread,
		})
		if err != nil || len(page.Changes) != 300 || !maps.Equal(m.of, want) {
			t.Errorf("unread %d: %d changes, %v; filings read: %v, want %v", unread, len(page.Changes), err, m.of, want)
		}
		for _, c := range page.Changes {
			if c.Before.Record == nil || c.After.Record == nil {
				t.Fatalf("unread %d: %+v", unread, c)
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
				step := index.Step{Generation: "b", Parent: "a", Changed: filings}
				err := history.Encode(t.Context(), step, changed(filings), copies, m.Filings, func(c history.Chunk) error {
					c.Data = slices.Clone(c.Data)
					m.chunks = append(m.chunks, c)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				m.most = 0
				next, after := int64(1), int64(0)
				for more := true; more; {
					m.read = 0
					page, err := history.Page(t.Context(), m, index.ChangeQuery{
						Generations: []string{"b"}, Parts: index.FreePart, After: after, Limit: 1000,
					})
					if err != nil || len(page.Changes) == 0 {
						t.Fatalf("behind %d: %d changes, %v", after, len(page.Changes), err)
					}
					if m.read > 12 {
						t.Errorf("behind %d: %d chunks were read", after, m.read)
					}
					bytes := 0
					for i, c := range page.Changes {
						if bytes > 4<<20 {
							t.Fatalf("behind %d: %d bytes, and then %d more changes", after, bytes, len(page.Changes)-i)
						}
						bytes += len(c.Before.Record) + len(c.After.Record)
						if c.ID != next || !strings.Contains(string(c.After.Record), `"of":"b"`) {
							t.Fatalf("change %d, want %d: %.40s", c.ID, next, c.After.Record)
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
				if m.most > 16<<20 {
					t.Errorf("%d bytes were read at once", m.most)
				}
			})
		}
	}
}
