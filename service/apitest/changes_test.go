package apitest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service/access"
)

// lineage is an engine in memory whose generations a test promotes and rolls back. It keeps the live one alone, and changesets.
type lineage struct {
	mu       sync.Mutex
	live     int
	contents [][]*index.Filing // of generations, by number
	indextest.History
}

func lineageName(n int) string { return fmt.Sprintf("filings-202603%02d-000000.000000-v1", n) }

// promote makes filings the live generation, and returns its id.
func (e *lineage) promote(filings []*index.Filing) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	made := max(1, len(e.contents))
	if e.contents == nil {
		e.contents = make([][]*index.Filing, 1)
	} else {
		e.Promote(lineageName(e.live), e.contents[e.live], lineageName(made), filings)
	}
	e.contents, e.live = append(e.contents, filings), made
	return index.GenerationID(lineageName(made))
}

func (e *lineage) rollback(to int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.live = to
}

func (e *lineage) Live(context.Context) (index.Reader, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.contents == nil {
		return index.Empty{}, nil
	}
	return indextest.NewOracle(lineageName(e.live), e.contents[e.live]), nil
}

// Kept has all generations, of which nothing but the changes is requested: until has to be kept (rule X53).
func (e *lineage) Kept(context.Context, string) (kept []index.Generation, _ error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for n := len(e.contents) - 1; n > 0; n-- {
		kept = append(kept, index.Generation{Name: lineageName(n), Filings: int64(len(e.contents[n])), Live: n == e.live})
	}
	return kept, nil
}

func (e *lineage) Withdrawn(context.Context, string) (bool, error) { return false, nil }

func (e *lineage) Pin(context.Context, string) (index.Reader, error) { return nil, index.ErrGone }

const (
	changes1 = "/v1/filings/changes?since=20260301-000000.000000"
	data     = `{"data":`
)

// between cuts the data and the pagination out of a body of 200.
func between(t *testing.T, a response) string {
	t.Helper()
	body, _, ok := strings.Cut(a.body, `,"meta":`)
	if a.status != http.StatusOK || !ok {
		t.Fatalf("%d %s", a.status, a.body)
	}
	return body
}

// evolved returns a site over three generations: in the second one 1 has another owner, 2 another phone number, 3 is
// removed and 100 added; in the third one 1 is as it was.
func evolved(t *testing.T) (*site, *lineage) {
	e := &lineage{}
	first := fixture(t)
	e.promote(first)
	second := slices.Clone(first)
	second[0] = edges.Clone(first[0])
	second[0].SetText(index.Owner, "NEW OWNER")
	second[1] = edges.Clone(first[1])
	second[1].SetText(index.OwnerPhonePrimary, "555-0199")
	second[2] = edges.Clone(first[2])
	second[2].ID = 100
	e.promote(second)
	third := slices.Clone(second)
	third[0] = first[0]
	e.promote(third)
	return newSite(t, caching{e}), e
}

func recordFor(f *index.Filing, tier index.Tier) string {
	return indextest.Seen(f, tier)
}

// TestX16_Changes: every filing that differs comes once, by id, whole, as the tier sees it, whatever was in between.
func TestX16_Changes(t *testing.T) {
	t.Parallel()
	s, e := evolved(t)
	for tier, shown := range map[access.Tier]index.Tier{access.Free: index.Free, access.Starter: index.Free, access.Pro: index.Pro, access.Enterprise: index.Enterprise} {
		second := e.contents[2]
		phone := ""
		if tier == access.Enterprise {
			phone = `{"op":"changed","id":2,"filing":` + recordFor(second[1], shown) + `},`
		}
		rest := phone + `{"op":"removed","id":3},{"op":"added","id":100,"filing":` + recordFor(second[2], shown) + `}`
		const last = `],"pagination":{"limit":100,"next_cursor":null,"has_more":false}`
		owner := `{"op":"changed","id":1,"filing":` + recordFor(second[0], shown) + `}`
		for target, want := range map[string]string{
			changes1: data + "[" + rest + last,
			changes1 + "&until=20260302-000000.000000":                                                              data + "[" + owner + "," + rest + last,
			changes1 + "&until=20260302-000000.000000&ids=1,7":                                                      data + "[" + owner + last,
			changes1 + "&until=20260302-000000.000000&q=new+owner":                                                  data + "[" + strings.Replace(owner, "changed", "added", 1) + last,
			changes1 + "&until=20260302-000000.000000&q=maple":                                                      data + `[{"op":"removed","id":1}` + last,
			"/v1/filings/changes?since=20260303-000000.000000":                                                      data + "[" + last,
			"/v1/filings/changes?since=20260303-000000.000000&until=20260302-000000.000000":                         data + "[" + owner + last,
			"/v1/filings/changes?since=20260302-000000.000000&until=20260301-000000.000000&county=Orange, CA&ids=1": data + "[" + last,
			"/v1/filings/changes?since=20260302-000000.000000&until=20260301-000000.000000&county=orange ca&ids=1":  data + "[" + last,
		} {
			a := s.get(t, tier, strings.ReplaceAll(target, " ", "+"))
			if got := between(t, a); got != want {
				t.Errorf("%s, %s\nwant %s\ngot  %s", tier, target, want, got)
			}
			until := "20260303-000000.000000"
			if _, after, ok := strings.Cut(target, "until="); ok {
				until = after[:len(until)]
			}
			if got := a.header.Get("X-Generation"); got != until {
				t.Errorf("%s, %s: X-Generation %q", tier, target, got)
			}
		}
	}
}

// TestX16_Pages: pages go on with the generation that was live at the first one, and the cursor is enough for the next.
func TestX16_Pages(t *testing.T) {
	t.Parallel()
	s, e := evolved(t)
	whole := between(t, s.get(t, access.Enterprise, changes1))
	target, parts := changes1+"&limit=1", []string{}
	for page := 0; target != ""; page++ {
		a := s.get(t, access.Enterprise, target)
		body := between(t, a)
		if got := a.header.Get("X-Generation"); got != "20260303-000000.000000" {
			t.Errorf("page %d is of %s", page, got)
		}
		rows, rest, _ := strings.Cut(strings.TrimPrefix(body, data+"["), `],"pagination":{"limit":1,"next_cursor":`)
		parts = append(parts, rows)
		next := strings.TrimPrefix(strings.TrimSuffix(rest, `,"has_more":true}`), `"`)
		link := a.header.Get("Link")
		if target = ""; rest != `null,"has_more":false}` {
			target = "/v1/filings/changes?cursor=" + strings.TrimSuffix(next, `"`)
			if link != "<"+strings.TrimPrefix(target, "/v1/filings/changes")+`>; rel="next"` {
				t.Errorf("Link: %s, want %s", link, target)
			}
			if page == 0 { // what is loaded meanwhile makes no difference
				e.promote(nil)
				s.clock.Advance(2e9)
			}
			target += "&limit=1&since=20260301-000000.000000&until=20260303-000000.000000" // may be repeated
		} else if link != "" {
			t.Errorf("Link of the last page: %s", link)
		}
		if page > 5 {
			t.Fatal("it does not end")
		}
	}
	if got := data + "[" + strings.Join(parts, ",") + `],"pagination":{"limit":100,"next_cursor":null,"has_more":false}`; got != whole || len(parts) != 3 {
		t.Errorf("in %d pages\nwant %s\ngot  %s", len(parts), whole, got)
	}
	a := s.get(t, access.Pro, changes1+"&limit=1")
	_, rest, _ := strings.Cut(a.body, `"next_cursor":"`)
	at, _, _ := strings.Cut(rest, `"`)
	for query, want := range map[string]string{
		"since=20260302-000000.000000": `since must be omitted, or be "20260301-000000.000000" as on the first page`,
		"until=20260302-000000.000000": "until must be 20260304-000000.000000, the generation of the cursor; omit it",
		"county=Lake, FL":              "county must be omitted, as on the first page",
		"limit=0":                      "limit must be between 1 and 1000",
	} {
		wantInvalid(t, s.get(t, access.Pro, "/v1/filings/changes?cursor="+at+"&"+strings.ReplaceAll(query, " ", "+")), want)
	}
	wantInvalid(t, s.get(t, access.Pro, "/v1/filings?cursor="+at), "this cursor belongs to the changes, and this is the list; start here with cursor=*")
}

// wantInvalid checks that a is a 400 with the message want; one that ends with "; this endpoint has" goes on with names.
func wantInvalid(t *testing.T, a response, want string) {
	t.Helper()
	if got := a.document(t).Error; strings.HasSuffix(want, "; this endpoint has") && got != nil && strings.HasPrefix(got.Message, want) {
		want = got.Message
	}
	if a.status != http.StatusBadRequest || a.document(t).Error.Message != want || a.document(t).Error.Code != "invalid_parameter" {
		t.Errorf("%d %s\nwant 400 and %q", a.status, a.body, want)
	}
}

// TestX16_Refused: what is missing or malformed, and what would select other filings on another day.
func TestX16_Refused(t *testing.T) {
	t.Parallel()
	s, _ := evolved(t)
	for target, want := range map[string]string{
		"/v1/filings/changes":                             "since must be given: the id of a generation such as 20261121-051409.330172",
		"/v1/filings/changes?since=":                      "since must be the id of a generation such as 20261121-051409.330172",
		"/v1/filings/changes?since=yesterday":             `since must be the id of a generation such as 20261121-051409.330172, not "yesterday"`,
		changes1 + "&until=today":                         `until must be the id of a generation such as 20261122-051422.061847, not "today"`,
		changes1 + "&limit=0":                             "limit must be between 1 and 1000",
		changes1 + "&limit=many":                          "limit must be between 1 and 1000",
		changes1 + "&cursor=x":                            "cursor must be *, or the next_cursor of a page: this one is damaged",
		changes1 + "&min_amount=x":                        `min_amount must be a plain decimal number such as 1000, not "x"`,
		changes1 + "&date_range=30":                       "date_range is not supported here, because its result changes every day; use date_start",
		changes1 + "&city=" + strings.Repeat("x", 2100):   "cursor contains the other parameters, at most 2048 characters of them, not 2134; send fewer",
		"/v1/filings/changes?cursor=*":                    "since must be given: the id of a generation such as 20261121-051409.330172",
		changes1 + "&since=20260302-000000.000000":        "since must be given only once",
		changes1 + "&date_start=2026-02-01&date_end=2026": `date_end must be a day as YYYY-MM-DD, not "2026"`,
	} {
		wantInvalid(t, s.get(t, access.Enterprise, target), want)
	}
	if a := s.get(t, access.Enterprise, changes1+"&limit=5000"); !strings.Contains(a.body, `"limit":1000,`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.get(t, access.Enterprise, changes1+"&offset=1&generation=20260301-000000.000000"); a.header.Get("X-Ignored-Parameters") != "offset, generation" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

// TestX16_DateRange: it is refused on every page, and is no parameter that is ignored; empty it is not given (rule P4).
func TestX16_DateRange(t *testing.T) {
	t.Parallel()
	s, _ := evolved(t)
	const must = "date_range is not supported here, because its result changes every day; use date_start"
	first := s.get(t, access.Enterprise, changes1+"&limit=1")
	_, rest, _ := strings.Cut(first.body, `"next_cursor":"`)
	at, _, _ := strings.Cut(rest, `"`)
	behind := "/v1/filings/changes?cursor=" + at
	for _, target := range []string{changes1, behind} {
		for query, want := range map[string]string{"&date_range=30": must, "&date_range=x": must, "&date_range=&date_range=": "date_range must be given only once"} {
			for _, handling := range []string{"lenient", "strict"} {
				a := s.get(t, access.Enterprise, target+query, "Prefer", "handling="+handling)
				wantInvalid(t, a, want)
				if got := a.header.Get("X-Ignored-Parameters"); got != "" {
					t.Errorf("%s: X-Ignored-Parameters %q", query, got)
				}
			}
		}
		a := s.get(t, access.Enterprise, target+"&date_range=", "Prefer", "handling=strict")
		if between(t, a) != between(t, s.get(t, access.Enterprise, target)) || a.header.Get("X-Ignored-Parameters") != "" {
			t.Errorf("empty: %v %s", a.header, a.body)
		}
	}
	between(t, s.get(t, access.Enterprise, behind+"&since=&until="))
	wantInvalid(t, s.get(t, access.Enterprise, behind+"&since=&since="), "since must be given only once")
}

// TestX16_Gone: where no changesets lead from one generation to the other, 410 says to export anew.
func TestX16_Gone(t *testing.T) {
	t.Parallel()
	s, e := evolved(t)
	e.Keep(1)
	for since, until := range map[string]string{
		"20260301-000000.000000": "20260303-000000.000000", // too old
		"20200101-000000.000000": "20260303-000000.000000",
		"20300101-000000.000000": "20260303-000000.000000",
		"20260302-000000.000000": "20260301-000000.000000",
		"20260303-000000.000000": "20300101-000000.000000",
		"20300102-000000.000000": "20300102-000000.000000",
	} {
		a := s.get(t, access.Pro, "/v1/filings/changes?since="+since+"&until="+until, "If-None-Match", "*")
		want := "no changes are kept from " + since + " to " + until + "; export again (/v1/filings/export) and continue from its X-Generation"
		if a.status != http.StatusGone || a.document(t).Error.Code != "generation_gone" || a.document(t).Error.Message != want ||
			a.header.Get("X-Generation") != "" || a.header.Get("ETag") != "" {
			t.Errorf("%s to %s: %d %v %s", since, until, a.status, a.header, a.body)
		}
	}
	if got := between(t, s.get(t, access.Pro, "/v1/filings/changes?since=20260302-000000.000000")); !strings.Contains(got, `"op":"changed","id":1,`) {
		t.Errorf("a generation that is not kept, whose changes are: %s", got)
	}
	empty := newSite(t, &lineage{})
	if a := empty.get(t, access.Free, changes1); a.status != http.StatusGone || !strings.Contains(a.body, "there is no live generation yet") {
		t.Errorf("before the first load: %d %s", a.status, a.body)
	}
}

// TestX16_CutOff: changesets that go while a client reads them are a 410, and no failure.
func TestX16_CutOff(t *testing.T) {
	t.Parallel()
	s, e := evolved(t)
	a := s.get(t, access.Enterprise, changes1+"&limit=1")
	_, rest, _ := strings.Cut(a.body, `"next_cursor":"`)
	at, _, _ := strings.Cut(rest, `"`)
	e.Keep(0)
	if a := s.get(t, access.Enterprise, "/v1/filings/changes?cursor="+at); a.status != http.StatusGone {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestX17_Tier: to a tier that does not show what changed, nothing did: the response is the one of a load without changes,
// whatever the filter. Filters by fields that the tier does not show are refused, since what they select would tell.
func TestX17_Tier(t *testing.T) {
	t.Parallel()
	site := func(change func(*index.Filing)) *site {
		e := &lineage{}
		e.promote(fixture(t))
		after := fixture(t)
		for _, f := range after {
			change(f)
		}
		e.promote(after)
		return newSite(t, e)
	}
	still := site(func(*index.Filing) {})
	for tier, unseen := range map[access.Tier]index.Field{
		access.Free: index.AISummary, access.Starter: index.OwnerEmailPrimary, access.Pro: index.OwnerPhoneSecondary,
	} {
		moved := site(func(f *index.Filing) { f.SetText(unseen, "Other") })
		for _, query := range []string{"", "&limit=1", "&q=o", "&county=Orange,+FL", "&city=Orlando", "&ids=1,2&exclude_counties=Bibb,+GA", "&categories=land"} {
			a, b := moved.get(t, tier, changes1+query), still.get(t, tier, changes1+query)
			if between(t, a) != between(t, b) || a.header.Get("ETag") != b.header.Get("ETag") || a.header.Get("Content-Length") != b.header.Get("Content-Length") {
				t.Errorf("%s, %v, %q: %v %s", tier, unseen, query, a.header, a.body)
			}
		}
		if got := between(t, moved.get(t, access.Enterprise, changes1)); strings.Count(got, `"op":"changed"`) != 9 {
			t.Errorf("%v: enterprise sees %s", unseen, got)
		}
	}
	for query, name := range map[string]string{
		"has_property_data=true": "has_property_data", "min_equity_percent=1": "min_equity_percent", "foreclosure_filter=hide": "foreclosure_filter",
		"min_acres=1": "min_acres", "max_acres=1": "max_acres",
	} {
		want := name + " must not be given with a key of this tier: it filters by fields that only the pro tier and above show"
		wantInvalid(t, still.get(t, access.Free, changes1+"&"+query), want)
		between(t, still.get(t, access.Pro, changes1+"&"+query))
	}
}

// TestX16_Conditional: a page between two named generations never changes.
func TestX16_Conditional(t *testing.T) {
	t.Parallel()
	s, e := evolved(t)
	named := changes1 + "&until=20260303-000000.000000"
	a, b := s.get(t, access.Pro, named), s.get(t, access.Pro, changes1)
	if got := a.header.Get("Cache-Control"); got != "private, max-age=3600" {
		t.Errorf("named: Cache-Control %q", got)
	}
	if got := b.header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("up to the live one: Cache-Control %q", got)
	}
	e.rollback(1)
	s.clock.Advance(2e9)
	again := s.get(t, access.Pro, named, "If-None-Match", a.header.Get("ETag"))
	if again.status != http.StatusNotModified || again.header.Get("X-Generation") != "20260303-000000.000000" {
		t.Errorf("named, after a rollback: %d %v", again.status, again.header)
	}
	back := s.get(t, access.Pro, changes1, "If-None-Match", b.header.Get("ETag"))
	if back.status != http.StatusOK || !strings.HasPrefix(back.body, data+"[]") || back.header.Get("X-Generation") != "20260301-000000.000000" {
		t.Errorf("up to the live one, after a rollback: %d %v %s", back.status, back.header, back.body)
	}
	for _, other := range []response{s.get(t, access.Pro, named+"&limit=2"), s.get(t, access.Pro, named+"&q=oak"), s.get(t, access.Free, named),
		s.get(t, access.Pro, "/v1/filings/changes?since=20260302-000000.000000&until=20260303-000000.000000")} {
		if other.header.Get("ETag") == a.header.Get("ETag") {
			t.Errorf("the tag of another response: %s", other.body)
		}
	}
}

// TestX16_Price: a page costs what one by cursor of the list costs, whether it has a cursor or not.
func TestX16_Price(t *testing.T) {
	t.Parallel()
	s, _ := evolved(t)
	_, rest, _ := strings.Cut(s.get(t, access.Pro, changes1+"&limit=1").body, `"next_cursor":"`)
	text, _, _ := strings.Cut(rest, `"`)
	next := "/v1/filings/changes?cursor=" + text
	for query, want := range map[string]int64{
		changes1: 1, changes1 + "&limit=100": 1, changes1 + "&limit=101": 2, changes1 + "&limit=1000": 10, changes1 + "&limit=9999": 10,
		changes1 + "&limit=250&cursor=*": 3, changes1 + "&limit=x": 0, next: 1, next + "&limit=1000": 10,
	} {
		before := s.used(t, "user-pro")
		a := s.get(t, access.Pro, query)
		if got := s.used(t, "user-pro") - before; got != want || a.status != 200 && want > 0 {
			t.Errorf("%s: %d, costs %d, want %d: %.200s", query, a.status, got, want, a.body)
		}
	}
}

// TestX18_Rollback: a client that saw the generation that was rolled back has what the live one holds, step by step.
func TestX18_Rollback(t *testing.T) {
	t.Parallel()
	s, e := evolved(t)
	want := between(t, s.get(t, access.Enterprise, "/v1/filings/changes?since=20260303-000000.000000&until=20260301-000000.000000"))
	e.rollback(1)
	s.clock.Advance(2e9)
	if got := between(t, s.get(t, access.Enterprise, "/v1/filings/changes?since=20260303-000000.000000")); got != want || !strings.Contains(got, `"op":"removed","id":100}`) {
		t.Errorf("want %s\ngot  %s", want, got)
	}
	e.promote(fixture(t)[:1]) // the fourth one, which comes of the first
	s.clock.Advance(2e9)
	got := between(t, s.get(t, access.Enterprise, "/v1/filings/changes?since=20260303-000000.000000"))
	if strings.Count(got, `"op":"removed"`) != 8 || strings.Contains(got, `"id":1,`) || strings.Contains(got, `"id":3}`) {
		t.Errorf("from the third to the fourth: %s", got)
	}
}

// TestX16_Engines: both engines say what changed, also since a generation that is not kept any more.
func TestX16_Engines(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		filings := fixture(t)
		name, first := k.load(t, filings)
		changed := edges.Clone(filings[0])
		changed.SetText(index.Owner, "NEW OWNER")
		_, second := k.load(t, append([]*index.Filing{changed}, filings[2:]...))
		k.prune(t, name)
		k.pass(2e9)
		a := k.get(t, access.Pro, "/v1/filings/changes?since="+first)
		want := data + `[{"op":"changed","id":1,"filing":` + recordFor(changed, index.Pro) + `},{"op":"removed","id":2}],"pagination":{"limit":100,"next_cursor":null,"has_more":false}`
		if got := between(t, a); got != want || a.header.Get("X-Generation") != second {
			t.Errorf("X-Generation %s\nwant %s\ngot  %s", a.header.Get("X-Generation"), want, got)
		}
	})
}
