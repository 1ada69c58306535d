package apitest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service/access"
	"filings/service/servicetest"
)

// longRows are filings of 100,000 characters, each unlike the others.
func longRows(n int) func(yield func(*index.Filing) bool) {
	return func(yield func(*index.Filing) bool) {
		r, half := rand.NewChaCha8([32]byte{15}), make([]byte, index.MaxLongText/2)
		for i := range n {
			_, _ = r.Read(half)
			if !yield(edges.Filing(int64(i+1), edges.Values{index.FilingDate: "2026-01-02", index.AISummary: hex.EncodeToString(half)})) {
				return
			}
		}
	}
}

// TestX8_MemoryOfLongRows: an export takes less than 16 MiB of the service, though its rows are as long as rows are, and
// its client is slower than the engine; four at once take four times that. Not parallel: it measures the heap.
func TestX8_MemoryOfLongRows(t *testing.T) {
	servers.Slow(t, "a heap of its own, for seconds")
	const total = 400
	local, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = local.Close() })
	stores := map[string]func(t *testing.T) generation.Store{
		"embedded":      func(*testing.T) generation.Store { return local },
		"elasticsearch": func(t *testing.T) generation.Store { store, _ := ownElastic(t); return store },
	}
	for engine, open := range stores {
		t.Run(engine, func(t *testing.T) {
			store := open(t)
			if _, err := indextest.Load(t.Context(), store, longRows(total)); err != nil {
				t.Fatal(err)
			}
			s := newSite(t, store)
			s.memoryOf(t, "ndjson", total, access.Pro) // what all exports share is there then
			for _, format := range []string{"ndjson", "csv", "parquet"} {
				s.memoryOf(t, format, total, access.Pro)
			}
			s.memoryOf(t, "parquet", total, access.Tiers...)
		})
	}
}

// memoryOf exports as an account of each of these tiers at once, and checks by how much the live heap exceeds its size before
// that, whenever the clients pause.
func (s *site) memoryOf(t *testing.T, format string, total int, tiers ...access.Tier) {
	t.Helper()
	const most = 16 << 20
	l := servicetest.ListenTLS(t, s.App)
	heap := func() uint64 {
		var m runtime.MemStats
		live := uint64(math.MaxUint64)
		for range 2 { // whatever is allocated during a collection counts as live, also what is not any more
			runtime.GC()
			runtime.ReadMemStats(&m)
			live = min(live, m.HeapAlloc)
		}
		return live
	}
	before, peak := heap(), uint64(0)
	bodies := []io.Reader{}
	for _, tier := range tiers {
		c := narrow(t, l)
		fmt.Fprintf(c, "GET /v1/filings/export?format=%s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", format, l.Address, s.Keys[tier])
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.Header.Get("X-Total-Count") != strconv.Itoa(total) {
			t.Fatalf("%v, %v", res, err)
		}
		bodies = append(bodies, res.Body)
	}
	for len(bodies) > 0 {
		bodies = slices.DeleteFunc(bodies, func(body io.Reader) bool {
			_, err := io.CopyN(io.Discard, body, 777_777)
			if err != nil && err != io.EOF {
				t.Error(err)
			}
			return err != nil
		})
		above := func() uint64 { now := heap(); return now - min(before, now) }
		now := above()
		for range 5 { // on a busy machine it takes the exports a while until they wait for their clients
			if now > uint64(len(tiers))*most {
				now = above()
			}
		}
		peak = max(peak, now)
	}
	t.Logf("%s, %d at once: %d KiB", format, len(tiers), peak>>10)
	if peak > uint64(len(tiers))*most {
		t.Errorf("%s, %d at once: %d KiB", format, len(tiers), peak>>10)
	}
}
