package reader

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/elastictest"
	"filings/index/elastic/search"
	"filings/index/indextest"
)

var update = flag.Bool("update", false, "write testdata/queries.txtar anew")

const goldenQueries = "testdata/queries.txtar"

// goldenCase is a query whose request body is kept in goldenQueries.
type goldenCase struct {
	name string
	index.Query
}

func goldenCases() []goldenCase {
	number := func(v float64) *float64 { return &v }
	anyOf := func(field index.Field, values ...string) index.Filter {
		return index.Where(index.AnyOf{Fields: []index.Field{field}, Values: values})
	}
	noneOf := func(field index.Field, value string) index.Filter {
		return index.Where(index.Not{Predicate: index.AnyOf{Fields: []index.Field{field}, Values: []string{value}}})
	}
	filters := []struct {
		name  string
		where index.Filter
	}{
		{"P2 no filter", index.Filter{}},
		{"P6 county", index.Where(index.InCounty("Orange, FL"))},
		{"P6 county name", index.Where(index.InCounty("ORANGE"))},
		{"P7 city", anyOf(index.City, "ocoee")},
		{"P8 filing types", anyOf(index.FilingType, "tax lien", "municipal lien")},
		{"P8 no value at all", anyOf(index.FilingType)},
		{"P9 from", index.Where(index.Days{First: "2024-01-31"})},
		{"P9 from and to", index.Where(index.Days{First: "1600-01-01", Last: "2024-01-31"})},
		{"P9 any day", index.Where(index.Days{})},
		{"P10 amounts", index.Where(index.Range{Field: index.FilingAmount, Min: number(-5.25), Max: number(12345678.91)})},
		{"P10 acres", index.Where(index.Range{Field: index.LotSizeAcres, Max: number(0.0035)})},
		{"P11 categories", anyOf(index.Categories, "land", "commercial")},
		{"P11 property type", index.Where(index.AnyOf{
			Fields: []index.Field{index.PropertyClassification, index.Categories}, Values: []string{"land"}})},
		{"X10 ids", index.Where(index.IDs{IDs: []int64{7, 9223372036854775807}})},
		{"X11 other filing types", noneOf(index.FilingType, "tax lien")},
		{"X31 holder", anyOf(index.FilingHolder, "sample fund, llc")},
		{"X31 other holders", noneOf(index.FilingHolder, "sample fund, llc")},
		{"X26 owner", anyOf(index.OwnerKey, "alder trust", "b alden")},
		{"X55 addresses", anyOf(index.AddressKey, index.AddressPatterns("1 Elm St, Ocoee, FL 34761")...)},
		{"P12 property data", index.Where(index.Present{Field: index.PropertyData})},
		{"P13 equity percent", index.Where(index.Range{Field: index.EquityPercent, Min: number(33.3333)})},
		{"P14 show", index.Where(index.Present{Field: index.ForeclosureStatus})},
		{"P14 hide", index.Where(index.Not{Predicate: index.Present{Field: index.ForeclosureStatus}})},
		{"P14 active", anyOf(index.ForeclosureStatus, "auction")},
		{"P15 box", index.Where(index.Box{North: 28.5, South: 28.1, East: -81.2, West: -81.4})},
		{"P15 across the antimeridian", index.Where(index.Box{North: 28.5, South: 28, East: -81.4, West: 180})},
		{"P16 one character", index.Where(index.Contains{Text: "%"})},
		{"P16 two characters outside the basic plane", index.Where(index.Contains{Text: "😀"})},
		{"P16 three characters", index.Where(index.Contains{Text: "elm"})},
		{"P16 ends", index.Where(index.Contains{Text: "alder trust"})},
		{"P16 county", index.Where(index.Contains{Text: "ange, fl"})},
		{"P16 NUL", index.Where(index.Contains{Text: "st\x00"})},
		{"A2 trusts", index.Where(index.Present{Field: index.Trust})},
		{"A3 created", index.Where(index.Times{
			First: time.Date(2024, 5, 2, 0, 0, 0, 0, time.UTC), Last: time.Date(2024, 5, 2, 12, 0, 0, 1000, time.UTC)})},
		{"X6 rest", index.Where(index.Rest{Date: "2024-01-31", ID: 7})},
		{"X6 rest without a date", index.Where(index.Rest{ID: 7})},
		{"P3 several", index.Where(index.InCounty("lake"), index.Contains{Text: "st"}, index.Days{Last: "2024-12-31"})},
	}
	var cases []goldenCase
	for _, f := range filters {
		cases = append(cases, goldenCase{f.name, index.Query{Where: f.where, Sort: index.DefaultSort, Limit: 20}})
	}
	cases = append(cases, goldenCase{"X9 ids alone", index.Query{Sort: index.DefaultSort, Limit: 20, IDsOnly: true}})
	cases = append(cases, goldenCase{"E6 counted", index.Query{
		Where: index.Where(index.InCounty("ORANGE")), Sort: index.DefaultSort, Limit: 20, Count: true,
	}})
	for _, by := range index.SortFields {
		for _, ascending := range []bool{true, false} {
			s := index.Sort{Field: by, Ascending: ascending}
			cases = append(cases, goldenCase{"P17 " + s.String(), index.Query{Sort: s, Offset: 40, Limit: 20}})
		}
	}
	return cases
}

// goldenGrids are grids whose request bodies are kept in goldenQueries as well. Their edges are numbers
// that every processor computes alike.
func goldenGrids() map[string]index.Grid {
	return map[string]index.Grid{
		"cells of the west":             index.NewGrid(index.Box{North: 28.9, South: -60, East: -1, West: -170}, 1),
		"cells across the antimeridian": index.NewGrid(index.Box{North: 90, South: 28, East: -179, West: 179}, 1),
	}
}

// goldenGroups are requests for groups whose bodies are kept in goldenQueries as well. What is
// after a key is read without amounts.
func goldenGroups() map[string][]index.Dimension {
	return map[string][]index.Dimension{
		"X12 by county":            {index.ByCounty},
		"X12 by category":          {index.ByCategory},
		"X12 by year and category": {index.ByYear, index.ByCategory},
		"X12 by holder and city":   {index.ByHolder, index.ByCity},
		"X12 by state and type":    {index.ByState, index.ByFilingType},
		"X12 by day":               {index.ByDay},
		"X12 by month and class":   {index.ByMonth, index.ByPropertyClassification},
	}
}

// goldenCounties are the counties of the synthetic filings, folded, as a reader hands them to clauses.
var goldenCounties = []string{"lake, fl", "orange, ca", "orange, fl", "şile, tx"}

func goldenBody(t *testing.T, q index.Query) []byte {
	t.Helper()
	c, err := search.Clauses(q.Where, search.Known{Counties: func() ([]string, error) { return goldenCounties, nil }})
	if err != nil {
		t.Fatal(err)
	}
	page := search.PageOf(q, c).Part(int64(q.Offset), int64(q.Limit))
	if q.Count {
		page.Counts = search.Usual.MostCounted
	}
	return lines(t, page.Body())
}

func goldenCellsBody(t *testing.T, g index.Grid) []byte {
	t.Helper()
	c, err := search.Clauses(g.Where(index.Filter{}), search.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return lines(t, search.Cells(c, g))
}

// lines writes a request with each of its members on a line.
func lines(t *testing.T, body search.Object) []byte {
	t.Helper()
	var b bytes.Buffer
	between := "{\n "
	for _, name := range slices.Sorted(maps.Keys(body)) {
		value, err := json.Marshal(body[name])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s%q: %s", between, name, value)
		between = ",\n "
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// Each query, in its canonical form, beside the request that it becomes.
func TestGoldenQueries(t *testing.T) {
	t.Parallel()
	var got txtar.Archive
	for _, c := range goldenCases() {
		got.Files = append(got.Files,
			txtar.File{Name: c.name, Data: []byte(c.Query.String() + "\n")},
			txtar.File{Name: c.name + ", request", Data: goldenBody(t, c.Query)})
	}
	for _, name := range slices.Sorted(maps.Keys(goldenGrids())) {
		g := goldenGrids()[name]
		got.Files = append(got.Files,
			txtar.File{Name: name, Data: []byte(g.Text(index.Filter{}) + "\n")},
			txtar.File{Name: name + ", request", Data: goldenCellsBody(t, g)})
	}
	for _, name := range slices.Sorted(maps.Keys(goldenGroups())) {
		by := goldenGroups()[name]
		next := search.CompositeGroups(nil, by, false, 65_000, &search.GroupKey{First: "FL"})
		got.Files = append(got.Files,
			txtar.File{Name: name, Data: []byte(index.GroupQuery{Dimensions: by}.Text(index.Filter{}) + "\n")},
			txtar.File{Name: name + ", request", Data: lines(t, search.CompositeGroups(nil, by, true, 10_001, nil))},
			txtar.File{Name: name + ", next", Data: lines(t, next)})
		if len(by) == 1 {
			terms := lines(t, search.TermGroups(nil, by[0], 10_001))
			got.Files = append(got.Files, txtar.File{Name: name + ", terms", Data: terms})
		}
	}
	if *update {
		if err := os.WriteFile(goldenQueries, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := txtar.ParseFile(goldenQueries)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files(want), files(&got)); diff != "" {
		t.Errorf("-update writes it anew (-want +got):\n%s", diff)
	}
}

func files(a *txtar.Archive) map[string]string {
	m := map[string]string{}
	for _, f := range a.Files {
		m[f.Name] = string(f.Data)
	}
	return m
}

// replaying returns a reader of the filings that the goldens are about, an oracle of them, and the goldens.
func replaying(t *testing.T) (*Reader, *indextest.Oracle, map[string]string) {
	t.Helper()
	filings := elastictest.Filings(300)
	archive, err := txtar.ParseFile(goldenQueries)
	if err != nil {
		t.Fatal(err)
	}
	return testReader(t, 1, filings), indextest.NewOracle("made", filings), files(archive)
}

// replay sends a body as a search.
func replay(t *testing.T, r *Reader, body string) (response []byte, err error) {
	t.Helper()
	err = r.read(t.Context(), &response,
		esapi.SearchRequest{Index: []string{r.generation}, Body: strings.NewReader(body)})
	return response, err
}

// The response of the real Elasticsearch to each request in the file is the oracle's to the query beside it.
func TestGoldenQueries_Replayed(t *testing.T) {
	t.Parallel()
	r, o, golden := replaying(t)
	for _, c := range goldenCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			response, err := replay(t, r, golden[c.name+", request"])
			if err != nil {
				t.Fatal(err)
			}
			read, fields := document.Records, index.FieldSet(0)
			if c.IDsOnly {
				read, fields = document.IDs, index.SetOf()
			}
			got, err := read(response)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := o.Rows(t.Context(), c.Query)
			for i, r := range want.Records {
				if want.Records[i], err = r.AppendFields(nil, index.Enterprise, fields); err != nil {
					t.Fatal(err)
				}
			}
			if total, exact := document.Total(response); exact != c.Count || total != want.Total {
				t.Errorf("a total of %d, exact: %t; want %d", total, exact, want.Total)
			}
			if diff := cmp.Diff(texts(want.Records), texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			empty := strings.Contains(c.name, "no value") || strings.Contains(c.name, "NUL")
			if empty != (len(got) == 0) {
				t.Errorf("%d filings; the case does not test the clause", len(got))
			}
		})
	}
}

func TestGoldenCells_Replayed(t *testing.T) {
	t.Parallel()
	r, o, golden := replaying(t)
	for name, g := range goldenGrids() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := replay(t, r, golden[name+", request"])
			if err != nil {
				t.Fatal(err)
			}
			var rows cellRows
			if err := client.Decode(response, &rows); err != nil {
				t.Fatal(err)
			}
			got, err := rows.cells()
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(got, index.CompareCells)
			want, _ := o.Cells(t.Context(), index.Filter{}, g)
			if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
				t.Errorf("%d cells (-want +got):\n%s", len(got), diff)
			}
		})
	}
}

func TestGoldenGroups_Replayed(t *testing.T) {
	t.Parallel()
	r, o, golden := replaying(t)
	for name, by := range goldenGroups() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := replay(t, r, golden[name+", request"])
			if err != nil {
				t.Fatal(err)
			}
			var all groupRows[search.GroupKey]
			if err := client.Decode(response, &all); err != nil {
				t.Fatal(err)
			}
			got := index.NewGrouping(index.GroupQuery{Dimensions: by})
			for _, b := range all.Aggregations.Groups.Buckets {
				got.Add(b.group(b.Key.First, b.Key.Second))
			}
			want, _ := o.Groups(t.Context(), index.Filter{}, index.GroupQuery{Dimensions: by})
			if diff := cmp.Diff(want, got.Groups()); diff != "" || want.Total < 2 {
				t.Errorf("%d groups (-want +got):\n%s", want.Total, diff)
			}
			if _, err := replay(t, r, golden[name+", next"]); err != nil {
				t.Error(err)
			}
			if len(by) > 1 {
				return
			}
			if response, err = replay(t, r, golden[name+", terms"]); err != nil {
				t.Fatal(err)
			}
			var found groupRows[string]
			if err := client.Decode(response, &found); err != nil {
				t.Fatal(err)
			}
			terms, complete, err := termGroups(&found, index.GroupQuery{Dimensions: by})
			if diff := cmp.Diff(want, terms); err != nil || !complete || diff != "" {
				t.Errorf("by terms: complete %t, %v (-want +got):\n%s", complete, err, diff)
			}
		})
	}
}
