package apitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/service/access"
	"filings/service/mvt/mvttest"
)

// condition is a filter: as a query, and as what it means, written anew.
type condition struct {
	query string
	holds func(*index.Filing) bool
}

// scoped is a token, and what it is for.
type scoped struct {
	text      string
	made      string // of which parameters
	tier      access.Tier
	endpoints []string
	link      bool
	fields    map[string]bool // nil: all of the tier
	allowed   []*index.Filing
	ids       map[int64]bool
	owners    map[string]bool
}

// tokenFuzz sends random requests with random tokens.
type tokenFuzz struct {
	*testing.T
	s       *site
	dice    *rand.Rand
	filings []*index.Filing
	tokens  []scoped
	tiles   string // where the tiles of the generation are
	sent    map[string]int
}

func some[T any](f *tokenFuzz, from ...T) T { return from[f.dice.IntN(len(from))] }

// condition returns a random filter, mostly of what some filing has.
func (f *tokenFuzz) condition() condition {
	of := some(f, f.filings...)
	same := func(field index.Field) condition {
		value := of.Text(field)
		name := map[index.Field]string{index.County: "county", index.FilingType: "filing_type", index.FilingHolder: "holder"}[field]
		return condition{name + "=" + url.QueryEscape(value), func(x *index.Filing) bool { return strings.EqualFold(x.Text(field), value) || value == "" }}
	}
	number := func(field index.Field, name string, fits func(x, limit float64) bool) condition {
		limit, _ := of.Number(field)
		return condition{fmt.Sprintf("%s=%s", name, strconv.FormatFloat(limit, 'f', -1, 64)), func(x *index.Filing) bool {
			v, ok := x.Number(field)
			return ok && fits(v, limit)
		}}
	}
	atLeast, atMost := func(x, limit float64) bool { return x >= limit }, func(x, limit float64) bool { return x <= limit }
	switch f.dice.IntN(10) {
	case 0, 1:
		return same(index.County)
	case 2:
		name, _ := index.SplitCounty(of.Text(index.County))
		return condition{"county=" + url.QueryEscape(name), func(x *index.Filing) bool {
			other, _ := index.SplitCounty(x.Text(index.County))
			return strings.EqualFold(other, name)
		}}
	case 3:
		return same(some(f, index.FilingType, index.FilingHolder))
	case 4:
		return number(index.FilingAmount, "min_amount", atLeast)
	case 5:
		return number(index.FilingAmount, "max_amount", atMost)
	case 6:
		if of.Has(index.LotSizeAcres) {
			return number(index.LotSizeAcres, "min_acres", atLeast)
		}
		fallthrough
	case 7:
		if day := of.Text(index.FilingDate); day != "" {
			return condition{"date_start=" + day, func(x *index.Filing) bool { return x.Text(index.FilingDate) >= day }}
		}
		fallthrough
	case 8:
		county := of.Text(index.County)
		return condition{"exclude_counties=" + url.QueryEscape(county), func(x *index.Filing) bool { return !strings.EqualFold(x.Text(index.County), county) }}
	default:
		lat, lon := 25+10*f.dice.Float64(), -120+30*f.dice.Float64()
		north, east := lat+20*f.dice.Float64(), lon+40*f.dice.Float64()
		return condition{fmt.Sprintf("bounds_north=%f&bounds_south=%f&bounds_east=%f&bounds_west=%f", north, lat, east, lon), func(x *index.Filing) bool {
			a, ok := x.Number(index.Latitude)
			b, ok2 := x.Number(index.Longitude)
			const slack = 1e-6 // the query has six decimals
			return ok && ok2 && a >= lat-slack && a <= north+slack && b >= lon-slack && b <= east+slack
		}}
	}
}

// conditions returns up to most of them, of different parameters, and the filings of from that they select.
func (f *tokenFuzz) conditions(most int, from []*index.Filing) (query string, selected []*index.Filing) {
	selected = from
	used := map[string]bool{}
	for range f.dice.IntN(most + 1) {
		c := f.condition()
		name, _, _ := strings.Cut(c.query, "=")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "min_"), "max_") // a least amount above the most is refused
		if used[name] || strings.HasSuffix(c.query, "=") {
			continue
		}
		used[name] = true
		query += "&" + c.query
		selected = slices.DeleteFunc(slices.Clone(selected), func(x *index.Filing) bool { return !c.holds(x) })
	}
	return query, selected
}

// makeToken makes a random token.
func (f *tokenFuzz) makeToken() {
	query, allowed := f.conditions(3, f.filings)
	k := scoped{tier: some(f, access.Starter, access.Pro, access.Enterprise), allowed: allowed, ids: map[int64]bool{}, owners: map[string]bool{}}
	k.endpoints = []string{"list", "search", "one", "clusters", "groups", "tiles"}
	if !strings.Contains(strings.ReplaceAll(query, "&county=", ""), "=") || query == "" {
		k.endpoints = append(k.endpoints, "owners")
	}
	if f.dice.IntN(4) == 0 {
		k.endpoints = k.endpoints[f.dice.IntN(3):]
		query += "&endpoints=" + strings.Join(k.endpoints, ",")
	} else if f.dice.IntN(3) == 0 {
		k.link, k.endpoints = true, append(k.endpoints, "export", "changes")
		if k.tier == access.Starter { // whose changes are not filtered by acres
			k.endpoints = k.endpoints[:len(k.endpoints)-1]
		}
		query += "&endpoints=" + strings.Join(k.endpoints, ",")
	}
	if f.dice.IntN(2) == 0 {
		names := []string{"owner", "county", "filingAmount", "geocodedLatitude", "geocodedLongitude", "caseNumber"}
		if k.tier != access.Starter {
			names = append(names, "aiSummary", "estimatedValue")
		}
		f.dice.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		names = names[:1+f.dice.IntN(len(names))]
		query += "&fields=" + strings.Join(names, ",")
		k.fields = map[string]bool{"id": true}
		for _, name := range names {
			k.fields[name] = true
		}
	}
	k.made = query
	if query = "visitor_burst=25&expires_in=86400" + query; k.link {
		k.text = f.s.link(f, k.tier, query)
	} else {
		k.text = f.s.token(f, k.tier, query)
	}
	for _, x := range k.allowed {
		k.ids[x.ID], k.owners[index.OwnerKeyOf(x.Text(index.Owner))] = true, true
	}
	f.tokens = append(f.tokens, k)
}

// request sends one random request, and checks its response.
func (f *tokenFuzz) request() {
	k := some(f, f.tokens...)
	query, wanted := f.conditions(2, k.allowed)
	counts := true // wanted is what the request selects
	kind := some(f, "list", "list", "search", "one", "one", "clusters", "groups", "owners", "tiles", "tiles",
		"tiles.json", "export", "changes", "never")
	var path string
	switch kind {
	case "list":
		path = fmt.Sprintf("%s?limit=%d&offset=%d&sort_by=%s%s", some(f, "/v1/filings", "/v1/liens"), 1+f.dice.IntN(100), f.dice.IntN(40)*f.dice.IntN(2), some(f, "filing_amount", "property_owner", "created_at"), query)
	case "search":
		path, counts = fmt.Sprintf("%s?q=%s&limit=100%s", some(f, "/v1/filings/search", "/v1/liens/search"), some(f, "a", "trust", "oak", "llc", "2024", "mapel&typos=auto"), query), false
	case "one":
		path = fmt.Sprintf("%s/%d?", some(f, "/v1/filings", "/v1/liens"), some(f, f.filings...).ID)
	case "clusters":
		query, _ = f.conditions(0, nil)
		path, wanted = fmt.Sprintf("/v1/filings/clusters?zoom=%d&bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180%s", f.dice.IntN(12), query), k.allowed
	case "groups":
		path = "/v1/filings/groups?by=" + some(f, "state", "county", "owner", "filing_type", "month", "holder", "city", "county,month") + query
	case "owners":
		path = "/v1/owners?limit=100&q=" + some(f, "a", "m", "t", "ll") + some(f, "", "&county="+url.QueryEscape(some(f, f.filings...).Text(index.County)))
	case "tiles":
		z := f.dice.IntN(5)
		path = strings.NewReplacer("{z}", fmt.Sprint(z), "{x}", fmt.Sprint(f.dice.IntN(1<<z)), "{y}", fmt.Sprint(f.dice.IntN(1<<z))).Replace(f.tiles) + "?" + query
	case "tiles.json":
		path = "/v1/tiles.json?" + query
	case "export":
		path = "/v1/filings/export?" + some(f, "", "q=a&") + query
		counts = !strings.Contains(path, "q=")
	case "changes":
		path = fmt.Sprintf("/v1/filings/changes?limit=%d&since=%s%s", 1+f.dice.IntN(300), strings.Split(f.tiles, "/")[3],
			query)
	case "never":
		path = some(f, "/v1/stats?", "/v1/stats/counties?", "/v1/counties?", "/v1/counties/Orange/months?", "/v1/counties/Orange/date-ranges?", "/v1/coverage?", "/v1/fields?", "/v1/generations?",
			"/v1/me?", "/v1/me/usage?", "/v1/tokens?origin="+pageOrigin)
	}
	if f.dice.IntN(6) == 0 {
		path += "&fields=" + some(f, "id", "owner", "ownerPhonePrimary", "ownerEmailPrimary,id", "aiSummary", "estimatedValue,county")
	}
	if f.dice.IntN(20) == 0 {
		path += some(f, "&cursor=*", "&offset=10000", "&unknown=1", "&county=", "&token=x")
	}
	headers := []string{"Origin", pageOrigin}
	if k.link {
		headers = some(f, nil, []string{"Origin", "https://anywhere.example"})
	}
	if f.dice.IntN(5) == 0 {
		headers = append(headers, "Accept", geoJSON)
	}
	f.s.clock.Advance(time.Second) // so that no quota of a day is used up
	a := f.s.do(f, some(f, http.MethodGet, http.MethodGet, http.MethodGet, http.MethodHead), "", path+"&token="+k.text, headers...)
	f.sent[fmt.Sprint(kind, " ", a.status)]++
	f.check(k, kind, path, a)
	if counts && a.status == http.StatusOK && a.body != "" {
		f.total(kind, path, k, a, wanted)
	}
	if f.Failed() {
		f.Fatalf("%s with the token of %s %q:\n%d %s", path, k.tier, k.made, a.status, a.body)
	}
}

// check looks for anything in a response that the token is not for.
func (f *tokenFuzz) check(k scoped, kind, path string, a response) {
	name := strings.TrimSuffix(kind, ".json")
	for header, values := range a.header {
		if strings.Contains(strings.Join(values, " "), "ak_pub_") {
			f.Errorf("%s has a token", header)
		}
	}
	switch {
	case kind == "export" && strings.Contains(a.body, "another export of this account is in progress"):
		return
	case a.status >= 500 || a.status == http.StatusTooManyRequests:
		f.Errorf("status %d", a.status)
	case strings.Contains(a.body, "ak_pub_") && kind != "tiles.json", strings.Contains(a.body, "ak_live_"):
		f.Errorf("a token in the body")
	case strings.Contains(path, "&token="): // refused, before all else
		if a.status != http.StatusUnauthorized {
			f.Errorf("status %d with two tokens", a.status)
		}
	case kind == "never" || !slices.Contains(k.endpoints, name):
		if a.status != http.StatusForbidden {
			f.Errorf("status %d of an endpoint that it is not for", a.status)
		}
	}
	if a.status != http.StatusOK || a.body == "" {
		return
	}
	if strings.Contains(path, "ownerPhone") || strings.Contains(path, "ownerEmail") {
		if !slices.Contains([]string{"clusters", "groups", "owners", "tiles", "changes"}, name) { // which do not know fields
			f.Errorf("contacts were requested")
		}
	}
	if strings.Contains(a.body, "ownerPhone") || strings.Contains(a.body, "ownerEmail") {
		f.Errorf("contacts")
	}
	if kind == "tiles" {
		f.tile(k, []byte(a.body))
		return
	}
	if kind == "export" {
		for _, row := range lines(a.body) {
			var record any
			if err := json.Unmarshal([]byte(row), &record); err != nil {
				f.Errorf("%v", err)
			}
			f.walk(k, kind, record, "")
		}
		return
	}
	var body any
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		f.Errorf("%v", err)
	}
	if kind != "tiles.json" {
		f.walk(k, kind, body, "")
	}
}

// walk looks at every object of a response.
func (f *tokenFuzz) walk(k scoped, kind string, v any, name string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			f.walk(k, kind, item, name)
		}
	case map[string]any:
		if id, ok := v["id"].(float64); ok && !k.ids[int64(id)] {
			f.Errorf("the filing %v is outside", id)
		}
		if v["sum"] != nil && k.fields != nil && !k.fields[index.FilingAmount.String()] && kind == "clusters" {
			f.Errorf("a cell has the sum %v", v["sum"])
		}
		isRecord := v["id"] != nil && v["count"] == nil && v["geometry"] == nil && name != "tiles"
		for member, value := range v {
			if field, known := index.ByName(member); known && isRecord {
				if field.Info().Tier > index.Pro || k.tier == access.Starter && field.Info().Tier > index.Free || k.fields != nil && !k.fields[member] && kind != "clusters" {
					f.Errorf("the field %s", member)
				}
			}
			f.walk(k, kind, value, member)
		}
		if owner, ok := v["writings"]; ok && owner != nil && !k.owners[index.OwnerKeyOf(v["name"].(string))] {
			f.Errorf("the owner %s has no filing inside", v["name"])
		}
	}
}

// tile looks at the points of a tile.
func (f *tokenFuzz) tile(k scoped, data []byte) {
	for _, layer := range mvttest.Read(f, data) {
		for _, p := range layer.Points {
			if p.ID != 0 && !k.ids[int64(p.ID)] {
				f.Errorf("the filing %d is outside", p.ID)
			}
			for name := range p.Properties {
				of := name
				if name == "sum" || name == "max" {
					of = index.FilingAmount.String()
				}
				if name != "count" && k.fields != nil && !k.fields[of] {
					f.Errorf("%s of a point", name)
				}
			}
		}
	}
}

// total compares how many filings a response says there are with how many are wanted.
func (f *tokenFuzz) total(kind, path string, k scoped, a response, wanted []*index.Filing) {
	var body struct {
		Data       json.RawMessage
		Pagination struct{ Total int }
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil && kind != "tiles" && kind != "export" {
		f.Errorf("%v", err)
	}
	got, want := -1, len(wanted)
	switch kind {
	case "list":
		got = body.Pagination.Total
	case "export":
		got = len(lines(a.body))
	case "clusters":
		want = 0
		for _, x := range wanted {
			if x.Has(index.Latitude) && x.Has(index.Longitude) {
				want++
			}
		}
		var clusters struct {
			Total    int
			Features []struct{ Properties struct{ Count int } }
		}
		_ = json.Unmarshal(body.Data, &clusters)
		_ = json.Unmarshal([]byte(a.body), &clusters)
		got = clusters.Total
		for _, c := range clusters.Features {
			got += c.Properties.Count
		}
	case "groups":
		var groups []struct{ Filings int }
		_ = json.Unmarshal(body.Data, &groups)
		got = 0
		for _, g := range groups {
			got += g.Filings
		}
	default:
		return
	}
	if got != want {
		f.Errorf("%d filings, want %d", got, want)
	}
}

// TestX33_RandomRequests: whatever is requested with whatever token, no response has a filing outside of its filters, a field outside of its
// fields or above pro, or a contact; lists, groups and clusters count what the filters of both select. `make faults` sends a million.
func TestX33_RandomRequests(t *testing.T) {
	t.Parallel()
	many, _ := strconv.Atoi(cmp.Or(os.Getenv("TEST_TOKEN_REQUESTS"), "3000"))
	const beside = 8 // one waits for an engine's server most of its time
	eachEngineNightly(t, varied, func(t *testing.T, s *site) {
		tiles := "/v1/tiles/" + s.get(t, access.Pro, "/v1/filings?limit=1").header.Get("X-Generation") + "/{z}/{x}/{y}.mvt"
		t.Cleanup(func() { // when all have ended
			if log := s.Log.String(); strings.Contains(log, "ak_pub_") || strings.Contains(log, "ak_live_") {
				t.Error("the log has a token or a key")
			}
		})
		for seed := range beside {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				f := &tokenFuzz{T: t, s: s, dice: rand.New(rand.NewPCG(3, uint64(33+seed))), filings: varied.filings(t), tiles: tiles, sent: map[string]int{}}
				for i := range many / 3 / beside {
					if i%200 == 0 { // others, and those from before
						for range 10 {
							f.makeToken()
						}
						f.tokens = f.tokens[max(0, len(f.tokens)-40):]
					}
					f.request()
				}
				t.Logf("%v", f.sent)
			})
		}
	})
}
