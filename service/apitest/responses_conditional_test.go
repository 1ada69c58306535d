package apitest

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/service/access"
	"filings/service/servicetest"
)

// ofAccount are the endpoints whose responses come from the account alone.
func ofAccount(path string) bool { return strings.HasPrefix(path, "/v1/me") }

// untagged are the endpoints whose responses do not come from filings alone.
func untagged(path string) bool {
	return path == "/v1/stats" || path == "/v1/generations" || ofAccount(path)
}

func TestT3_Tags(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		seen := map[string]string{}
		for path := range paths {
			for _, tier := range access.Tiers {
				a := s.get(t, tier, path)
				tag := a.header.Get("ETag")
				if untagged(path) {
					if tag != "" {
						t.Errorf("%s has the tag %s", path, tag)
					}
					continue
				}
				if !strings.HasPrefix(tag, `W/"`) || seen[tag] != "" {
					t.Errorf("%s for %s: tag %q, which is also that of %s", path, tier, tag, seen[tag])
				}
				seen[tag] = path + " for " + string(tier)
				if again := s.get(t, tier, path).header.Get("ETag"); again != tag {
					t.Errorf("%s: tag %s, then %s", path, tag, again)
				}
				if got := a.header.Get("Cache-Control"); got != "private, no-cache" {
					t.Errorf("%s: Cache-Control %q", path, got)
				}
				checkNotModified(t, s, tier, path, tag)
			}
		}
	})
}

func checkNotModified(t *testing.T, s *site, tier access.Tier, path, tag string) {
	t.Helper()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		a := s.do(t, method, tier, path, "If-None-Match", tag)
		if a.status != http.StatusNotModified || a.body != "" || a.header.Get("ETag") != tag {
			t.Errorf("%s %s: %d %q %v", method, path, a.status, a.body, a.header)
		}
		for _, name := range []string{"X-RateLimit-Remaining", "X-Request-ID", "Cache-Control", "Vary"} {
			if a.header.Get(name) == "" {
				t.Errorf("304 of %s lacks %s", path, name)
			}
		}
		if a.header.Get("Content-Type") != "" {
			t.Errorf("304 of %s has the Content-Type %q", path, a.header.Get("Content-Type"))
		}
	}
}

func TestT3_IfNoneMatch(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const path = "/v1/filings?county=orange"
	tag := s.get(t, access.Pro, path).header.Get("ETag")
	strong := strings.TrimPrefix(tag, "W/")
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"the tag", []string{tag}, 304},
		{"compared weakly", []string{strong}, 304},
		{"in a list", []string{`"a", ` + tag + ` , W/"b"`}, 304},
		{"in a list without blanks", []string{`"a,b",` + tag}, 304},
		{"in a second header", []string{`"a"`, tag}, 304},
		{"any", []string{"*"}, 304},
		{"another", []string{`W/"0123"`}, 200},
		{"part of it", []string{tag[:len(tag)-2] + `"`}, 200},
		{"without quotes", []string{strings.Trim(strong, `"`)}, 200},
		{"not closed", []string{`"` + strings.Trim(strong, `"`)}, 200},
		{"nonsense", []string{`,,;"`}, 200},
		{"empty", []string{""}, 200},
		{"any in quotes", []string{`"*"`}, 200},
	} {
		t.Run("T3 "+tt.name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			for _, v := range tt.headers {
				headers = append(headers, "If-None-Match", v)
			}
			if a := s.get(t, access.Pro, path, headers...); a.status != tt.status {
				t.Errorf("%d, want %d", a.status, tt.status)
			}
		})
	}
}

// TestT3_CanonicalQuery writes one request in several ways, and several requests.
func TestT3_CanonicalQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	tag := func(target string) string { return s.get(t, access.Pro, target).header.Get("ETag") }
	for _, same := range [][]string{
		{"/v1/filings", "/v1/liens", "/v1/filings?limit=20", "/v1/filings?offset=0&x=1", "/v1/filings?county=&has_property_data=false&foreclosure_filter=all"},
		{"/v1/filings?county=Orange&min_amount=5", "/v1/filings?min_amount=5.0&county=ORANGE", "/v1/liens?min_amount=005&county=+orange+"},
		{"/v1/filings?filing_types=a,b", "/v1/filings?lien_types=b,,A", "/v1/filings?filing_type=b&filing_types=a"},
		{"/v1/filings?month=2026-02", "/v1/filings?date_start=2026-02-01&date_end=2026-02-28"},
		{"/v1/filings?limit=100", "/v1/filings?limit=1000"},
		{"/v1/filings/search?q=Oak++Street", "/v1/liens/search?q=oak+street&sort_by=record_date&sort_order=desc"},
		{"/v1/filings/1", "/v1/liens/01"},
		{"/v1/counties/orange/months", "/v1/counties/Orange/months"},
		{"/v1/stats/counties?state=fl", "/v1/stats/counties?state=FL"},
	} {
		for _, target := range same[1:] {
			if tag(target) != tag(same[0]) {
				t.Errorf("%s and %s are the same request, their tags differ", same[0], target)
			}
		}
	}
	different := []string{"/v1/filings", "/v1/filings?limit=19", "/v1/filings?offset=1", "/v1/filings?county=a", "/v1/filings?city=a",
		"/v1/filings?min_amount=1", "/v1/filings?max_amount=1", "/v1/filings/search?q=a", "/v1/filings/search?q=a&sort_order=asc",
		"/v1/filings/1", "/v1/filings/2", "/v1/counties", "/v1/stats/counties", "/v1/stats/counties?state=FL",
		"/v1/counties/orange/months", "/v1/counties/orange/date-ranges"}
	tags := map[string]string{}
	for _, target := range different {
		if other, ok := tags[tag(target)]; ok {
			t.Errorf("%s and %s have the same tag", target, other)
		}
		tags[tag(target)] = target
	}
}

// mute is an engine of which only the generation may be requested.
type mute struct {
	index.Reader
	t *testing.T
}

func (m mute) Rows(context.Context, index.Query) (index.Page, error) {
	m.t.Error("Rows was called")
	return index.Page{}, nil
}
func (m mute) Count(context.Context, index.Filter) (int64, error) {
	m.t.Error("Count was called")
	return 0, nil
}
func (m mute) Filings(_ context.Context, ids []int64) ([]index.Record, error) {
	m.t.Error("Filings was called")
	return make([]index.Record, len(ids)), nil
}
func (m mute) Counties(context.Context) ([]index.CountyStats, error) {
	m.t.Error("Counties was called")
	return nil, nil
}
func (m mute) Groups(context.Context, index.Filter, index.GroupQuery) (index.Groups, error) {
	m.t.Error("Groups was called")
	return index.Groups{}, nil
}
func (m mute) Cells(context.Context, index.Filter, index.Grid) ([]index.Cell, error) {
	m.t.Error("Cells was called")
	return nil, nil
}

func TestT3_NotModifiedQueriesNothing(t *testing.T) {
	t.Parallel()
	live := indextest.NewOracle("g1", fixture(t))
	talking, silent := newSite(t, servicetest.Still{Reader: live}), newSite(t, servicetest.Still{Reader: mute{live, t}})
	for path := range paths {
		if untagged(path) {
			continue
		}
		tag := talking.get(t, access.Free, path).header.Get("ETag")
		if a := silent.get(t, access.Free, path, "If-None-Match", tag); a.status != http.StatusNotModified {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestT3_AnotherGeneration(t *testing.T) {
	t.Parallel()
	one := newSite(t, servicetest.Still{Reader: indextest.NewOracle("g1", fixture(t))})
	two := newSite(t, servicetest.Still{Reader: indextest.NewOracle("g2", fixture(t))})
	for path := range paths {
		tag := one.get(t, access.Free, path).header.Get("ETag")
		if a := two.get(t, access.Free, path, "If-None-Match", tag); a.status != http.StatusOK {
			t.Errorf("%s: the tag of another generation matches: %d", path, a.status)
		}
	}
}

// TestT3_AnyOfNothing requests with * what does not exist: there is nothing that the client could have.
func TestT3_AnyOfNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for path, status := range map[string]int{
		"/v1/filings/77": 404, "/v1/filings/1": 304, "/v1/counties/Nowhere/months": 404, "/v1/counties/Orange/months": 304,
		"/v1/filings?limit=0": 400, "/v1/me": 200,
	} {
		if a := s.get(t, access.Free, path, "If-None-Match", "*"); a.status != status {
			t.Errorf("%s: %d, want %d", path, a.status, status)
		}
	}
}
