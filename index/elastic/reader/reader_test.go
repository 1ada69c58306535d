package reader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/document"
	"filings/index/elastic/elastictest"
	"filings/index/elastic/search"
	"filings/index/indextest"
)

// tight limits send a few hundred filings all ways that millions go: every level is counted by, in several responses.
var tight = search.Limits{FirstPages: 3, LongestWalk: 10, LargestSpan: 20, MostCounted: 50, Buckets: 25, Parts: 4}

// checkPages compares random pages of every order with the oracle's.
func checkPages(t *testing.T, r *Reader, o *indextest.Oracle, w index.Filter, pages int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 7))
	total, _ := o.Count(t.Context(), w)
	for _, by := range index.SortFields {
		for _, ascending := range []bool{true, false} {
			for range pages {
				q := index.Query{
					Where: w, Sort: index.Sort{Field: by, Ascending: ascending},
					Offset: rnd.IntN(int(total) + 3), Limit: 1 + rnd.IntN(30), Count: rnd.IntN(2) == 0,
				}
				got, err := r.Rows(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				want, _ := o.Rows(t.Context(), q)
				if diff := cmp.Diff(texts(want.Records), texts(got.Records)); diff != "" {
					t.Fatalf("%s (-want +got):\n%s", q, diff)
				}
				if got.Counted && got.Total != total || q.Count && total <= r.limits.MostCounted && !got.Counted {
					t.Fatalf("%s: a total of %d, counted: %t; want %d", q, got.Total, got.Counted, total)
				}
			}
		}
	}
}

// TestE6_BoxesAreCounted: of a box in the default order a page has its total, however large; and it
// is right in all orders.
func TestE6_BoxesAreCounted(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(300)
	o, r := indextest.NewOracle("made", filings), testReader(t, 3, filings)
	r.limits = tight
	w := index.Where(index.Box{North: 89, South: -89, East: 179, West: -179})
	checkPages(t, r, o, w, 5)
	total, _ := o.Count(t.Context(), w)
	got, err := r.Rows(t.Context(), index.Query{Where: w, Sort: index.DefaultSort, Limit: 5, Count: true})
	if err != nil || !got.Counted || got.Total != total || total <= tight.MostCounted {
		t.Errorf("a total of %d, counted: %t, %v; want %d", got.Total, got.Counted, err, total)
	}
}

// TestE6_CountedOnce: of the searches that a page takes, the first one alone counts.
func TestE6_CountedOnce(t *testing.T) {
	t.Parallel()
	net, counted := &elastictest.Faults{}, 0
	r := New(clientThrough(t, net), testReader(t, 1, elastictest.Filings(300)).generation, cache.New(1<<20))
	r.limits.FirstPages, r.limits.LongestWalk = 1000, 10
	net.Always("_search", elastictest.Rewrite(func(response []byte) []byte {
		if _, exact := document.Total(response); exact {
			counted++
		}
		return response
	}))
	got, err := r.Rows(t.Context(), index.Query{Sort: index.Sort{Field: index.Owner}, Limit: 30, Count: true})
	if err != nil || len(got.Records) != 30 || !got.Counted || got.Total != 300 {
		t.Fatalf("%d filings of %d, counted: %t, %v", len(got.Records), got.Total, got.Counted, err)
	}
	if n := net.Requests("_search"); n != 3 || counted != 1 {
		t.Errorf("%d searches, of which %d count; want 3 and 1", n, counted)
	}
}

func TestP2_AnyOffset(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(300)
	o := indextest.NewOracle("made", filings)
	for _, shards := range []int{1, 3} {
		r := testReader(t, shards, filings)
		r.limits = tight
		for name, w := range map[string]index.Filter{
			"all":      {},
			"filtered": index.Where(index.InCounty("Orange"), index.Days{First: "2000-01-01"}),
		} {
			t.Run(fmt.Sprintf("%d shards, %s", shards, name), func(t *testing.T) {
				t.Parallel()
				checkPages(t, r, o, w, 5)
			})
		}
	}
}

// Where all filings are equal but for their ids, only ids are left to count by.
func TestP2_AnyOffsetAmongEqualFilings(t *testing.T) {
	t.Parallel()
	filings := make([]*index.Filing, 200)
	for i := range filings {
		f := &index.Filing{ID: int64(i + 1), CreatedAt: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}
		if i > 150 {
			f.ID = math.MaxInt64 - int64(i) // float64 cannot tell these apart
		}
		f.SetText(index.County, "Orange, FL")
		f.SetNumber(index.FilingAmount, 7)
		filings[i] = f
	}
	r, o := testReader(t, 2, filings), indextest.NewOracle("equal", filings)
	r.limits = tight
	checkPages(t, r, o, index.Filter{}, 4)
}

// Ids that count up from a large number, as times do, share their code: they are found by parts of their range.
func TestP2_AnyOffsetAmongLargeIDs(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]func(i int) int64{
		"times":                     func(i int) int64 { return 1_700_000_000_000 + 977*int64(i) },
		"side by side":              func(i int) int64 { return 1_700_000_000_000 + int64(i) },
		"few far away":              func(i int) int64 { return 1_700_000_000_000 + int64(i) + int64(i/195)<<35 },
		"the last that are doubles": func(i int) int64 { return 1<<53 - 1 - 3*int64(i) },
		"just too large for that":   func(i int) int64 { return 1<<53 + 100 - int64(i) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filings := make([]*index.Filing, 200)
			for i := range filings {
				filings[i] = &index.Filing{ID: id(i), CreatedAt: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}
				filings[i].SetText(index.County, "Orange, FL")
			}
			r, o := testReader(t, 2, filings), indextest.NewOracle("large ids", filings)
			r.limits = tight
			checkPages(t, r, o, index.Filter{}, 4)
		})
	}
}

// Where many filings were added within moments, they are found by parts of the time; those without a time come last.
func TestP2_AnyOffsetAmongCloseTimes(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 5))
	filings := make([]*index.Filing, 250)
	for i := range filings {
		filings[i] = &index.Filing{ID: int64(i + 1)}
		filings[i].SetText(index.County, "Orange, FL")
		if i < 220 {
			within := []int{50, 5_000, 40_000_000_000}[i%3] // microseconds: of a moment, of another one, of half a day
			filings[i].CreatedAt = time.Date(2024, 5, 1, i%3, 0, 0, 0, time.UTC).Add(time.Duration(rnd.IntN(within)) * time.Microsecond)
		}
	}
	r, o := testReader(t, 2, filings), indextest.NewOracle("close times", filings)
	r.limits = tight
	checkPages(t, r, o, index.Filter{}, 6)
}

func TestP2_BeyondTheEndAndLargePages(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(300)
	r, o := testReader(t, 1, filings), indextest.NewOracle("made", filings)
	for _, l := range []search.Limits{search.Usual, tight} {
		r.limits = l
		for _, q := range []index.Query{
			{Offset: 300, Limit: 20}, {Offset: 250, Limit: 200}, {Limit: 100_000}, {Limit: 0}, {Offset: math.MaxInt, Limit: 1},
		} {
			q.Sort = index.DefaultSort
			got, err := r.Rows(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := o.Rows(t.Context(), q)
			if diff := cmp.Diff(texts(want.Records), texts(got.Records)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
		}
	}
}

// A table that was counted once is not counted again, whatever page of it is requested.
func TestP2_CountsOnce(t *testing.T) {
	t.Parallel()
	net := &elastictest.Faults{}
	r := New(clientThrough(t, net), testReader(t, 1, elastictest.Filings(300)).generation, cache.New(1<<20))
	r.limits.FirstPages = 0
	for offset := range 20 {
		q := index.Query{Sort: index.Sort{Field: index.Owner}, Offset: 10 * offset, Limit: 10}
		if _, err := r.Rows(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if n := net.Requests("_search"); n != 1+20 {
		t.Errorf("%d searches for 20 pages of one filter and order", n)
	}
}

// A page after another one is one search, wherever it lies, and none that counts: among filings that differ in all that
// they are sorted by, and among filings that differ in nothing but the id.
func TestX4_OneSearchAPage(t *testing.T) {
	t.Parallel()
	different, equal := make([]*index.Filing, 120), make([]*index.Filing, 120)
	for i := range different {
		different[i] = &index.Filing{ID: int64(i + 1), CreatedAt: time.Date(2024, 5, 1, i, 0, 0, 0, time.UTC)}
		name := i * 7 % 120
		different[i].SetText(index.Owner, "Owner "+string(rune('A'+name/26))+string(rune('A'+name%26)))
		different[i].SetText(index.FilingDate, time.Date(2024, 5, 1+i/3, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		different[i].SetNumber(index.FilingAmount, float64(i*11%120))
		different[i].SetNumber(index.CurrentAmount, float64(i*13%120)-60)
		equal[i] = &index.Filing{ID: int64(i + 1), CreatedAt: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}
		equal[i].SetText(index.FilingDate, "2024-05-01")
		equal[i].SetNumber(index.FilingAmount, 7)
	}
	for name, filings := range map[string][]*index.Filing{"different": different, "equal": equal} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &elastictest.Faults{}
			r, o := New(clientThrough(t, net), testReader(t, 1, filings).generation, cache.New(1<<20)), indextest.NewOracle("made", filings)
			for _, by := range index.SortFields {
				for _, ascending := range []bool{true, false} {
					q := index.Query{Sort: index.Sort{Field: by, Ascending: ascending}, Limit: 10}
					for all := o.Select(index.Filter{}, q.Sort); len(all) > 0; all = all[q.Limit:] {
						before := net.Requests("_search")
						got, err := r.Rows(t.Context(), q)
						if err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(texts(indextest.Records(all[:q.Limit])), texts(got.Records)); diff != "" {
							t.Fatalf("%s (-want +got):\n%s", q, diff)
						}
						if n := net.Requests("_search") - before; q.Start != "" && n != 1 {
							t.Errorf("%s: %d searches", q, n)
						}
						q.Start = got.End
					}
				}
			}
		})
	}
}

// A position of a made-up form is an error of its own, without a search; an owner too long for an
// address is found by its id.
func TestX3_Positions(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(30)
	for _, f := range filings {
		f.SetText(index.Owner, strings.Repeat("o", index.MaxText-5)+strconv.FormatInt(f.ID%3, 10))
	}
	o := indextest.NewOracle("made", filings)
	r := testReader(t, 1, filings)
	q := index.Query{Sort: index.Sort{Field: index.Owner}, Limit: 7}
	for all := o.Select(index.Filter{}, q.Sort); len(all) > 0; {
		got, err := r.Rows(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		n := min(q.Limit, len(all))
		if diff := cmp.Diff(texts(indextest.Records(all[:n])), texts(got.Records)); diff != "" || len(got.End) > 30 {
			t.Fatalf("%s, then %q (-want +got):\n%s", q, got.End, diff)
		}
		all, q.Start = all[n:], got.End
	}
	for _, position := range []string{
		"[]", "[1]", "[1,2,3]", `["o",null,null]`, `[1,2,3]`, `["o","d",3]`, `["o",1.5,3]`, `["o",1,3`, "=", "{}", "null", "id ", "id 1.5", "id 99",
		`5["o",1,3]`, `null["o",1,3]`, `"x"`, `===["o",1,3]`, `=1.5["o",1,3]`, `"x["o",1,3]`,
	} {
		_, err := r.Rows(t.Context(), index.Query{Sort: q.Sort, Limit: 1, Start: position})
		if !errors.Is(err, index.ErrPosition) {
			t.Errorf("%q: %v", position, err)
		}
	}
	for _, position := range []string{"[1e999,1,1]", `["1",1,1]`, "[true,1,1]"} {
		amounts := index.Sort{Field: index.FilingAmount}
		_, err := r.Rows(t.Context(), index.Query{Sort: amounts, Limit: 1, Start: position})
		if !errors.Is(err, index.ErrPosition) {
			t.Errorf("%q: %v", position, err)
		}
	}
}

func TestReader_Filing(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(20)
	r := testReader(t, 3, filings)
	for _, f := range filings {
		got, err := index.OneFiling(t.Context(), r, f.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(index.AppendRecord(nil, f)), string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if _, err := index.OneFiling(t.Context(), r, math.MaxInt64); !errors.Is(err, index.ErrNotFound) || errors.Is(err, index.ErrGone) {
		t.Errorf("error %v for an unknown id", err)
	}
}

// Whatever numbers and characters a filing has, its record comes back byte for byte, though
// Elasticsearch writes numbers and escapes by rules of its own.
func TestReader_RecordsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 3))
	characters := []rune("aé東😀\x01\x1f\x7f\"\\/\n\r\t\b\f\u0085\u2028\u2029\ufeff\ufffd<>&E5")
	filings := make([]*index.Filing, 500)
	for i := range filings {
		f := &index.Filing{ID: math.MaxInt64 - int64(i)}
		f.SetText(index.County, "Orange, FL")
		for _, field := range index.Fields() {
			switch info := field.Info(); {
			case field == index.Latitude || field == index.Longitude:
				f.SetNumber(field, (rnd.Float64()-0.5)*180)
			case info.Kind == index.KindAmount:
				f.SetNumber(field, math.Round(rnd.NormFloat64()*math.Pow(10, float64(rnd.IntN(14))))/100)
			case info.Kind == index.KindNumber:
				f.SetNumber(field, rnd.Float64()*math.Pow(10, float64(rnd.IntN(600)-300)))
			case info.Kind == index.KindInteger:
				f.SetNumber(field, float64(rnd.Int64N(1<<40)))
			case info.Kind == index.KindText && rnd.IntN(3) > 0:
				var s strings.Builder
				for range 1 + rnd.IntN(10) {
					s.WriteRune(characters[rnd.IntN(len(characters))])
				}
				f.SetText(field, s.String())
			}
		}
		filings[i] = f
	}
	r := testReader(t, 1, filings)
	got, err := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: len(filings)})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, len(filings))
	for i, f := range filings { // in their order: no dates, descending ids
		want[i] = string(index.AppendRecord(nil, f))
	}
	if diff := cmp.Diff(want, texts(got.Records)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The longest values that a load lets in are stored, and found by any part of them.
func TestL4_LongestValues(t *testing.T) {
	t.Parallel()
	f := &index.Filing{ID: 1}
	f.SetText(index.County, strings.Repeat("😀", index.MaxText-4)+", FL")
	for _, field := range index.Fields() {
		switch field.Info().Kind {
		case index.KindText:
			f.SetText(field, strings.Repeat("😀", index.MaxText-2)+"é\x01")
		case index.KindLongText:
			f.SetText(field, strings.Repeat("😀", index.MaxLongText))
		}
	}
	r := testReader(t, 1, []*index.Filing{f})
	for text, want := range map[string]int64{
		strings.Repeat("😀", 198) + "é\x01": 1, "\x01": 1, "é\x01": 1, "é": 1, "\x01\x01": 0, "é\x01\x01": 0, "\x01\x00": 0,
		strings.Repeat("😀", 200): 1, "😀, f": 1, "é😀": 0,
	} {
		if got, err := r.Count(t.Context(), index.Where(index.Contains{Text: text})); err != nil || got != want {
			t.Errorf("%.20q: %d, %v; want %d", text, got, err, want)
		}
	}
	got, err := index.OneFiling(t.Context(), r, 1)
	if err != nil || string(got) != string(index.AppendRecord(nil, f)) {
		t.Errorf("the record did not come back: %v", err)
	}
}

func TestReader_GenerationIsGone(t *testing.T) {
	t.Parallel()
	r := New(testClient(t), "reading-deleted", cache.New(1<<20))
	if r.Gone() {
		t.Error("gone before any request")
	}
	for name, read := range map[string]func(context.Context) error{
		"rows":     func(ctx context.Context) error { _, err := r.Rows(ctx, index.Query{Limit: 1}); return err },
		"count":    func(ctx context.Context) error { _, err := r.Count(ctx, index.Filter{}); return err },
		"filing":   func(ctx context.Context) error { _, err := r.Filings(ctx, []int64{1}); return err },
		"filings":  func(ctx context.Context) error { _, err := r.Filings(ctx, []int64{1, 2}); return err },
		"stats":    func(ctx context.Context) error { _, err := r.Stats(ctx); return err },
		"counties": func(ctx context.Context) error { _, err := r.Counties(ctx); return err },
		"cells":    func(ctx context.Context) error { _, err := r.Cells(ctx, index.Filter{}, index.Grid{}); return err },
		"groups": func(ctx context.Context) error {
			_, err := r.Groups(ctx, index.Filter{}, index.GroupQuery{Dimensions: index.Dimensions()[:1]})
			return err
		},
	} {
		err := read(t.Context())
		if !errors.Is(err, index.ErrGone) || errors.Is(err, index.ErrNotFound) || !strings.Contains(err.Error(), r.generation) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !r.Gone() {
		t.Error("the reader did not note that it is gone")
	}
}

// A response that is none of ours is an error, not an empty result.
func TestReader_StrangeResponses(t *testing.T) {
	t.Parallel()
	for _, response := range []string{``, `{}`, `[]`, `{"hits":{}}`, `{"hits":{"total":{"value":"x"},"hits":7}}`, `{"found":true}`} {
		r := readerOver(t, elastictest.Responding(200, response))
		for name, read := range map[string]func(context.Context) error{
			"rows":     func(ctx context.Context) error { _, err := r.Rows(ctx, index.Query{Limit: 1}); return err },
			"deep":     func(ctx context.Context) error { _, err := r.Rows(ctx, index.Query{Offset: 999, Limit: 1}); return err },
			"count":    func(ctx context.Context) error { _, err := r.Count(ctx, index.Filter{}); return err },
			"filing":   func(ctx context.Context) error { _, err := r.Filings(ctx, []int64{1}); return err },
			"filings":  func(ctx context.Context) error { _, err := r.Filings(ctx, []int64{1, 2}); return err },
			"counties": func(ctx context.Context) error { _, err := r.Counties(ctx); return err },
			"cells":    func(ctx context.Context) error { _, err := r.Cells(ctx, index.Filter{}, index.Grid{}); return err },
			"groups": func(ctx context.Context) error {
				_, err := r.Groups(ctx, index.Filter{}, index.GroupQuery{Dimensions: index.Dimensions()[:1]})
				return err
			},
			"stats": func(ctx context.Context) error { _, err := r.Stats(ctx); return err },
		} {
			if err := read(t.Context()); err == nil {
				t.Errorf("%s took %q for a result", name, response)
			}
		}
	}
}
