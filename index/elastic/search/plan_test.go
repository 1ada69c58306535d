package search

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"filings/index"
	"filings/index/elastic/document"
)

var update = flag.Bool("update", false, "write testdata/plans.txtar anew")

const goldenPlans = "testdata/plans.txtar"

// planned writes a plan as the bodies of its searches, a line each.
func planned(t *testing.T, pages ...Page) []byte {
	t.Helper()
	var b []byte
	for _, p := range pages {
		text, err := json.Marshal(p.Body())
		if err != nil {
			t.Fatal(err)
		}
		if p.Backwards {
			text = append(text, " backwards"...)
		}
		if p.Known != nil {
			text = fmt.Appendf(text, " known %s", p.Known)
		}
		b = append(append(b, text...), '\n')
	}
	return b
}

// afterCases are positions, in the texts that clients send, and the orders that they are in.
var afterCases = []struct {
	sort index.Sort
	end  string
}{
	{index.DefaultSort, `[19700,7]`},
	{index.DefaultSort, `19680[19700,7]`},
	{index.DefaultSort, `=3[19700,7]`},
	{index.DefaultSort, `[null,7]`},
	{index.Sort{Field: index.FilingDate, Ascending: true}, `[19700,7]`},
	{index.Sort{Field: index.FilingDate, Ascending: true}, `19710[19700,7]`},
	{index.Sort{Field: index.FilingDate, Ascending: true}, `=3[19700,7]`},
	{index.Sort{Field: index.FilingAmount, Ascending: true}, `[12.5,19700,7]`},
	{index.Sort{Field: index.FilingAmount, Ascending: true}, `20[12.5,19700,7]`},
	{index.Sort{Field: index.FilingAmount, Ascending: true}, `=[12.5,19700,7]`},
	{index.Sort{Field: index.FilingAmount}, `==3[0.0,19700,7]`},
	{index.Sort{Field: index.FilingAmount}, `[null,19700,7]`},
	{index.Sort{Field: index.Owner}, `["a b",null,7]`},
}

// offsetCase is a page at an offset of a span that was counted.
type offsetCase struct {
	name        string
	sort        index.Sort
	table       Table
	offset, end int64
}

func offsetCases() []offsetCase {
	counted := func(width int64, keys []string, counts ...int64) Table {
		t := Table{Width: width}
		for i, key := range keys {
			t.Add([]byte(key), counts[i])
		}
		return t
	}
	amounts := []string{`"c0a"`, `"c0b"`, `"c0c"`, ""}
	days := []string{"19700", "19690", "19680"}
	byAmount := index.Sort{Field: index.FilingAmount, Ascending: true}
	oldestFirst := index.Sort{Field: index.FilingDate, Ascending: true}
	return []offsetCase{
		{"at the beginning of a bucket", byAmount, counted(0, amounts, 100, 50, 100, 9), 100, 120},
		{"from the nearer end", byAmount, counted(0, amounts, 9, 5000, 9, 9), 5000, 5009},
		{"over three buckets", byAmount, counted(0, amounts, 100, 5, 100, 9), 90, 120},
		{"deep in a large bucket", byAmount, counted(0, amounts, 9, 90_000, 9, 9), 50_000, 50_020},
		{"without a value", byAmount, counted(0, amounts, 9, 9, 9, 90), 50, 70},
		{"deep without a value", byAmount, counted(0, amounts, 9, 9, 9, 90_000), 50_000, 50_020},
		{"on a day", index.DefaultSort, counted(0, days, 10, 20_000, 10), 1000, 1020},
		{"deep on a day", index.DefaultSort, counted(0, days, 10, 20_000, 10), 15_000, 15_020},
		{"by ascending days", oldestFirst, counted(0, days, 10, 20_000, 10), 15, 25},
	}
}

// Each plan of a page, beside what it is planned from. What the real Elasticsearch makes of such searches is tested by
// package reader and by the conformance suite.
func TestGoldenPlans(t *testing.T) {
	t.Parallel()
	var got txtar.Archive
	for _, c := range afterCases {
		start, reach, err := ReadEnd(c.end, c.sort)
		if err != nil {
			t.Fatal(c.end, err)
		}
		all := PageOf(index.Query{Sort: c.sort}, []Object{exists(document.PointField)})
		data := planned(t, all.Ranges(start, reach)...)
		got.Files = append(got.Files, txtar.File{Name: c.sort.String() + ", after " + c.end, Data: data})
	}
	for _, c := range offsetCases() {
		all := Spanning(PageOf(index.Query{Sort: c.sort}, nil), c.sort)
		step := Usual.Next(all, &c.table, c.offset, c.end)
		name := fmt.Sprintf("%s, %s: %d to %d", c.sort, c.name, c.offset, c.end)
		data := planned(t, step.Page)
		if step.Narrower != nil {
			data = fmt.Appendf(nil, "counted by %s: %d to %d\n", step.Narrower.Name(), step.Offset, step.End)
		}
		got.Files = append(got.Files, txtar.File{Name: name, Data: data})
	}
	if *update {
		if err := os.WriteFile(goldenPlans, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenPlans)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(&got))); diff != "" {
		t.Errorf("-update writes it anew (-want +got):\n%s", diff)
	}
}

func BenchmarkBody(b *testing.B) {
	body := Page{
		clauses: []Object{
			inLimits("filingAmount", Object{"gte": 1000.0}),
			{"terms": Object{"x.county": []string{"orange, fl"}}},
		},
		order: Order{{"filingAmount", true}, {document.DayField, false}, {"id", false}},
	}.Part(120, 20).Body()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(body); err != nil {
			b.Fatal(err)
		}
	}
}
