package index_test

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"filings/index"
)

func TestFilterString_IsCanonical(t *testing.T) {
	t.Parallel()
	at := func(v float64) *float64 { return &v }
	anyOf := func(fields []index.Field, vs ...string) index.Predicate {
		return index.AnyOf{Fields: fields, Values: vs}
	}
	one, two := index.InCounty("Orange"), index.Present{Field: index.Trust}
	county := []index.Field{index.County, index.CountyName}
	for _, test := range []struct {
		name string
		a, b index.Filter
	}{
		{"nothing", index.Filter{}, index.Filter{}},
		{"order of predicates", index.Where(one, two), index.Where(two, one)},
		{"repeated predicates", index.Where(one, two, one), index.Where(one, two)},
		{"order of values", index.Where(anyOf(county, "a", "b")), index.Where(anyOf(county, "b", "a"))},
		{"repeated values", index.Where(anyOf(county, "a", "b", "a")), index.Where(anyOf(county, "a", "b"))},
		{"order of fields", index.Where(anyOf(county, "a")), index.Where(anyOf([]index.Field{index.CountyName, index.County}, "a"))},
		{"order of ids", index.Where(index.IDs{IDs: []int64{2, 10}}), index.Where(index.IDs{IDs: []int64{10, 2, 10}})},
		{"case of a county", index.Where(index.InCounty("ORANGE")), index.Where(one)},
		{"negative zero", index.Where(index.Range{Field: index.FilingAmount, Min: at(math.Copysign(0, -1))}),
			index.Where(index.Range{Field: index.FilingAmount, Min: at(0)})},
		{"negative zero of a box", index.Where(index.Box{South: math.Copysign(0, -1)}), index.Where(index.Box{})},
		{"zone of a time", index.Where(index.Times{First: time.Unix(7, 0).UTC()}),
			index.Where(index.Times{First: time.Unix(7, 999).In(time.FixedZone("west", -3600))})},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if a, b := test.a.String(), test.b.String(); a != b {
				t.Errorf("%s\n%s", a, b)
			}
		})
	}
}

// String must not change what it describes: queries are used from several goroutines.
func TestFilterString_LeavesTheFilterAlone(t *testing.T) {
	t.Parallel()
	p := index.AnyOf{Fields: []index.Field{index.CountyName, index.County}, Values: []string{"b", "a", "b"}}
	w := index.Where(p, index.Contains{Text: "x"}, index.Days{})
	_ = w.String()
	want := index.Where(
		index.AnyOf{Fields: []index.Field{index.CountyName, index.County}, Values: []string{"b", "a", "b"}},
		index.Contains{Text: "x"}, index.Days{},
	)
	if !reflect.DeepEqual(want, w) {
		t.Errorf("want %v, got %v", want, w)
	}
}

// Two filters have the same text exactly if they are the same, but for order and repetition.
func TestFilterString_TellsFiltersApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Custom(drawPredicate), 0, 3).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Custom(drawPredicate), 0, 3).Draw(t, "b")
		same := subset(a, b) && subset(b, a)
		if x, y := index.Where(a...).String(), index.Where(b...).String(); (x == y) != same {
			t.Errorf("same: %v\n%s\n%s", same, x, y)
		}
	})
}

// subset reports whether each predicate of a is one of b. Values are drawn sorted and once.
func subset(a, b []index.Predicate) bool {
	return !slices.ContainsFunc(a, func(p index.Predicate) bool {
		return !slices.ContainsFunc(b, func(q index.Predicate) bool { return reflect.DeepEqual(p, q) })
	})
}

// drawPredicate draws out of so few values that equal ones are frequent, and texts that look like syntax.
func drawPredicate(t *rapid.T) index.Predicate {
	text := rapid.SampledFrom([]string{"", "a", "b", `a","b`, `a" and contains "b`, `\`, `"`, "a and b", ")", "city in (\"a\")"})
	texts := rapid.Map(rapid.SliceOfNDistinct(text, 0, 2, rapid.ID), func(s []string) []string {
		slices.Sort(s)
		return s
	})
	number := rapid.SampledFrom([]float64{-1, 0, 0.1, 1, 1e21})
	date := rapid.SampledFrom([]string{"", "2024-01-01", "2024-01-02"})
	field := rapid.SampledFrom([]index.Field{index.City, index.FilingType, index.Trust, index.FilingAmount})
	switch rapid.IntRange(0, 9).Draw(t, "type") {
	case 0:
		return index.AnyOf{Fields: []index.Field{field.Draw(t, "field")}, Values: texts.Draw(t, "values")}
	case 1:
		bound := rapid.Ptr(number, true)
		return index.Range{Field: field.Draw(t, "field"), Min: bound.Draw(t, "min"), Max: bound.Draw(t, "max")}
	case 2:
		return index.Days{First: date.Draw(t, "from"), Last: date.Draw(t, "to")}
	case 3:
		at := func(n int64) time.Time { return time.UnixMicro(n).UTC() }
		return index.Times{First: at(rapid.Int64Range(0, 2).Draw(t, "from")), Last: at(rapid.Int64Range(0, 2).Draw(t, "to"))}
	case 4:
		return index.Present{Field: field.Draw(t, "field")}
	case 5:
		return index.Box{North: number.Draw(t, "n"), South: number.Draw(t, "s"), East: number.Draw(t, "e"), West: number.Draw(t, "w")}
	case 6:
		return index.Rest{Date: date.Draw(t, "date"), ID: rapid.Int64Range(0, 2).Draw(t, "id")}
	case 7:
		return index.Not{Predicate: drawPredicate(t)}
	case 8:
		ids := rapid.SliceOfNDistinct(rapid.Int64Range(1, 3), 0, 2, rapid.ID).Draw(t, "ids")
		slices.Sort(ids)
		return index.IDs{IDs: ids}
	}
	return index.Contains{Text: text.Draw(t, "text")}
}

func TestQueryString(t *testing.T) {
	t.Parallel()
	base := index.Query{Where: index.Where(index.InCounty("Orange, FL")), Sort: index.DefaultSort, Limit: 20}
	want := `where (county,countyName) in ("orange, fl") sort filingDate desc offset 0 limit 20`
	if got := base.String(); got != want {
		t.Errorf("want %s\n got %s", want, got)
	}
	seen := map[string]bool{base.String(): true}
	for _, change := range []func(q *index.Query){
		func(q *index.Query) { q.Where = index.Filter{} },
		func(q *index.Query) { q.Sort.Ascending = true },
		func(q *index.Query) { q.Sort.Field = index.Owner },
		func(q *index.Query) { q.Offset = 20 },
		func(q *index.Query) { q.Limit = 21 },
		func(q *index.Query) { q.IDsOnly = true },
		func(q *index.Query) { q.Bytes = 1 << 20 },
	} {
		q := base
		change(&q)
		if seen[q.String()] {
			t.Errorf("%s is two queries", q)
		}
		seen[q.String()] = true
	}
}
