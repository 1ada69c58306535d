package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

// owned is a page of owners, or of filings.
type owned struct {
	Data []struct {
		ID   int64
		Name string
	}
	Pagination struct {
		Total int64
		Next  *string `json:"next_cursor"`
	}
	Meta struct{ Corrected json.RawMessage }
}

func (s *site) owned(t *testing.T, tier access.Tier, target string) (page owned) {
	t.Helper()
	a := s.get(t, tier, target)
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK {
		t.Fatalf("%s: %d %s", target, a.status, a.body)
	}
	return page
}

func (o owned) names() (names []string) {
	for _, one := range o.Data {
		names = append(names, one.Name)
	}
	return names
}

func TestX27_Owners(t *testing.T) {
	t.Parallel()
	const maple, pine, oak, island, emile, alpha, beta, gamma = "The Maple Family Trust", "ESTATE OF A. PINE", "oak Holdings LLC", "Zed Island Co",
		"Émile Zed", "alpha  Real  Estate LLC", "Beta", "gamma trustee"
	names := func(names ...string) []string { return names }
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for query, want := range map[string][]string{
			"":                                  names(alpha, beta, emile, pine, gamma, oak, maple, island),
			"limit=2&offset=1":                  names(beta, emile),
			"q=ze":                              names(emile, island),
			"q=+ZE+%C3%A9m":                     names(emile),
			"q=l.l":                             names(alpha, oak),
			"q=%C3%A9mile+lan":                  nil,
			"q=est":                             names(alpha, pine),
			"state=ak&sort_by=amount":           names(emile, gamma, beta, island),
			"county=aleutians+west,ak&limit=2":  names(beta, emile),
			"county=orange":                     names(alpha, pine, maple),
			"county=orange&state=CA":            names(pine),
			"county=Nowhere":                    nil,
			"min_filings=2":                     nil,
			"sort_by=name":                      names(alpha, beta, pine, gamma, oak, maple, island, emile),
			"sort_by=NAME&sort_order=desc":      names(emile, island, maple, oak, gamma, pine, beta, alpha),
			"sort_by=amount&sort_order=asc":     names(pine, island, beta, gamma, emile, alpha, maple, oak),
			"sort_by=filings&sort_order=asc":    names(alpha, beta, emile, pine, gamma, oak, maple, island),
			"q=e&state=AK&generation=" + liveID: names(emile),
		} {
			for _, tier := range access.Tiers {
				target := "/v1/owners?" + query
				if strings.Contains(query, liveID) {
					target = strings.Replace(target, liveID, s.get(t, tier, "/v1/owners").header.Get("X-Generation"), 1)
				}
				if diff := cmp.Diff(want, s.owned(t, tier, target).names()); diff != "" {
					t.Errorf("%s of %s (-want +got)\n%s", query, tier, diff)
				}
			}
		}
	})
}

const liveID = "LIVE"

// TestX27_Crawl: pages by cursor have each owner once, in every order, and the first page says how many there are.
func TestX27_Crawl(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(many(t, 45)))
	for _, sort := range index.OwnerSorts {
		for _, order := range []string{"", "ASC", "DESC"} {
			var all []string
			for target := "/v1/owners?limit=20&q=own&sort_by=" + sort + "&sort_order=" + order + "&cursor=*"; target != ""; {
				page := s.owned(t, access.Enterprise, target)
				if all = append(all, page.names()...); page.Pagination.Total != 45 {
					t.Fatalf("%s: %d in all", target, page.Pagination.Total)
				}
				if target = ""; page.Pagination.Next != nil {
					target = "/v1/owners?cursor=" + *page.Pagination.Next
				}
			}
			whole := s.owned(t, access.Enterprise, "/v1/owners?limit=100&sort_by="+sort+"&sort_order="+order).names()
			if !slices.Equal(all, whole) || len(all) != 45 {
				t.Errorf("by %s %s: %q\nby offset: %q", sort, order, all, whole)
			}
		}
	}
	if before := s.owned(t, access.Free, "/v1/owners?limit=1&cursor=*"); len(before.Data) != 1 || before.Pagination.Next == nil {
		t.Errorf("the first page: %+v", before)
	}
}

// TestX27_Invalid: each message names the parameter and what would be right.
func TestX27_Invalid(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const name = "q must be 1 to 200 characters, with a letter or digit"
	for query, want := range map[string]string{
		"q=--":                             name + `, not "--"`,
		"q=" + strings.Repeat("a", 201):    name + `, not "` + strings.Repeat("a", 60) + "…\"",
		"min_filings=0":                    "min_filings must be an integer, 1 or more, not \"0\"",
		"sort_by=sum":                      `sort_by must be one of filings, amount, name (in any case), not "sum"`,
		"state=floridia":                   `state must be a list of states: their codes, such as FL, or their names, not "floridia"`,
		"limit=0":                          "limit must be between 1 and 100",
		"cursor=*&offset=1":                "offset must not be given with cursor, which has the position already",
		"generation=2026":                  `generation must be the id of a generation such as 20261122-051422.061847, not "2026"`,
		"cursor=" + url.QueryEscape("x y"): "cursor must be *, or the next_cursor of a page: this one is damaged",
	} {
		a := s.get(t, access.Free, "/v1/owners?"+query)
		d := a.document(t)
		if a.status != http.StatusBadRequest || d.Error == nil || d.Error.Code != "invalid_parameter" || d.Error.Message != want {
			t.Errorf("%q: %d %s, want %q", query, a.status, a.body, want)
		}
	}
	wantInvalid(t, s.get(t, access.Free, "/v1/owners?owner=x&city=y"), "unknown parameter owner; this endpoint has") // rule X64
	if a := s.get(t, access.Free, "/v1/owners?owner=x", "Prefer", "handling=strict"); a.status != http.StatusBadRequest {
		t.Errorf("strictly: %d %s", a.status, a.body)
	}
	if a := newSite(t, servicetest.Still{Reader: index.Empty{}}).get(t, access.Pro, "/v1/owners?q=a"); dataOf(t, a) != "[]" {
		t.Errorf("before the first load: %s", a.body)
	}
}

// ownerless is a generation of an older version.
type ownerless struct{ index.Reader }

func (ownerless) Owners(context.Context, index.OwnerQuery) (index.Owners, error) {
	return index.Owners{}, fmt.Errorf("reading: %w", index.ErrNoOwners)
}

func (ownerless) Nearest(context.Context, []string) ([][]string, error) {
	return nil, index.ErrNoOwners
}

func TestX28_LoadedBefore(t *testing.T) {
	t.Parallel()
	r, err := oracle(fixture(t)).Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, servicetest.Still{Reader: ownerless{r}})
	for _, target := range []string{"/v1/owners", "/v1/owners?q=a&cursor=*", "/v1/filings/search?q=mapel&typos=auto"} {
		a := s.get(t, access.Pro, target)
		if d := a.document(t); a.status != http.StatusBadRequest || d.Error == nil || !strings.Contains(d.Error.Message, "loaded before owners were kept") {
			t.Errorf("%s: %d %s", target, a.status, a.body)
		}
	}
	if a := s.get(t, access.Pro, "/v1/filings/search?q=maple&typos=auto"); a.status != http.StatusOK {
		t.Errorf("what is found as it is: %d %s", a.status, a.body)
	}
}

func TestX29_Typos(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for query, want := range map[string]struct {
			ids       []int64
			corrected string // "" is none
		}{
			"q=maple":        {[]int64{1}, ""},
			"q=familly":      {[]int64{1}, `[{"from":"familly","to":["family"]}]`},
			"q=family+mapel": {[]int64{1}, `[{"from":"mapel","to":["maple"]}]`},
			"q=trust+maple":  {[]int64{1}, `[]`}, // words in another order
			"q=Srteet+OAK&sort_by=property_owner&sort_order=asc": {[]int64{7, 1}, `[{"from":"srteet","to":["street"]}]`},
			"q=srteet&county=Orange,+FL&min_amount=1000":         {[]int64{1, 7}, `[{"from":"srteet","to":["street"]}]`},
			"q=srteet&city=Orlando":                              {[]int64{1}, `[{"from":"srteet","to":["street"]}]`},
			"q=holdngs+bibb":                                     {[]int64{3}, `[{"from":"holdngs","to":["holdings"]}]`}, // a county is found, and no word
			"q=2026+cv+famiyl":                                   {[]int64{1}, `[{"from":"famiyl","to":["family"]}]`},
			"q=nothing+like+it":                                  {nil, `[]`},
			"q=oka":                                              {nil, `[]`}, // too short
			"q=*%25*":                                            {nil, ""},
		} {
			page := s.owned(t, access.Enterprise, "/v1/filings/search?typos=auto&"+query)
			var ids []int64
			for _, f := range page.Data {
				ids = append(ids, f.ID)
			}
			if !slices.Equal(ids, want.ids) || string(page.Meta.Corrected) != want.corrected || page.Pagination.Total != int64(len(ids)) {
				t.Errorf("%s: %v of %d, %s; want %v", query, ids, page.Pagination.Total, page.Meta.Corrected, want)
			}
		}
		if page := s.owned(t, access.Enterprise, "/v1/filings/search?q=familly"); len(page.Data) > 0 || page.Meta.Corrected != nil {
			t.Errorf("not requested: %+v", page)
		}
	})
}

// TestX29_Crawl: pages by cursor of a corrected search go on as they began.
func TestX29_Crawl(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(many(t, 45)))
	const target = "/v1/filings/search?q=onwer&typos=auto&limit=20&cursor=*"
	if ids := s.crawlAll(t, target, func() {}); len(ids) != 45 {
		t.Errorf("%d filings", len(ids))
	}
	first := s.crawl(t, target)
	second := s.owned(t, access.Enterprise, first.next(target))
	if string(second.Meta.Corrected) != `[{"from":"onwer","to":["owner"]}]` {
		t.Errorf("the second page: %s", second.Meta.Corrected)
	}
	as := s.get(t, access.Pro, "/v1/filings/search?q=onwer")
	corrected := s.get(t, access.Pro, "/v1/filings/search?q=onwer&typos=auto", "If-None-Match", as.header.Get("ETag"))
	if corrected.status != http.StatusOK {
		t.Errorf("with the tag of the other: %d", corrected.status)
	}
	for _, value := range []string{"AUTO", "on", "no", "true"} {
		if a := s.get(t, access.Pro, "/v1/filings/search?q=x&typos="+value); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", value, a.status, a.body)
		}
	}
}
