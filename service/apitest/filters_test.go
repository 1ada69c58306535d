package apitest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/service/access"
)

// TestParameters requests filings by every parameter and compares the ids, in order: the whole list is 3, 1, 2, 5, 4, 9, 8
// and then 7 and 6, which have no date.
func TestParameters(t *testing.T) {
	t.Parallel()
	const list, search = "/v1/filings?", "/v1/filings/search?"
	tests := []struct {
		name   string
		target string
		want   []int64
	}{
		{"P17 list order", list, []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P1 limit", list + "limit=2", []int64{3, 1}},
		{"P1 limit above 100", list + "limit=101", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P1 limit of leading zeros", list + "limit=002", []int64{3, 1}},
		{"P2 offset", list + "offset=7", []int64{7, 6}},
		{"P2 offset past the end", list + "offset=9", []int64{}},
		{"P2 largest offset", list + "offset=9223372036854775807", []int64{}},
		{"P2 offset of minus zero", list + "offset=-0&limit=1", []int64{3}},
		{"P3 filters on search", search + "q=o&county=orange&min_amount=0&categories=residential", []int64{1}},
		{"P3 county on search", search + "q=o&county=Orange,+FL", []int64{1, 7}},
		{"P3 property_type on the list", list + "property_type=LAND", []int64{5, 4}},
		{"P4 empty is not given", list + "county=&limit=&min_amount=&month=+&foreclosure_filter=", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P4 trimmed", list + "county=+orange,+ca%20&limit=%091%0A", []int64{2}},
		{"P4 lists", list + "filing_types=%20,+TAX+LIEN+,,%2Cjudgment,", []int64{3, 1, 5, 4, 9, 8}},
		{"P4 lists of nothing", list + "filing_types=%2C+,&categories=,", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P4 repeated lists", list + "filing_types=HOA&filing_types=Municipal+Lien", []int64{2, 7}},
		{"P4 repeated lists with commas and nothing", list + "categories=land,&categories=&categories=commercial", []int64{2, 5, 4}},
		{"P4 repeated lists of nothing", list + "categories=&categories=", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P4 repeated lists on search", search + "q=a&lien_types=HOA&lien_types=municipal+lien", []int64{2, 7}},
		{"P4 an encoded semicolon is a character", search + "q=%3B", []int64{}},
		{"P4 empty pieces", list + "&&limit=1&", []int64{3}},
		{"P6 county of one state", list + "county=ORANGE,+fl", []int64{1, 7}},
		{"P6 county of all states", list + "county=orange", []int64{1, 2, 7}},
		{"P6 county with a slash", list + "county=a/b", []int64{6}},
		{"P6 unknown county", list + "county=Rang", []int64{}},
		{"P7 city as loaded", list + "city=MACON", []int64{3}},
		{"P7 city of the address", list + "city=orlando", []int64{1}},
		{"P7 city before a lower-case state", list + "city=Winter+Park", []int64{7}},
		{"P7 no part of a city", list + "city=Winter", []int64{}},
		{"X54 states", list + "state=fl,California", []int64{1, 2, 7, 6}},
		{"X54 a state by cursor", list + "state=ak&cursor=*&limit=2", []int64{5, 4}},
		{"X54 a state where counties of a name are", list + "state=CA&county=orange", []int64{2}},
		{"X54 counties", list + "county=bibb;Orange,+CA&county=A/B", []int64{3, 2, 6}},
		{"X54 zip", list + "zip=32801,99999", []int64{1}},
		{"X54 current amounts", list + "min_current_amount=20&max_current_amount=500", []int64{1, 7}},
		{"X54 added since, inclusive", list + "added_since=2026-03-08T12:00:00Z", []int64{1, 2, 7}},
		{"X54 added until a day", list + "added_until=2024-01-01", []int64{9, 8, 6}},
		{"X54 added on a day", search + "q=a&added_since=2026-03-08&added_until=2026-03-08", []int64{3, 2}},
		{"X61 a term in NFD", search + "q=E%CC%81mile", []int64{5}},
		{"X61 a term as a document has it", search + "q=%EF%BB%BFCV%E2%80%910001%E2%80%8B", []int64{1}},
		{"X61 a county with soft hyphens", list + "county=Or%C2%ADange%E2%80%8B,+FL", []int64{1, 7}},
		{"X61 a city", list + "city=%EF%BB%BF+Winter%E2%80%8B+Park+%E2%80%8B", []int64{7}},
		{"X61 filing types", list + "filing_types=T%C2%ADax+Lien,%E2%80%8B,%E2%80%8B+HOA", []int64{3, 1, 5, 7}},
		{"X61 exclusions", list + "exclude_counties=Orange%E2%80%8B;A/B&exclude_filing_types=Tax+L%E2%81%A0ien",
			[]int64{4, 9, 8}},
		{"X61 what cannot be seen is not given", list + "county=%E2%80%8B&city=+%C2%AD&limit=1%E2%80%8B", []int64{3}},
		{"P8 filing_type", list + "filing_type=tAX+liEN", []int64{3, 1, 5}},
		{"P8 filing_type does not split", list + "filing_type=HOA,Judgment", []int64{}},
		{"P8 filing_types", list + "filing_types=HOA,Municipal+Lien", []int64{2, 7}},
		{"P8 both", list + "filing_types=HOA&filing_type=Municipal+Lien", []int64{2, 7}},
		{"P9 date_range", list + "date_range=1", []int64{3, 1}},
		{"P9 date_range reaches a day", list + "date_range=15", []int64{3, 1, 2}},
		{"P9 date_range ends before a day", list + "date_range=14", []int64{3, 1}},
		{"P9 longest date_range", list + "date_range=36500", []int64{3, 1, 2, 5, 4, 9, 8}},
		{"P9 month", list + "month=2024-02", []int64{9, 8}},
		{"P9 month of 28 days", list + "month=2026-02", []int64{2}},
		{"P9 from a day", list + "date_start=2026-02-28", []int64{3, 1, 2}},
		{"P9 to a day", list + "date_end=2024-02-29", []int64{9, 8}},
		{"P9 both ends inclusive", list + "date_start=2025-12-31&date_end=2026-01-01", []int64{5, 4}},
		{"P9 one day", list + "date_start=2025-12-31&date_end=2025-12-31", []int64{4}},
		{"P9 narrowed", list + "month=2026-02&date_range=14", []int64{}},
		{"P9 narrowed by all three", list + "date_start=2025-01-01&date_end=2026-03-14&month=2026-03&date_range=30", []int64{3, 1}},
		{"P10 amounts inclusive", list + "min_amount=1000&max_amount=2500.5", []int64{3, 1, 7}},
		{"P10 amount below zero", list + "max_amount=-50.25", []int64{2}},
		{"P10 minus zero", list + "min_amount=-0&max_amount=-0.0", []int64{4}},
		{"P10 acres", list + "min_acres=0.25&max_acres=5", []int64{1, 2}},
		{"P10 many digits", list + "min_amount=2500.49999999999999999999999999999", []int64{3}},
		{"P11 categories", list + "categories=commercial,land", []int64{2, 5, 4}},
		{"P11 property_type by classification", list + "property_type=COMMERCIAL", []int64{2}},
		{"P11 property_type by category", list + "property_type=Multi_Family", []int64{5}},
		{"P12 has_property_data", list + "has_property_data=true", []int64{1, 2, 5, 4}},
		{"P12 one", list + "has_property_data=1&limit=1", []int64{1}},
		{"P12 false is no filter", list + "has_property_data=false", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P12 zero is no filter", list + "has_property_data=0&limit=1", []int64{3}},
		{"X77 with coordinates", list + "has_coordinates=true", []int64{1, 2, 5, 4, 9, 8}},
		{"X77 without coordinates", list + "has_coordinates=0", []int64{3, 7, 6}},
		{"X77 without coordinates, in the world", list +
			"has_coordinates=false&bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180", []int64{}},
		{"P13 min_equity_percent", list + "min_equity_percent=40", []int64{1}},
		{"P13 four decimals", list + "min_equity_percent=39.9999", []int64{1, 2}},
		{"P13 nothing of zero value", list + "min_equity_percent=0", []int64{1, 2}},
		{"P14 show", list + "foreclosure_filter=show", []int64{1, 2, 5}},
		{"P14 hide", list + "foreclosure_filter=hide", []int64{3, 4, 9, 8, 7, 6}},
		{"P14 active", list + "foreclosure_filter=active", []int64{1, 5}},
		{"P14 all", list + "foreclosure_filter=all", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P15 box", list + "bounds_north=29&bounds_south=28&bounds_east=-81&bounds_west=-82", []int64{1}},
		{"P15 edges", list + "bounds_north=28.5&bounds_south=28.5&bounds_east=-81.4&bounds_west=-81.4", []int64{1}},
		{"P15 just outside", list + "bounds_north=28.499999999&bounds_south=28&bounds_east=-81&bounds_west=-82", []int64{}},
		{"P15 antimeridian", list + "bounds_north=53&bounds_south=51&bounds_east=-179&bounds_west=179", []int64{5, 4, 9, 8}},
		{"P15 180 is not -180", list + "bounds_north=53&bounds_south=51&bounds_east=180&bounds_west=179", []int64{4, 8}},
		{"P15 -180 is not 180", list + "bounds_north=53&bounds_south=51&bounds_east=-179&bounds_west=-180", []int64{5, 9}},
		{"P15 the world", list + "bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180", []int64{1, 2, 5, 4, 9, 8}},
		{"P15 three are ignored", list + "bounds_north=53&bounds_south=51&bounds_east=180&limit=1", []int64{3}},
		{"P15 an empty one is not given", list + "bounds_north=53&bounds_south=51&bounds_east=180&bounds_west=&limit=1", []int64{3}},
		{"P15 a partial set is not parsed", list + "bounds_north=north&bounds_south=%zz&bounds_east=1&bounds_east=2&bounds_west=+&limit=1", []int64{3}},
		{"P16 owner", search + "q=MAPLE", []int64{1}},
		{"P16 address", search + "q=oak+street", []int64{1, 7}},
		{"P16 case number", search + "q=CV-0001", []int64{1}},
		{"P16 county", search + "q=bibb,+g", []int64{3}},
		{"P16 one character", search + "q=%C3%A9", []int64{5}},
		{"P16 two characters", search + "q=ze", []int64{5, 4}},
		{"P16 capitals beyond ASCII", search + "q=%C3%89MILE", []int64{5}},
		{"P16 runs of white space", search + "q=+%C2%A0real%09%0Aestate+", []int64{7}},
		{"P16 never across two values", search + "q=Trust+12", []int64{}},
		{"P16 ordinary characters", search + "q=100%25_x*?", []int64{2}},
		{"P16 a per cent sign alone", search + "q=%25", []int64{2}},
		{"P16 backslash and quotes", search + `q=%5C%22'`, []int64{}},
		{"P16 200 characters", search + "q=" + strings.Repeat("%C3%A9", 200), []int64{}},
		{"P16 200 characters after squeezing", search + "q=" + strings.Repeat("a++++", 100), []int64{}},
		{"P17 search order", search + "q=a", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P17 oldest first", search + "q=a&sort_order=asc", []int64{9, 8, 4, 5, 2, 3, 1, 7, 6}},
		{"X37 filing_amount of the list", "/v1/filings?sort_by=filing_amount", []int64{3, 1, 7, 5, 9, 8, 4, 2, 6}},
		{"X37 property_owner of the list", "/v1/liens?sort_by=property_owner&sort_order=asc", []int64{7, 8, 2, 9, 3, 1, 4, 5, 6}},
		{"X37 no sort", "/v1/filings?sort_by=&sort_order=", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"P17 filing_amount", search + "q=a&sort_by=filing_amount", []int64{3, 1, 7, 5, 9, 8, 4, 2, 6}},
		{"P17 filing_amount ascending", search + "q=a&sort_by=FILING_AMOUNT&sort_order=ASC", []int64{2, 4, 8, 9, 5, 1, 7, 3, 6}},
		{"P17 current_amount", search + "q=a&sort_by=current_amount&sort_order=Desc", []int64{2, 1, 7, 3, 5, 4, 9, 8, 6}},
		{"P17 property_owner", search + "q=a&sort_by=property_owner&sort_order=asc", []int64{7, 8, 2, 9, 3, 1, 4, 5, 6}},
		{"P17 created_at", search + "q=a&sort_by=created_at", []int64{7, 1, 2, 3, 4, 5, 9, 8, 6}},
		{"P20 lien_type", list + "lien_type=HOA", []int64{7}},
		{"P20 lien_types", list + "lien_types=HOA,judgment&limit=2", []int64{4, 9}},
		{"P20 has_data", list + "has_data=true&limit=1", []int64{1}},
		{"P20 a legacy name with its sibling", list + "lien_type=HOA&filing_types=judgment", []int64{4, 9, 8, 7}},
	}
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				a := s.get(t, access.Enterprise, tt.target)
				if diff := cmp.Diff(tt.want, a.ids(t)); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", tt.target, diff)
				}
			})
		}
	})
}

// TestInvalidParameters sends each parameter what it does not take, and expects a message with its name and what is right.
func TestInvalidParameters(t *testing.T) {
	t.Parallel()
	const list, search = "/v1/filings?", "/v1/filings/search?"
	const number = "must be a plain decimal number such as "
	tests := []struct {
		name   string
		target string
		want   string // the message, or how it begins
	}{
		{"P1 zero", list + "limit=0", "limit must be between 1 and 100"},
		{"P1 negative", list + "limit=-5", "limit must be between 1 and 100"},
		{"P1 no number", list + "limit=ten", "limit must be between 1 and 100"},
		{"P1 decimals", list + "limit=5.0", "limit must be between 1 and 100"},
		{"P1 beyond the type", list + "limit=9223372036854775808", "limit must be between 1 and 100"},
		{"P1 on search", search + "q=a&limit=0", "limit must be between 1 and 100"},
		{"P2 negative", list + "offset=-1", "offset must be an integer, 0 or more"},
		{"P2 no integer", list + "offset=1.5e0", "offset must be an integer, 0 or more"},
		{"P2 beyond the type", list + "offset=9223372036854775808", "offset must be an integer, 0 or more"},
		{"P4 twice", list + "holder=a&holder=a", "holder must be given only once"},
		{"P4 twice, once empty", list + "holder=&holder=a", "holder must be given only once"},
		{"P4 twice, both empty", list + "holder=&holder=", "holder must be given only once"},
		{"P4 twice by an escaped name", list + "holder=a&h%6Flder=b", "holder must be given only once"},
		{"P4 a list under both names", list + "filing_types=a&filing_types=b&lien_types=c", "filing_types must not be sent together with lien_types"},
		{"P4 an item of a repeated list", list + "categories=land&categories=farm", "categories must be a list of residential, commercial, multi_family, land, not \"land,farm\""},
		{"P4 an escape in a repeated list", list + "categories=land&categories=%zz", "categories must be percent-encoded UTF-8"},
		{"P4 exponent without digits", list + "min_amount=1e", "min_amount " + number},
		{"P4 plus", list + "min_amount=%2B5", "min_amount " + number},
		{"P4 hexadecimal", list + "min_amount=0x10", "min_amount " + number},
		{"P4 underscore", list + "min_amount=1_000", "min_amount " + number},
		{"P4 point without digits", list + "min_amount=.5", "min_amount " + number},
		{"P4 two points", list + "min_amount=1.2.3", "min_amount " + number},
		{"P4 thousands", list + "min_amount=1,000", "min_amount " + number},
		{"P4 other digits", list + "min_amount=%D9%A1", "min_amount " + number},
		{"P4 beyond the type", list + "max_amount=1" + strings.Repeat("0", 309), "max_amount " + number},
		{"P4 escape", list + "county=%zz", "county must be percent-encoded UTF-8"},
		{"P4 cut escape", list + "county=a%2", "county must be percent-encoded UTF-8"},
		{"P4 UTF-8", list + "county=%ff", "county must be percent-encoded UTF-8"},
		{"P4 semicolon", list + "holder=a;b", "holder must be percent-encoded UTF-8; a semicolon is written %3B"},
		{"P4 name", list + "%zz=1", "query must be percent-encoded UTF-8"},
		{"P4 semicolon in a name", list + "limit=1;offset=2", "limit must be percent-encoded UTF-8"},
		{"P4 an unknown parameter's value", list + "other=%ff", "other must be percent-encoded UTF-8"},
		{"P4 on an endpoint without parameters", "/v1/stats?a=%zz", "a must be percent-encoded UTF-8"},
		{"P4 boolean in capitals", list + "has_property_data=TRUE", "has_property_data must be true, false, 1 or 0"},
		{"P9 zero days", list + "date_range=0", "date_range must be between 1 and 36500"},
		{"P9 too many days", list + "date_range=36501", "date_range must be between 1 and 36500"},
		{"P9 month", list + "month=2026-13", "month must be a month as YYYY-MM"},
		{"P9 short month", list + "month=2026-1", "month must be a month as YYYY-MM"},
		{"P9 no real day", list + "date_start=2026-02-29", "date_start must be a day as YYYY-MM-DD"},
		{"P9 time", list + "date_end=2026-02-28T00:00:00Z", "date_end must be a day as YYYY-MM-DD"},
		{"P9 start after end", list + "date_start=2026-01-02&date_end=2026-01-01", "date_start must not be after date_end"},
		{"P10 not a number", list + "min_amount=NaN", "min_amount " + number},
		{"P10 infinite", list + "max_amount=Inf", "max_amount " + number},
		{"P10 min above max", list + "min_amount=2&max_amount=1", "min_amount must not be above max_amount"},
		{"P10 negative acres", list + "min_acres=-1", "min_acres must be a plain decimal number, 0 or more"},
		{"P10 min acres above max", list + "min_acres=2&max_acres=1", "min_acres must not be above max_acres"},
		{"P11 category", list + "categories=land,farm", "categories must be a list of residential, commercial, multi_family, land, not \"land,farm\""},
		{"P11 category in capitals", list + "categories=Land", "categories must be"},
		{"P12 word", list + "has_property_data=yes", "has_property_data must be true, false, 1 or 0, not \"yes\""},
		{"P13 above 100", list + "min_equity_percent=100.1", "min_equity_percent must be a plain decimal number between 0 and 100"},
		{"P13 below 0", list + "min_equity_percent=-1", "min_equity_percent must be a plain decimal number between 0 and 100"},
		{"P14 capitals", list + "foreclosure_filter=Show", "foreclosure_filter must be one of show, hide, active, all"},
		{"P15 latitude", list + "bounds_north=90.1&bounds_south=0&bounds_east=1&bounds_west=0", "bounds_north must be a plain decimal number between -90 and 90"},
		{"P15 longitude", list + "bounds_north=1&bounds_south=0&bounds_east=1&bounds_west=-180.5", "bounds_west must be a plain decimal number between -180 and 180"},
		{"P15 no number", list + "bounds_north=NaN&bounds_south=0&bounds_east=1&bounds_west=0", "bounds_north must be"},
		{"P15 south above north", list + "bounds_north=0&bounds_south=1&bounds_east=1&bounds_west=0", "bounds_south must not be above bounds_north"},
		{"P15 twice in a whole set", list + "bounds_north=1&bounds_south=0&bounds_east=1&bounds_west=0&bounds_west=0", "bounds_west must be given only once"},
		{"P15 an escape in a whole set", list + "bounds_north=%zz&bounds_south=0&bounds_east=1&bounds_west=0", "bounds_north must be percent-encoded UTF-8"},
		{"P16 missing", search, "q must be given: 1 to 200 characters"},
		{"P16 empty", search + "q=", "q must be 1 to 200 characters"},
		{"P16 white space", search + "q=+%09%C2%A0", "q must be 1 to 200 characters"},
		{"X61 nothing to be seen", search + "q=%E2%80%8B+%C2%AD", "q must be 1 to 200 characters"},
		{"P16 201 characters", search + "q=" + strings.Repeat("a", 201), "q must be 1 to 200 characters"},
		{"X37 sort_by", "/v1/filings?sort_by=id", "sort_by must be one of record_date, filing_amount, current_amount, property_owner, created_at (in any case)"},
		{"P17 sort_by", search + "q=a&sort_by=id", "sort_by must be one of record_date, filing_amount, current_amount, property_owner, created_at (in any case)"},
		{"P17 sort_order", search + "q=a&sort_order=up", "sort_order must be one of ASC, DESC (in any case)"},
		{"P18 zero", "/v1/filings/0", "id must be an integer from 1 to 9223372036854775807"},
		{"P18 negative", "/v1/filings/-1", "id must be an integer"},
		{"P18 plus", "/v1/filings/+1", "id must be an integer"},
		{"P18 word", "/v1/filings/abc", "id must be an integer"},
		{"P18 too large", "/v1/filings/9223372036854775808", "id must be an integer"},
		{"P18 escaped", "/v1/filings/%31", "id must be an integer"},
		{"P19 long", "/v1/stats/counties?state=FLA", "state must be two letters, not \"FLA\""},
		{"P19 digits", "/v1/stats/counties?state=F1", "state must be two letters"},
		{"P19 beyond ASCII", "/v1/stats/counties?state=%C3%A9", "state must be two letters"},
		{"P20 old and new name", list + "lien_type=a&filing_type=b", "lien_type must not be sent together with filing_type"},
		{"P20 old and new name, one empty", list + "filing_types=&lien_types=b", "filing_types must not be sent together with lien_types"},
		{"P20 has_data and has_property_data", list + "has_data=1&has_property_data=1", "has_data must not be sent together with has_property_data"},
		{"P20 the old name is the one that is named", list + "has_data=maybe", "has_data must be true, false, 1 or 0"},
		{"P6 escape in a path", "/v1/counties/%25zz%/months", "county must be percent-encoded UTF-8"},
		{"P6 UTF-8 in a path", "/v1/counties/%FF/months", "county must be percent-encoded UTF-8"},
	}
	s := newSite(t, oracle(fixture(t)))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := s.get(t, access.Enterprise, tt.target)
			if a.status != http.StatusBadRequest {
				t.Fatalf("status %d, want 400: %s", a.status, a.body)
			}
			d := a.document(t)
			if d.Error == nil || d.Error.Code != "invalid_parameter" || !strings.HasPrefix(d.Error.Message, tt.want) {
				t.Errorf("got %s\nwant the message %q", a.body, tt.want)
			}
		})
	}
}
