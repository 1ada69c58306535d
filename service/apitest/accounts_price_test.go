package apitest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/service/access"
	"filings/service/cursor"
	"filings/service/servicetest"
)

// remaining is what X-RateLimit-Remaining says.
func (a response) remaining(t *testing.T) int64 {
	t.Helper()
	n, err := strconv.ParseInt(a.header.Get("X-RateLimit-Remaining"), 10, 64)
	if err != nil {
		t.Fatalf("%d %v: %v", a.status, a.header, err)
	}
	return n
}

// TestX3_PriceOfAPage: a page by cursor costs one request per 100 of its limit, rounded up, whatever it has and whatever
// conditions it is requested under; any other page costs one, and so does what is refused after a search. What needed none costs nothing.
func TestX3_PriceOfAPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, caching{oracle(many(t, 450))})
	first := s.crawl(t, "/v1/filings?cursor=*&limit=250")
	next := first.next("/v1/filings")
	search := s.crawl(t, "/v1/filings/search?q=owner&cursor=*&limit=1").next("/v1/filings/search")
	c, err := cursor.Parse(strings.TrimPrefix(next, "/v1/filings?cursor="))
	if err != nil {
		t.Fatal(err)
	}
	gone, unplaced := c, c
	gone.Generation, unplaced.After = "20260101-000000.000000", "x"
	for _, tt := range []struct {
		target              string
		status, limit, rows int
		price               int64
	}{
		{"/v1/filings?cursor=*", 200, 20, 20, 1},
		{"/v1/filings?cursor=*&limit=100", 200, 100, 100, 1},
		{"/v1/filings?cursor=*&limit=101", 200, 101, 101, 2},
		{"/v1/filings?cursor=*&limit=200", 200, 200, 200, 2},
		{"/v1/filings?cursor=*&limit=1000", 200, 1000, 450, 10},
		{"/v1/filings?cursor=*&limit=5000", 200, 1000, 450, 10},
		{"/v1/filings?%63ursor=*&l%69mit=901&cursor_=*", 200, 901, 450, 10},
		{"/v1/filings?cursor=*&limit=1000&city=nowhere", 200, 1000, 0, 10},
		{"/v1/liens?cursor=*&limit=1000", 200, 1000, 450, 10},
		{"/v1/liens/search?q=owner&cursor=*&limit=401", 200, 401, 401, 5},
		{next, 200, 250, 200, 3}, // the limit of the page before
		{next + "&limit=50", 200, 50, 50, 1},
		{search + "&limit=1000", 200, 1000, 449, 10},
		{"/v1/filings?limit=1000", 200, 100, 100, 1},
		{"/v1/filings?limit=1000&cursor=", 200, 100, 100, 1},
		{"/v1/filings/search?q=owner&limit=100&offset=100", 200, 100, 100, 1},
		{"/v1/filings?cursor=*&limit=0", 400, 0, 0, 0},
		{"/v1/filings?cursor=*&limit=1000&offset=1", 400, 0, 0, 0},
		{"/v1/filings?cursor=*&limit=1000&fields=bedrooms", 400, 0, 0, 0}, // above the tier
		{"/v1/filings?cursor=*&limit=1000&limt=3", 400, 0, 0, 0},          // strict
		{"/v1/filings?limit=1000&cursor=" + unplaced.String(), 400, 0, 0, 1},
		{"/v1/filings?limit=1000&cursor=" + gone.String(), 410, 0, 0, 1},
		{"/v1/Filings?limit=1000&cursor=*", 404, 0, 0, 0},
	} {
		before := s.used(t, "user-starter")
		a := s.get(t, access.Starter, tt.target, "Prefer", map[bool]string{true: "handling=strict"}[strings.Contains(tt.target, "limt")])
		if got := s.used(t, "user-starter") - before; got != tt.price || a.status != tt.status || a.remaining(t) != 100_000-before-tt.price {
			t.Errorf("%.100s: %d, costs %d, want %d and %d; %d remain of %d: %.200s", tt.target, a.status, got, tt.status, tt.price, a.remaining(t), 100_000-before, a.body)
		}
		if d := a.document(t); tt.status == 200 && (len(a.ids(t)) != tt.rows || d.Pagination.Limit != int64(tt.limit) || *d.Meta.Remaining != a.remaining(t)) {
			t.Errorf("%.100s: %d rows, want %d; %.300s", tt.target, len(a.ids(t)), tt.rows, a.body[max(0, len(a.body)-300):])
		}
	}
	before := s.used(t, "user-enterprise")
	again := s.get(t, access.Enterprise, "/v1/filings?cursor=*&limit=250", "If-None-Match", first.header.Get("ETag"))
	head := s.do(t, http.MethodHead, access.Enterprise, "/v1/filings?cursor=*&limit=250")
	if got := s.used(t, "user-enterprise") - before; again.status != 304 || head.status != 200 || got != 3 || again.remaining(t) != 100_000-before {
		t.Errorf("conditional %d, HEAD %d: they cost %d, want 0 and 3", again.status, head.status, got)
	}
	wantInvalid(t, s.get(t, access.Free, "/v1/filings?cursor=*&limit=0"), "limit must be between 1 and 1000")
	wantInvalid(t, s.get(t, access.Free, "/v1/filings?limit=0"), "limit must be between 1 and 100")
}

// TestX3_QuotaTooSmall: where less remains than a page costs, the refusal says so, and nothing is taken; the burst counts 1.
func TestX3_QuotaTooSmall(t *testing.T) {
	t.Parallel()
	limits := servicetest.Limits()
	limits[access.Free], limits[access.Pro] = access.Limit{Quota: 7, Burst: 4}, access.Limit{Quota: 7, Burst: 4}
	s := newSiteWith(t, oracle(many(t, 45)), limits)
	for tier, code := range map[access.Tier]string{access.Free: "lifetime_limit_exceeded", access.Pro: "rate_limit_exceeded"} {
		a := s.get(t, tier, "/v1/filings?cursor=*&limit=1000")
		want := fmt.Sprintf(`{"error":%q,"message":"this page costs 10 requests, one per 100 of its limit, rounded up, and 7 remain of the quota: `+
			`nothing was taken. A smaller limit costs less"}`, code)
		if a.status != http.StatusTooManyRequests || a.body != want || a.remaining(t) != 7 || (a.header.Get("Retry-After") == "") != (tier == access.Free) {
			t.Errorf("%s: %d %v %s", tier, a.status, a.header, a.body)
		}
		if got := s.used(t, "user-"+string(tier)); got != 0 {
			t.Errorf("%s: %d were taken", tier, got)
		}
		for _, want := range []int64{4, 1} {
			if a := s.get(t, tier, "/v1/filings?cursor=*&limit=300"); a.status != http.StatusOK || a.remaining(t) != want {
				t.Errorf("%s: %d %s", tier, a.status, a.body)
			}
		}
		if a := s.get(t, tier, "/v1/filings?cursor=*&limit=100"); a.status != http.StatusOK || !strings.Contains(a.header.Get("RateLimit"), `"burst";r=1;`) {
			t.Errorf("%s: three pages took more than three of the burst: %v", tier, a.header)
		}
		if a := s.get(t, tier, "/v1/filings?cursor=*"); a.status != http.StatusTooManyRequests || !strings.Contains(a.body, "quota") || strings.Contains(a.body, "costs") {
			t.Errorf("%s, nothing left: %d %s", tier, a.status, a.body)
		}
	}
}

// TestX3_PriceIsRefunded: a page that the service fails to answer costs nothing, first or not.
func TestX3_PriceIsRefunded(t *testing.T) {
	t.Parallel()
	engine := newFaulty(oracle(many(t, 45)), nil)
	s := newSite(t, engine)
	next := s.crawl(t, "/v1/filings?cursor=*&limit=10").next("/v1/filings")
	engine.failWith(fmt.Errorf("searching: %w", index.ErrUnavailable))
	for _, target := range []string{"/v1/filings?cursor=*&limit=1000", next + "&limit=730"} {
		a := s.get(t, access.Pro, target)
		if used := s.used(t, "user-pro"); a.status != http.StatusInternalServerError || used != 0 || a.remaining(t) != 100_000 {
			t.Errorf("%d %s: %d used, %v", a.status, a.body, used, a.header)
		}
	}
}

// long are filings of 100 kB each: ten megabytes together.
const long dataset = "long"

const longFilings = 100

// TestX3_LongRecords: a page of a limit above 100 ends before its records have more than 4 MiB, on every engine, and the crawl
// goes on from there. One of a lower limit is whole.
func TestX3_LongRecords(t *testing.T) {
	t.Parallel()
	eachEngine(t, long, func(t *testing.T, s *site) {
		for _, target := range []string{"/v1/filings?", "/v1/filings/search?q=owner&sort_by=property_owner&sort_order=ASC&"} {
			var ids, sizes []int64
			for next := target + "cursor=*&limit=1000"; next != ""; {
				page := s.crawl(t, next)
				if len(page.body) > 4<<20+1000 || page.Pagination["total"] != float64(longFilings) || page.Pagination["has_more"] != (page.next(next) != "") {
					t.Errorf("a body of %d bytes, %v", len(page.body), page.Pagination)
				}
				ids, sizes = append(ids, page.ids()...), append(sizes, int64(len(page.Data)))
				next = page.next(next)
			}
			want := s.crawl(t, target+"limit=100").ids()
			if !slices.Equal(ids, want) || len(ids) != longFilings || len(sizes) != 3 {
				t.Errorf("pages of %v have %d filings, want those of one page: %v", sizes, len(ids), slices.Equal(ids, want))
			}
		}
		if page := s.crawl(t, "/v1/filings?cursor=*&limit=100"); len(page.Data) != longFilings {
			t.Errorf("a page of a limit of 100 has %d filings", len(page.Data))
		}
	})
}

// pagesOf is an engine that counts pages, and the rows that were asked for.
type pagesOf struct {
	index.Engine
	limits []int
}

type pageReader struct {
	index.Reader
	of *pagesOf
}

func (e *pagesOf) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return pageReader{r, e}, err
}

func (e *pagesOf) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return pageReader{r, e}, err
}

func (r pageReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	r.of.limits = append(r.of.limits, q.Limit)
	return r.Reader.Rows(ctx, q)
}

// TestX4_NothingIsReadAhead: each page of a crawl is one call for its own rows, also with a cache; a page that is requested again
// is in it.
func TestX4_NothingIsReadAhead(t *testing.T) {
	t.Parallel()
	engine := &pagesOf{Engine: servicetest.Still{Reader: indextest.NewOracle(oracleName, crawlable(t))}}
	s := newSite(t, caching{engine})
	for range 2 {
		if ids := s.crawlAll(t, "/v1/filings?cursor=*&limit=5", func() {}); len(ids) != 45 {
			t.Errorf("%d filings", len(ids))
		}
	}
	if want := slices.Repeat([]int{5}, 9); !slices.Equal(engine.limits, want) {
		t.Errorf("calls for %v rows, want %v", engine.limits, want)
	}
}
