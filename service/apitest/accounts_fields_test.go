package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
	"pgregory.net/rapid"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/params"
)

// The marks of values above free: each is part of every value of its tier, and of nothing else. Numbers are so long that
// no request id and no tag holds them by chance.
const (
	proText        = "PROMARK"
	proNumber      = "98765432"
	proDay         = "2987-06-05"
	enterpriseText = "ENTERMARK"
	hiddenText     = "HIDDENMARK"
)

// marked returns filings all of whose values above free carry a mark.
func marked(t *testing.T) []*index.Filing {
	filings := fixture(t)
	for i, f := range filings {
		f.SetText(index.City, hiddenText)
		for _, field := range index.Fields() {
			info := field.Info()
			switch {
			case info.Tier != index.Pro && info.Tier != index.Enterprise:
			case info.Kind == index.KindDate:
				f.SetText(field, proDay)
			case info.Kind == index.KindText || info.Kind == index.KindLongText:
				f.SetText(field, map[index.Tier]string{index.Pro: proText, index.Enterprise: enterpriseText}[info.Tier]+info.Name)
			default:
				f.SetNumber(field, 9876543200000+float64(100*i)+float64(field))
			}
		}
	}
	return filings
}

// forbidden returns what a response for a tier must not hold: marks, and names as keys of JSON.
func forbidden(tier access.Tier) []string {
	all := []string{hiddenText, `"city":`, `"createdAt":`}
	sees := fieldsOf()[tier]
	for _, name := range fieldsOf()[access.Enterprise] {
		if !slices.Contains(sees, name) {
			all = append(all, `"`+name+`":`)
		}
	}
	if tier != access.Enterprise {
		all = append(all, enterpriseText)
	}
	if tier == access.Free || tier == access.Starter {
		all = append(all, proText, proNumber, proDay)
	}
	return all
}

// anyTarget draws a path of the service's own table of routes, so that a new endpoint is called too, and parameters of
// its table of parameters.
func anyTarget(r *rapid.T, s *site) string {
	patterns := []string{"/v1/nothing"} // or else few of a run's requests, sometimes none, are a 404
	for _, route := range s.App.GetRoutes(true) {
		if route.Method == http.MethodGet && strings.HasPrefix(route.Path, "/v1/") {
			patterns = append(patterns, route.Path)
		}
	}
	var path []string
	for part := range strings.SplitSeq(rapid.SampledFrom(patterns).Draw(r, "path"), "/") {
		switch {
		case part == ":id":
			part = rapid.SampledFrom([]string{"1", "2", "3", "77", "x"}).Draw(r, "id")
		case strings.HasPrefix(part, ":"):
			part = rapid.SampledFrom([]string{"Orange", "orange%2C%20FL", "Nowhere", "Aleutians%20West"}).Draw(r, "part")
		}
		path = append(path, part)
	}
	query := url.Values{}
	queried := rapid.SampledFrom(params.New("", nil).Rows(params.Queried))
	for _, p := range rapid.SliceOfN(queried, 0, 4).Draw(r, "parameters") {
		name := p.Name
		if p.Legacy != "" && rapid.Bool().Draw(r, "legacy") {
			name = p.Legacy
		}
		query.Set(name, rapid.SampledFrom([]string{p.Example, "o", "0", "true", "show", "Orange", "1"}).Draw(r, "value"))
	}
	if rapid.Bool().Draw(r, "search term") {
		query.Set("q", "o")
	}
	return strings.Join(path, "/") + "?" + query.Encode()
}

// anyHeaders draws what changes the form of a response.
func anyHeaders(r *rapid.T) []string {
	var headers []string
	for _, choice := range [][]string{
		{"Accept-Encoding", "gzip", "br", "gzip;q=0.5, br", "*", "identity"},
		{"Accept", "*/*", "application/json", "text/csv", "application/x-ndjson", "text/html"},
		{"Prefer", "handling=strict", "handling=lenient"},
		{"Origin", "https://example.com"},
	} {
		name := choice[0]
		if rapid.Bool().Draw(r, "with "+name) {
			headers = append(headers, name, rapid.SampledFrom(choice[1:]).Draw(r, name))
		}
	}
	return headers
}

// whole returns all that a client can read of a response: headers, and the body as it was before compression.
func (a response) whole(r *rapid.T) string {
	body, err := []byte(a.body), error(nil)
	switch a.header.Get("Content-Encoding") {
	case "gzip":
		body, err = fasthttp.AppendGunzipBytes(nil, body)
	case "br":
		body, err = fasthttp.AppendUnbrotliBytes(nil, body)
	}
	if err != nil && a.body != "" {
		r.Fatalf("decompress: %v", err)
	}
	return fmt.Sprintf("%d %v %s", a.status, a.header, body)
}

// TestK5_NoValueAboveTheTier calls every endpoint at random, after an account of the highest tier has called the same and
// so filled the cache: neither a name nor a value from above the tier shows in body, error, header or 304, and no two
// tiers share a tag.
func TestK5_NoValueAboveTheTier(t *testing.T) {
	t.Parallel()
	s := newSite(t, caching{oracle(marked(t))}, func(c *service.Config) {
		c.CORSOrigins, c.ActiveStatuses = []string{"*"}, []string{proText + "foreclosureStatus"}
	})
	owners, seen := map[string]access.Tier{}, map[int]int{}
	marks := 0
	check := func(r *rapid.T) {
		target, headers := anyTarget(r, s), anyHeaders(r)
		method := rapid.SampledFrom([]string{http.MethodGet, http.MethodGet, http.MethodHead, http.MethodPost}).Draw(r, "method")
		call := func(tier access.Tier, headers ...string) response {
			a := s.do(t, method, tier, target, headers...)
			// A city that matches nothing is answered with the nearest cities (rule X63), which groups name too.
			text := strings.ReplaceAll(a.whole(r), `"nearest":["`+hiddenText+`"]`, "")
			for _, word := range forbidden(tier) {
				ofGeneration := word == `"createdAt":` && strings.HasPrefix(target, "/v1/generations")
				if strings.Contains(text, word) && !ofGeneration {
					r.Fatalf("%s %s as %s shows %s: %s", method, target, tier, word, text)
				}
			}
			if tag := a.header.Get("ETag"); tag != "" {
				if owner, ok := owners[tag]; ok && owner != tier {
					r.Fatalf("%s %s: %s and %s share the tag %s", method, target, owner, tier, tag)
				}
				owners[tag] = tier
			}
			if strings.Contains(text, enterpriseText) {
				marks++
			}
			seen[a.status]++
			return a
		}
		tag := call(access.Enterprise, headers...).header.Get("ETag")
		tier := rapid.SampledFrom(access.Tiers).Draw(r, "tier")
		call(tier, headers...)
		// The tag of the highest tier does not open its response to another one.
		if a := call(tier, append(headers, "If-None-Match", tag)...); tier != access.Enterprise && a.status == http.StatusNotModified {
			r.Fatalf("%s %s: a tag of enterprise is good for %s", method, target, tier)
		}
		call(tier, append(headers, "If-None-Match", "*")...)
	}
	rounds := 1
	if testing.Short() {
		rounds = 5 // rapid draws a fifth then: too few to have every status
	}
	for range rounds {
		rapid.Check(t, check)
	}
	for _, status := range []int{200, 304, 400, 404, 405} {
		if seen[status] == 0 {
			t.Errorf("no response had status %d, of %v", status, seen)
		}
	}
	if marks == 0 {
		t.Error("no response to the highest tier had a mark: this test does not see them")
	}
}
