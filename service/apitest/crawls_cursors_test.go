package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/service/access"
	"filings/service/cursor"
)

// crawlable returns 45 filings of the days up to now, which have one category, and some types.
func crawlable(t testing.TB) []*index.Filing {
	filings := many(t, 45)
	for i, f := range filings {
		f.SetText(index.FilingDate, now.AddDate(0, 0, -i/5).Format(time.DateOnly))
		f.SetText(index.FilingType, []string{"Tax Lien", "Municipal Lien"}[i%2])
		f.Categories = []string{"land"}
	}
	return filings
}

// crawled is a page by cursor.
type crawled struct {
	response
	Data       []struct{ ID int64 }
	Pagination map[string]any
}

func (s *site) crawl(t testing.TB, target string, headers ...string) (page crawled) {
	t.Helper()
	page.response = s.get(t, access.Enterprise, target, headers...)
	if page.status != http.StatusOK {
		t.Fatalf("%s: %d %s", target, page.status, page.body)
	}
	if err := json.Unmarshal([]byte(page.body), &page); err != nil {
		t.Fatal(err)
	}
	return page
}

func (p crawled) ids() (ids []int64) {
	for _, f := range p.Data {
		ids = append(ids, f.ID)
	}
	return ids
}

// next is the path and the cursor of the next page; "" behind the last one.
func (p crawled) next(target string) string {
	text, _ := p.Pagination["next_cursor"].(string)
	if text == "" {
		return ""
	}
	path, _, _ := strings.Cut(target, "?")
	return path + "?cursor=" + text
}

// crawlAll follows cursors from target to the end, and returns the ids of each page. between is called between two pages.
func (s *site) crawlAll(t testing.TB, target string, between func()) (ids []int64) {
	t.Helper()
	for target != "" {
		page := s.crawl(t, target)
		ids = append(ids, page.ids()...)
		target = page.next(target)
		between()
	}
	return ids
}

// A crawl has what pages by offset have, in every order and direction, on both engines; a cursor is enough to go on.
func TestX3_CrawlOfEveryOrder(t *testing.T) {
	t.Parallel()
	eachEngine(t, plenty, func(t *testing.T, s *site) {
		for _, path := range []string{"/v1/filings?", "/v1/filings?county=orange&", "/v1/liens?", "/v1/filings/search?q=a&", "/v1/liens/search?q=a&"} {
			sorts := []string{""}
			if !strings.Contains(path, "liens?") && !strings.Contains(path, "orange") {
				for _, by := range []string{"record_date", "filing_amount", "current_amount", "property_owner", "created_at"} {
					sorts = append(sorts, "sort_by="+by+"&sort_order=ASC&", "sort_by="+by+"&")
				}
			}
			for _, sort := range sorts {
				want := s.crawl(t, path+sort+"limit=100").ids()
				got := s.crawlAll(t, path+sort+"cursor=*&limit=7", func() {})
				if diff := cmp.Diff(want, got); diff != "" || len(want) < 8 {
					t.Errorf("%s%s: %d filings (-want +got):\n%s", path, sort, len(want), diff)
				}
			}
		}
	})
}

// The form of the pages: total, limit, next_cursor, has_more; the next page in Link; no offset.
func TestX3_Pages(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(crawlable(t)))
	first := s.crawl(t, "/v1/filings?limit=20&cursor=*")
	text, _ := first.Pagination["next_cursor"].(string)
	want := map[string]any{"total": 45.0, "limit": 20.0, "next_cursor": text, "has_more": true}
	if diff := cmp.Diff(want, first.Pagination); diff != "" || text == "" {
		t.Errorf("first page (-want +got):\n%s", diff)
	}
	if got := first.header.Get("Link"); got != "<?cursor="+text+`>; rel="next"` {
		t.Errorf("Link: %s", got)
	}
	legacy := s.crawl(t, "/v1/liens?cursor=*")
	if got := legacy.header.Get("Link"); !strings.HasPrefix(got, `<filings>; rel="successor-version", <?cursor=`) ||
		!strings.HasSuffix(got, `>; rel="next"`) {
		t.Errorf("Link of the legacy path: %s", got)
	}
	second := s.crawl(t, first.next("/v1/filings")+"&limit=5") // another limit, which is kept from there on
	third := s.crawl(t, second.next("/v1/filings"))
	if len(second.Data) != 5 || len(third.Data) != 5 {
		t.Errorf("pages of %d and %d", len(second.Data), len(third.Data))
	}
	last := s.crawl(t, third.next("/v1/filings")+"&limit=100")
	want = map[string]any{"total": 45.0, "limit": 100.0, "next_cursor": nil, "has_more": false}
	if diff := cmp.Diff(want, last.Pagination); diff != "" || len(last.Data) != 15 || last.header.Get("Link") != "" {
		t.Errorf("last page of %d, Link %q (-want +got):\n%s", len(last.Data), last.header.Get("Link"), diff)
	}
	none := s.crawl(t, "/v1/filings?cursor=*&city=nowhere")
	if none.Pagination["next_cursor"] != nil || none.Pagination["total"] != 0.0 {
		t.Errorf("of nothing: %s", none.body)
	}
	again := s.get(t, access.Enterprise, first.next("/v1/filings"), "If-None-Match", s.crawl(t, first.next("/v1/filings")).header.Get("ETag"))
	if again.status != http.StatusNotModified {
		t.Errorf("a page that the client has: %d", again.status)
	}
	byOffset := s.crawl(t, "/v1/filings?limit=20")
	if byOffset.header.Get("ETag") == first.header.Get("ETag") {
		t.Error("pages of different forms have the same tag")
	}
}

// Some parameters may stand beside a cursor; others are refused by name.
func TestX3_BesideACursor(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(crawlable(t)))
	id := index.GenerationID("filings-20260315-000000.000000-v1")
	list := s.crawl(t, "/v1/filings?limit=5&cursor=*&categories=land,residential&categories=commercial,multi_family&has_data=false").next("/v1/filings")
	search := s.crawl(t, "/v1/filings/search?limit=5&cursor=*&q=%20A&sort_by=created_at").next("/v1/filings/search")
	text := strings.TrimPrefix(list, "/v1/filings?cursor=")
	for _, target := range []string{
		list, list + "&limit=50", list + "&generation=" + id, list + "&generation=", list + "&offset=", list + "&city=",
		list + "&categories=residential,land,commercial,multi_family", list + "&has_property_data=0",
		search + "&q=A%20&limit=1", search + "&sort_by=CREATED_AT", list + "&limit=", list + "&filing_types=&filing_types=", list + "&categories=,",
	} {
		s.crawl(t, target)
	}
	const other = " must be omitted, as on the first page"

	const damaged = "cursor must be *, or the next_cursor of a page: this one is damaged"
	for target, want := range map[string]string{
		list + "&categories=land":                                `categories must be omitted, or be "land,residential,commercial,multi_family" as on the first page`,
		list + "&lien_types=A":                                   "lien_types" + other,
		list + "&county=Orange":                                  "county" + other,
		list + "&city=,":                                         "city" + other,
		list + "&has_data=true":                                  `has_data must be omitted, or be "false" as on the first page`,
		search + "&q=b":                                          `q must be omitted, or be "A" as on the first page`,
		search + "&sort_order=ASC":                               "sort_order" + other,
		list + "&offset=0":                                       "offset must not be given with cursor, which has the position already",
		"/v1/filings?cursor=*&offset=7":                          "offset must not be given with cursor, which has the position already",
		search + "&q=":                                           "q must be 1 to 200 characters", // empty values are looked at, as without a cursor (rule P4)
		search + "&q=+":                                          "q must be 1 to 200 characters",
		list + "&holder=&holder=":                                "holder must be given only once",
		list + "&limit=&limit=":                                  "limit must be given only once",
		list + "&generation=&generation=":                        "generation must be given only once",
		list + "&filing_type=&lien_type=":                        "filing_type must not be sent together with lien_type, its other name",
		list + "&cursor=*":                                       "cursor must be given only once",
		list + "&limit=0":                                        "limit must be between 1 and 1000",
		list + "&generation=20200101-000000.000000":              "generation must be " + id + ", the generation of the cursor; omit it",
		"/v1/filings?cursor=" + text[1:]:                         damaged,
		"/v1/filings?cursor=**":                                  damaged,
		"/v1/filings/search?q=a&cursor=" + text:                  "this cursor belongs to the list, and this is the search; start here with cursor=*",
		"/v1/filings/search?cursor=*":                            "q must be given: 1 to 200 characters",
		"/v1/filings?cursor=*&limit=0":                           "limit must be between 1 and 1000",
		"/v1/filings?cursor=*&city=" + strings.Repeat("x", 2100): "cursor contains the other parameters, at most 2048 characters of them, not 2105; send fewer",
	} {
		if a := s.get(t, access.Enterprise, target); a.status != http.StatusBadRequest || a.document(t).Error.Message != want {
			t.Errorf("%.200s: %d %s, want %s", target, a.status, a.body, want)
		}
	}
}

// Cursors that nobody was given are refused, or answer what a query of the same key would.
func TestX3_MadeUpCursors(t *testing.T) {
	t.Parallel()
	eachEngine(t, plenty, func(t *testing.T, s *site) {
		first := s.crawl(t, "/v1/filings?limit=5&cursor=*")
		text, _ := first.Pagination["next_cursor"].(string)
		real, err := cursor.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for name, change := range map[string]func(*cursor.Cursor){
			"no position":               func(c *cursor.Cursor) { c.After = "" },
			"another position":          func(c *cursor.Cursor) { c.After = "x" },
			"a position of other types": func(c *cursor.Cursor) { c.After = `[{},"a"]` },
			"an absent filing":          func(c *cursor.Cursor) { c.After = index.PositionAfter(987_654_321) },
			"unknown parameters":        func(c *cursor.Cursor) { c.Query = "a=b" },
			"what does not decode":      func(c *cursor.Cursor) { c.Query = "city=%" },
			"an invalid value":          func(c *cursor.Cursor) { c.Query = "limit=-1" },
		} {
			made := real
			change(&made)
			if a := s.get(t, access.Free, "/v1/filings?cursor="+made.String()); a.status != http.StatusBadRequest {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		made := real
		made.Seen, made.Total = 0, 1<<40
		made.After = index.PositionAfter(first.Data[len(first.Data)-1].ID)
		if got := s.crawlAll(t, "/v1/filings?cursor="+made.String(), func() {}); len(got) != 40 {
			t.Errorf("with a wrong total the crawl has %d filings, not 40", len(got))
		}
	})
}

// The generation of a cursor is not kept: 410, as if it were given.
func TestX3_GenerationGone(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(crawlable(t)))
	text, _ := s.crawl(t, "/v1/filings?cursor=*").Pagination["next_cursor"].(string)
	c, err := cursor.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	c.Generation = "20260101-000000.000000"
	a := s.get(t, access.Pro, "/v1/filings?cursor="+c.String())
	if a.status != http.StatusGone || a.document(t).Error.Code != "generation_gone" || !strings.Contains(a.body, "the live one is 20260315-000000.000000") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// Filters that are relative to today mean what they meant at the first page.
func TestX3_CrawlOverMidnight(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(crawlable(t)))
	const target = "/v1/filings?limit=4&date_range=3"
	want := s.crawl(t, target).Pagination["total"]
	got := s.crawlAll(t, target+"&cursor=*", func() { s.clock.Advance(24 * time.Hour) })
	if float64(len(got)) != want || len(got) < 3 {
		t.Errorf("%d filings of %v", len(got), want)
	}
}

// While generations are loaded, swapped and rolled back more than ten times, a crawl sees each filing of its generation once.
func TestX3_CrawlWhileGenerationsAreSwapped(t *testing.T) {
	t.Parallel()
	stores := map[string]func(t *testing.T) generation.Store{
		"embedded": func(t *testing.T) generation.Store {
			store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			return store
		},
		"elasticsearch": func(t *testing.T) generation.Store {
			onElastic.store(t, handmade) // so that its name is known, by which TestMain deletes
			store, err := elastic.Open(elastic.Config{Addresses: []string{onElastic.url}, Index: onElastic.prefix + "-swapped", Shards: 1})
			if err != nil {
				t.Fatal(err)
			}
			return store
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			filings := many(t, 45)
			first, err := indextest.Load(t.Context(), store, slices.Values(filings))
			if err != nil {
				t.Fatal(err)
			}
			second, err := indextest.Load(t.Context(), store, slices.Values(filings[20:]))
			if err != nil {
				t.Fatal(err)
			}
			s := newSite(t, caching{store})
			swaps, live := 0, second
			swap := func() {
				to := first
				if swaps%2 == 1 {
					to = second
				}
				if swaps%4 == 3 { // a new one
					if second, err = indextest.Load(t.Context(), store, slices.Values(filings[swaps:30])); err != nil {
						t.Fatal(err)
					}
					to = second
				} else if err := store.Swap(t.Context(), live, to); err != nil {
					t.Fatal(err)
				}
				live = to
				swaps++
				s.clock.Advance(2 * time.Second) // so that the service looks again
			}
			swap()
			want := s.crawl(t, "/v1/filings?limit=100").ids()
			got := s.crawlAll(t, "/v1/filings?cursor=*&limit=4", swap)
			if diff := cmp.Diff(want, got); diff != "" || len(got) != 45 || swaps <= 10 {
				t.Errorf("%d filings, %d swaps (-want +got):\n%s", len(got), swaps, diff)
			}
		})
	}
}

// counted counts the calls of an engine.
type counted struct {
	index.Engine
	rows, counts, owners, words atomic.Int64
}

type countedReader struct {
	index.Reader
	of *counted
}

func (e *counted) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return countedReader{r, e}, err
}

func (e *counted) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return countedReader{r, e}, err
}

func (r countedReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	r.of.rows.Add(1)
	if q.Count {
		r.of.counts.Add(1)
	}
	return r.Reader.Rows(ctx, q)
}

func (r countedReader) Count(ctx context.Context, w index.Filter) (int64, error) {
	r.of.counts.Add(1)
	return r.Reader.Count(ctx, w)
}

func (r countedReader) Owners(ctx context.Context, q index.OwnerQuery) (index.Owners, error) {
	r.of.owners.Add(1)
	return r.Reader.Owners(ctx, q)
}

func (r countedReader) Nearest(ctx context.Context, words []string) ([][]string, error) {
	r.of.words.Add(int64(len(words)))
	return r.Reader.Nearest(ctx, words)
}

// No page but the first counts.
func TestX4_NothingIsCounted(t *testing.T) {
	t.Parallel()
	engine := &counted{Engine: oracle(crawlable(t))}
	s := newSite(t, engine)
	s.crawlAll(t, "/v1/filings/search?q=a&cursor=*&limit=5", func() {})
	if rows, counts := engine.rows.Load(), engine.counts.Load(); rows < 5 || counts != 1 {
		t.Errorf("%d pages, %d counts", rows, counts)
	}
}

// A cursor of a hundred of the longest ids, or of as much as it holds, fits into a request line and into the 4 KiB of headers
// that servers between take at least.
func TestX3_LongestCursor(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(crawlable(t)))
	var target strings.Builder
	target.WriteString("/v1/filings?cursor=*&limit=1&filing_types=" + url.QueryEscape("Tax Lien,Municipal Lien"))
	for i := 0; target.Len() < 1950; i++ {
		fmt.Fprintf(&target, ",type-%d", i)
	}
	page := s.crawl(t, target.String())
	length := 0
	for name, values := range page.header {
		length += len(name) + len(": \r\n") + len(strings.Join(values, ""))
	}
	if length > 4<<10 {
		t.Errorf("headers of %d bytes", length)
	}
	s.crawl(t, page.next("/v1/filings"))
}
