package synthetic_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/synthetic"
)

func written(t *testing.T, count int, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := synthetic.Write(&b, count, synthetic.New(seed)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The bytes of a seed are a promise. A change of this hash breaks it: only a new release may.
func TestWrite_TheSameBytesForEver(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256(written(t, 10_000, 1))
	const want = "da075916af49c74f20a04d0416531b7e86b706664dd13e146756e645b8465b92"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

func TestWrite_CountAndSeed(t *testing.T) {
	t.Parallel()
	long := written(t, 300, 7)
	if !bytes.HasPrefix(long, written(t, 100, 7)) {
		t.Error("100 filings are not the first of 300")
	}
	if bytes.Equal(long, written(t, 300, 8)) {
		t.Error("two seeds write the same")
	}
	if n := bytes.Count(long, []byte("\n")); n != 300 {
		t.Errorf("%d lines of 300", n)
	}
	if len(written(t, 0, 7)) != 0 {
		t.Error("no filings are some bytes")
	}
	var until bytes.Buffer
	if err := synthetic.Write(&until, 300, synthetic.NewUntil(7, time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC))); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(long, until.Bytes()) {
		t.Error("Write does not end with January 2026")
	}
}

func TestWrite_Fails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	for _, count := range []int{1, 1_000} {
		r, w := io.Pipe()
		r.CloseWithError(broken)
		if err := synthetic.Write(w, count, synthetic.New(1)); !errors.Is(err, broken) {
			t.Errorf("%d filings: want %v, got %v", count, broken, err)
		}
	}
	if err := synthetic.Write(iotest.TruncateWriter(io.Discard, 10), 10, synthetic.New(1)); err != nil {
		t.Errorf("a writer that takes everything: %v", err)
	}
}

func TestAppendLoad(t *testing.T) {
	t.Parallel()
	f := index.Filing{ID: math.MaxInt64, Categories: []string{"land", "commercial"}}
	f.SetText(index.County, `O"Range, FL`)
	f.SetNumber(index.FilingAmount, -1234.5)
	f.SetNumber(index.Bedrooms, 0)
	f.SetText(index.City, "Köhlville\n")
	f.CreatedAt = time.Date(2026, 1, 2, 3, 4, 5, 678_000, time.FixedZone("west", -3600))
	want := `{"id":9223372036854775807,"county":"O\"Range, FL","filingAmount":-1234.5,"categories":["land","commercial"],` +
		`"bedrooms":0,"city":"Köhlville\n","createdAt":"2026-01-02T04:04:05.000678Z"}`
	if diff := cmp.Diff("before "+want, string(synthetic.AppendLoad([]byte("before "), &f))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := string(synthetic.AppendLoad(nil, &index.Filing{ID: 1})); got != `{"id":1}` {
		t.Errorf("of an id alone: %s", got)
	}
}

// A written filing can be read back, field by field.
func TestAppendLoad_ReadBack(t *testing.T) {
	t.Parallel()
	for _, f := range sample(synthetic.New(3))[:2_000] {
		var got map[string]any
		if err := json.Unmarshal(synthetic.AppendLoad(nil, f), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{}
		for _, field := range index.Fields() {
			if v, ok := f.Number(field); ok {
				want[field.String()] = v
			}
			if s := f.Text(field); s != "" {
				want[field.String()] = s
			}
		}
		want["id"] = float64(f.ID)
		want["createdAt"] = f.CreatedAt.Format(time.RFC3339Nano)
		if f.Has(index.Categories) {
			var categories []any
			for _, c := range f.Categories {
				categories = append(categories, c)
			}
			want["categories"] = categories
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("filing %d (-want +got):\n%s", f.ID, diff)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	b.ReportAllocs()
	if err := synthetic.Write(io.Discard, b.N, synthetic.New(1)); err != nil {
		b.Fatal(err)
	}
}
