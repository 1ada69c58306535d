package params

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

func testNow() time.Time {
	return time.Date(2026, 3, 15, 23, 59, 59, 0, time.FixedZone("behind", -3600))
}

// parse reads a query string as the service does, for an endpoint whose path has a filing's id or a
// county.
func (t *Table) parse(on Endpoints, query string) (Request, *Raw, error) {
	raw, err := t.Split(endpoint(on), query)
	if err != nil {
		return Request{}, raw, err
	}
	r, err := t.Read(raw, func(name string) string { return map[string]string{"id": "7", "county": "Orange"}[name] }, Tiers{Fields: index.Enterprise, Filters: index.Enterprise}, testNow())
	return r, raw, err
}

func newTable() *Table { return New("", []string{"Active", "auction"}) }

// TestParse compares the canonical text of query strings, which engines and caches see, word by
// word.
func TestParse(t *testing.T) {
	t.Parallel()
	table := newTable()
	for _, tt := range []struct{ name, query, want string }{
		{"nothing", "", "where  sort filingDate desc offset 0 limit 20"},
		{"P9 today is UTC's", "date_range=1", "where filingDate in [2026-03-15,] sort filingDate desc offset 0 limit 20"},
		{"P9 narrowed to one range", "month=2026-02&date_start=2026-02-10&date_end=2026-05-01",
			"where filingDate in [2026-02-10,2026-02-28] sort filingDate desc offset 0 limit 20"},
		{"P9 nothing is left", "month=2026-02&date_start=2026-03-10",
			"where filingDate in [2026-03-10,2026-02-28] sort filingDate desc offset 0 limit 20"},
		{"P9 first and last month", "month=0001-01", "where filingDate in [0001-01-01,0001-01-31] sort filingDate desc offset 0 limit 20"},
		{"P8 any of all", "filing_types=B,a&filing_type=C,d", `where (filingType) in ("a","b","c,d") sort filingDate desc offset 0 limit 20`},
		{"P6", "county=Orange,%20FL", `where (county,countyName) in ("orange, fl") sort filingDate desc offset 0 limit 20`},
		{"X61", "city=%EF%BB%BF%20Fern%C2%AD%20Pen%CC%83a%20%E2%80%8B&county=%E2%80%8B" +
			"&filing_types=%E2%80%8B,Tax%E2%80%91Lien%20%E2%80%8B,%C2%AD",
			`where (city) in ("fern peña") and (filingType) in ("tax-lien") sort filingDate desc offset 0 limit 20`},
		{"P11", "property_type=Land", `where (categories,propertyClassification) in ("land") sort filingDate desc offset 0 limit 20`},
		{"P14", "foreclosure_filter=active", `where (foreclosureStatus) in ("active","auction") sort filingDate desc offset 0 limit 20`},
		{"P15", "bounds_north=2&bounds_south=-1.5&bounds_east=-179&bounds_west=179",
			"where box(2,-1.5,-179,179) sort filingDate desc offset 0 limit 20"},
		{"P10 one range for both ends", "max_amount=9&min_amount=-0", "where filingAmount in [0,9] sort filingDate desc offset 0 limit 20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q, _, err := table.parse(List, tt.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, q.Query.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	q, _, err := table.parse(Search, "q=+A%09+b&sort_by=Property_Owner&sort_order=aSC&offset=7&limit=500")
	want := `where contains "a b" sort owner asc offset 7 limit 100`
	if err != nil || q.Query.String() != want {
		t.Errorf("search: %v, %v, want %s", q.Query, err, want)
	}
	if _, _, err := table.parse(Search, "q=%E2%80%8B%20%C2%AD"); err == nil ||
		err.Error() != "q must be 1 to 200 characters" {
		t.Errorf("a term that is not seen: %v", err)
	}
}

// TestTable holds the table of parameters to what documentation and parsing take from it.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, p := range newTable().rows {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if p.Help == "" || p.Takers == 0 {
				t.Error("no help, or no endpoint")
			}
			if _, ok := p.Kind.read(&p, p.Example); !ok || p.empty(p.Example) {
				t.Errorf("its own example %q is refused", p.Example)
			}
			if _, ok := p.Kind.read(&p, p.Default); p.Default != "" && !ok {
				t.Errorf("its own default %q is refused", p.Default)
			}
			if p.Kind == Text || p.Kind == Texts || p.Kind == Segment || p.Kind == Counties || p.Kind == Names ||
				p.Kind == AnyCounties || p.Kind == OwnerNames {
				return // these take anything
			}
			bad := strings.Repeat("x", MaxTerm+1)
			if _, ok := p.Kind.read(&p, bad); ok {
				t.Errorf("%q is taken", bad)
			}
		})
	}
}

// TestP4_RepeatedLists: what takes a list takes it with commas, repeated as generated clients do
// it, and both at once: the canonical text is the same, whatever the order. All others are given
// once.
func TestP4_RepeatedLists(t *testing.T) {
	t.Parallel()
	table, lists := newTable(), 0
	for _, on := range []Endpoints{List, Search, Clusters} {
		required := map[Endpoints]string{Search: "q=a&", Clusters: "zoom=1&bounds_north=2&bounds_south=1&bounds_east=2&bounds_west=1&"}[on]
		for _, p := range table.Rows(on) {
			for _, name := range []string{p.Name, p.Legacy} {
				text := func(values ...string) string {
					q, _, err := table.parse(on, required+name+"="+strings.Join(values, "&"+name+"="))
					if err != nil {
						return err.Error()
					}
					return q.Text
				}
				switch {
				case name == "" || required != "" && strings.Contains("&"+required, "&"+name+"="):
				case !p.Kind.List:
					if want, got := name+" must be given only once", text(p.Example, p.Example); got != want && (on == Clusters || !p.edge) {
						t.Errorf("%s: %s, want %s", name, got, want)
					}
				default:
					lists++
					comma := url.QueryEscape(p.Kind.Separator)
					a, b, _ := strings.Cut(url.QueryEscape(p.Example), comma)
					for _, values := range [][]string{{a, b}, {b, a}, {a, b, a}, {a + comma + b, b}, {"", a + comma + "+", b + comma + comma}, {"+" + b, a, ""}} {
						if want, got := text(a+comma+b), text(values...); got != want || strings.Contains(got, "must") {
							t.Errorf("%s: %q is %q, want %q", name, values, got, want)
						}
					}
					if want, got := text(""), text("", comma, "+"); got != want {
						t.Errorf("%s: repeated empty values are %q, want %q", name, got, want)
					}
				}
			}
		}
	}
	if lists != 12*3+2*2 {
		t.Errorf("%d lists, want county, state, zip, owner, address, filing_types, lien_types, categories and four "+
			"exclude_* on three endpoints, ids and fields on two", lists)
	}
}

// The documentation says what is required, and by which endpoint.
func TestRequiredBy(t *testing.T) {
	t.Parallel()
	want := map[string]Endpoints{"q": Search, "zoom": Clusters, "id": OneFiling, "county": OneCounty}
	for _, edge := range []string{"north", "south", "east", "west"} {
		want["bounds_"+edge] = Clusters
	}
	got := map[string]Endpoints{}
	for _, on := range []Endpoints{0, List, Search, Clusters, CountyStats, OneFiling, OneCounty} {
		for _, p := range newTable().Rows(on) {
			if p.RequiredBy(on) {
				got[p.Name] |= on
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestP3_OneTable: what the list takes, search takes too, and clusters takes all of it but what
// pages are cut by, and the choice of filings by their ids.
func TestP3_OneTable(t *testing.T) {
	t.Parallel()
	table := newTable()
	for name := range table.names[List] {
		if _, ok := table.names[Search][name]; !ok {
			t.Errorf("search does not take %s", name)
		}
		if _, ok := table.names[Clusters][name]; ok == slices.Contains([]string{"sort_by", "sort_order", "limit", "offset", "cursor", "fields", "ids"}, name) {
			t.Errorf("clusters: %s", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"limit=5&offset=3", "county=Orange%2C+FL&city=a;b", "q=%ff", "bounds_north=1&bounds_south=0&bounds_east=-1&bounds_west=1",
		"min_amount=-12.5&max_amount=1e5", "lien_type=a&filing_type=b", "=&&&=%", "date_range=36500&month=2024-02&date_start=2024-02-29",
		"categories=land,,residential&has_data=1", "fields=owner,id&ids=2,1,2", "exclude_counties=a,+fl%3Bb,+GA&exclude_filing_types=x&ids=0", "q=+%C2%A0x&sort_by=record_date&sort_order=ASC", "state=fl", "%00=%00",
		"cursor=*&limit=999", "%63ursor=*&limit=12345&q=a",
	} {
		f.Add(seed)
	}
	table := newTable()
	f.Fuzz(func(t *testing.T, query string) {
		for _, on := range []Endpoints{0, List, Search, CountyStats, Clusters, OneFiling} {
			q, raw, err := table.parse(on, query)
			checkUnknown(t, raw, query)
			if err != nil {
				checkInvalid(t, err)
				continue
			}
			checkRequest(t, q, query)
			if want := PriceOf(int64(max(1, q.Query.Limit))); on&pages != 0 && raw.Price() != want {
				t.Fatalf("%q: the price is %d, want %d", query, raw.Price(), want)
			}
		}
	})
}

// checkUnknown expects that an unknown name is one that net/url finds.
func checkUnknown(t *testing.T, raw *Raw, query string) {
	parsed, err := url.ParseQuery(query)
	for _, name := range raw.Unknown {
		if _, ok := parsed[name]; err == nil && !ok {
			t.Fatalf("%q: %q is not in it", query, name)
		}
	}
}

func checkInvalid(t *testing.T, err error) {
	if message := err.Error(); message == "" || !utf8.ValidString(message) || len(message) > 1000 {
		t.Fatalf("%q", message)
	}
}

// checkRequest expects what the contract of index.Query promises to engines.
func checkRequest(t *testing.T, q Request, query string) {
	if q.Query.Limit < 1 || q.Query.Limit > maxByCursor || q.Cursor == nil && q.Query.Limit > MaxLimit || q.Query.Offset < 0 {
		t.Fatalf("%q: %v", query, q.Query)
	}
	if _, err := url.ParseQuery(query); err != nil && !strings.Contains(query, "bounds_") && !strings.Contains(query, ";") {
		t.Fatalf("%q: taken, but net/url says %v", query, err)
	}
	for _, p := range q.Query.Where.Predicates() {
		switch p := p.(type) {
		case index.AnyOf:
			for _, v := range p.Values {
				if v == "" || v != index.Fold(v) || !utf8.ValidString(v) {
					t.Fatalf("%q: %v", query, p)
				}
			}
		case index.Not:
			excluded, is := p.Predicate.(index.AnyOf)
			if is && (len(excluded.Values) == 0 || slices.ContainsFunc(excluded.Values, func(v string) bool { return v == "" || v != index.Fold(v) })) {
				t.Fatalf("%q: %v", query, p)
			}
		case index.IDs:
			if n := len(p.IDs); n == 0 || n > index.MaxIDs || p.IDs[0] < 1 {
				t.Fatalf("%q: %v", query, p)
			}
		case index.Range:
			if p.Min == nil && p.Max == nil || p.Min != nil && p.Max != nil && !(*p.Min <= *p.Max) {
				t.Fatalf("%q: %v", query, p)
			}
		case index.Box:
			if !(-90 <= p.South && p.South <= p.North && p.North <= 90 && -180 <= p.East && p.East <= 180 && -180 <= p.West && p.West <= 180) {
				t.Fatalf("%q: %v", query, p)
			}
		case index.Contains:
			if p.Text == "" || p.Text != index.SearchText(p.Text) {
				t.Fatalf("%q: %v", query, p)
			}
		}
	}
}

// FuzzCanonical: what is taken from a query string, net/url reads too; and written anew by net/url,
// in another order and with other escapes, it is the same request.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		"limit=5&offset=3", "q=%41+b&county=Orange%2C+FL", "filing_type=b&filing_types=a%2Cb,c", "x=1&x=2&&=&limit", "q=a&q=",
		"bounds_north=1&bounds_south=0&bounds_east=-1&bounds_west=1", "bounds_north=%zz", "month=2024-02&date_end=2024-02-03", "city=%E9",
	} {
		f.Add(seed)
	}
	table := newTable()
	f.Fuzz(func(t *testing.T, query string) {
		for _, on := range []Endpoints{0, List, Search, CountyStats, Clusters, OneFiling, OneCounty} {
			q, _, err := table.parse(on, query)
			values, urlErr := url.ParseQuery(query)
			switch {
			case err != nil:
				continue
			case urlErr != nil && strings.Contains(query, "bounds"):
				continue // a partial set is not looked at
			case urlErr != nil:
				t.Fatalf("%q: taken, but net/url says %v", query, urlErr)
			}
			again, _, err := table.parse(on, values.Encode())
			if err != nil || again.Text != q.Text {
				t.Fatalf("%q is %q, %q is %q, %v", query, q.Text, values.Encode(), again.Text, err)
			}
		}
	})
}
