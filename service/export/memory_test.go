package export

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"testing"

	"filings/index"
)

// TestX8_Memory: an export takes less than 16 MiB, and four times as many rows take hardly more.
// Not parallel: it measures the heap.
func TestX8_Memory(t *testing.T) {
	all := plausible(5000)
	for _, tt := range []struct {
		format Format
		coding string
	}{{NDJSON, ""}, {NDJSON, "gzip"}, {NDJSON, "zstd"}, {CSV, ""}, {Parquet, ""}} {
		of := func(total int) (peak uint64) {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			base, n := m.HeapAlloc, 0
			pages := func(_ context.Context, after string, limit int) ([]index.Record, string, error) {
				if n++; n%10 == 0 {
					runtime.GC()
					runtime.ReadMemStats(&m)
					peak = max(peak, m.HeapAlloc-min(base, m.HeapAlloc))
				}
				from, _ := strconv.Atoi(after)
				to := min(from+limit, total)
				var rows []index.Record
				for i := from; i < to; i++ {
					// as an engine has them: new ones
					rows = append(rows, append(index.Record(nil), all[i%len(all)]...))
				}
				return rows, strconv.Itoa(to), nil
			}
			e, err := NewEncoder(tt.format, Fields(index.Enterprise), false)
			if err == nil {
				e, err = Compress(e, tt.coding)
			}
			if err != nil {
				t.Fatal(err)
			}
			s := NewStream(t.Context(), pages, "", int64(total), e, never)
			defer s.Close()
			if _, err := io.Copy(io.Discard, s); err != nil {
				t.Fatal(err)
			}
			return peak
		}
		once, four := of(40_000), of(160_000)
		t.Logf("%s %s: %d KiB, %d KiB", tt.format, tt.coding, once>>10, four>>10)
		if once == 0 || four > 16<<20 || four > once+2<<20 {
			t.Errorf("%s %s: %d KiB, of four times the rows %d KiB", tt.format, tt.coding, once>>10, four>>10)
		}
	}
}
