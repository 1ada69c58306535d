package service

import (
	"net/url"
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

// ask reads a query string as the endpoints do.
func (t *table) read(on endpoints, query string) (question, given, error) {
	g, err := t.given(on, query)
	if err != nil {
		return question{}, g, err
	}
	q, err := t.ask(on, g, testNow(), []string{"active", "auction"})
	return q, g, err
}

// TestParse compares what a query string asks for, word by word, in the canonical text that engines and caches see.
func TestParse(t *testing.T) {
	t.Parallel()
	table := newTable(DefaultLegacyHasDataName)
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
		{"P11", "property_type=Land", `where (categories,propertyClassification) in ("land") sort filingDate desc offset 0 limit 20`},
		{"P14", "foreclosure_filter=active", `where (foreclosureStatus) in ("active","auction") sort filingDate desc offset 0 limit 20`},
		{"P15", "bounds_north=2&bounds_south=-1.5&bounds_east=-179&bounds_west=179",
			"where box(2,-1.5,-179,179) sort filingDate desc offset 0 limit 20"},
		{"P10 one range for both ends", "max_amount=9&min_amount=-0", "where filingAmount in [0,9] sort filingDate desc offset 0 limit 20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q, _, err := table.read(onList, tt.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, q.query.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	q, _, err := table.read(onSearch, "q=+A%09+b&sort_by=Property_Owner&sort_order=aSC&offset=7&limit=500")
	want := `where contains "a b" sort owner asc offset 7 limit 100`
	if err != nil || q.query.String() != want {
		t.Errorf("search: %v, %v, want %s", q.query, err, want)
	}
}

// TestTable holds the table of parameters to what documentation and parsing take from it.
func TestTable(t *testing.T) {
	t.Parallel()
	table := newTable(DefaultLegacyHasDataName)
	for i := range table.rows {
		p := &table.rows[i]
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if p.help == "" || p.on == 0 || len(p.paths()) == 0 {
				t.Error("no help, or no endpoint")
			}
			if _, given, ok := p.read(p.example); !ok || !given {
				t.Errorf("its own example %q is refused", p.example)
			}
			if _, _, ok := p.read(p.fallback); p.fallback != "" && !ok {
				t.Errorf("its own default %q is refused", p.fallback)
			}
			if p.kind == text || p.kind == texts {
				return // these take anything
			}
			bad := strings.Repeat("x", maxTerm+1)
			if _, _, ok := p.read(bad); ok {
				t.Errorf("%q is taken", bad)
			}
		})
	}
	if len(Parameters()) != len(table.rows) {
		t.Error("Parameters leaves rows out")
	}
}

// The documentation says what is required, and where.
func TestParameters_RequiredOn(t *testing.T) {
	t.Parallel()
	want := map[string]string{"q": "/v1/filings/search", "zoom": "/v1/filings/clusters"}
	for _, edge := range []string{"north", "south", "east", "west"} {
		want["bounds_"+edge] = "/v1/filings/clusters"
	}
	got := map[string]string{}
	for _, p := range Parameters() {
		if len(p.RequiredOn) > 0 {
			got[p.Name] = strings.Join(p.RequiredOn, " ")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestP3_OneTable: what the list takes, search takes too, and clusters takes all of it but what pages are cut by.
func TestP3_OneTable(t *testing.T) {
	t.Parallel()
	table := newTable(DefaultLegacyHasDataName)
	for name := range table.names[onList] {
		if table.names[onSearch][name] == nil {
			t.Errorf("search does not take %s", name)
		}
		if paging := name == "limit" || name == "offset"; (table.names[onClusters][name] == nil) != paging {
			t.Errorf("clusters: %s", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"limit=5&offset=3", "county=Orange%2C+FL&city=a;b", "q=%ff", "bounds_north=1&bounds_south=0&bounds_east=-1&bounds_west=1",
		"min_amount=-12.5&max_amount=1e5", "lien_type=a&filing_type=b", "=&&&=%", "date_range=36500&month=2024-02&date_start=2024-02-29",
		"categories=land,,residential&has_data=1", "q=+%C2%A0x&sort_by=record_date&sort_order=ASC", "state=fl", "%00=%00",
	} {
		f.Add(seed)
	}
	table := newTable(DefaultLegacyHasDataName)
	f.Fuzz(func(t *testing.T, query string) {
		for _, on := range []endpoints{0, onList, onSearch, onCountyStats, onClusters} {
			q, g, err := table.read(on, query)
			checkUnknown(t, g, query)
			if err != nil {
				checkMistake(t, err)
				continue
			}
			checkQuestion(t, q, query)
		}
	})
}

// checkUnknown expects that every name that net/url finds and the table does not know is told, in a header that is one.
func checkUnknown(t *testing.T, g given, query string) {
	header := ignoredHeader(g.unknown)
	for _, c := range []byte(header) {
		if c <= ' ' && c != ' ' || c >= 0x7f {
			t.Fatalf("%q: the header %q cannot be sent", query, header)
		}
	}
	parsed, err := url.ParseQuery(query)
	for _, name := range g.unknown {
		if _, ok := parsed[name]; err == nil && !ok {
			t.Fatalf("%q: %q is not in it", query, name)
		}
	}
}

func checkMistake(t *testing.T, err error) {
	kind, message := told(err)
	if kind.code != "invalid_parameter" || kind.status != 400 || message == "" || !utf8.ValidString(message) || len(message) > 1000 {
		t.Fatalf("%d %s %q", kind.status, kind.code, message)
	}
}

// checkQuestion expects what the contract of index.Query promises to engines.
func checkQuestion(t *testing.T, q question, query string) {
	if q.query.Limit < 1 || q.query.Limit > maxLimit || q.query.Offset < 0 {
		t.Fatalf("%q: %v", query, q.query)
	}
	if _, err := url.ParseQuery(query); err != nil && !strings.Contains(query, "bounds_") {
		t.Fatalf("%q: taken, but net/url says %v", query, err)
	}
	for _, p := range q.query.Where.Predicates() {
		switch p := p.(type) {
		case index.AnyOf:
			for _, v := range p.Values {
				if v == "" || v != index.Fold(v) || !utf8.ValidString(v) {
					t.Fatalf("%q: %v", query, p)
				}
			}
		case index.Between:
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
