package columns

import (
	"math/rand/v2"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
)

// TestA3_Times compares counts of what was added lately with the oracle's, with many equal times
// and some missing.
func TestA3_Times(t *testing.T) {
	t.Parallel()
	filings := synthetics(3*blockRows/2, 1)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, f := range filings {
		f.CreatedAt = time.Date(2024, 5, 1+rnd.IntN(3), 0, 0, 0, 1000*rnd.IntN(100), time.UTC)
		if i%50 == 0 {
			f.CreatedAt = time.Time{}
		}
	}
	table, oracle := newTable(t, filings), indextest.NewOracle("oracle", filings)
	for range 300 {
		from, to := filings[rnd.IntN(len(filings))].CreatedAt, filings[rnd.IntN(len(filings))].CreatedAt
		w := index.Where(index.Times{First: from, Last: to.Add(time.Duration(rnd.IntN(3)-1) * time.Microsecond)})
		want, err := oracle.Count(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := table.Count(t.Context(), w); err != nil || got != want {
			t.Errorf("%v: %d, %v, want %d", w, got, err, want)
		}
	}
}

// TestP16_AmongFewRows compares counts of terms of all lengths, alone, together and left out, with
// the oracle's: among all filings, in a county, and among so few ids that their texts are read
// without the index.
func TestP16_AmongFewRows(t *testing.T) {
	t.Parallel()
	filings := synthetics(3*blockRows/2, 7)
	table, oracle := newTable(t, filings), indextest.NewOracle("oracle", filings)
	ids := index.IDs{}
	for i := range 20 {
		ids.IDs = append(ids.IDs, filings[i*len(filings)/20].ID)
	}
	text := func(term string, others ...string) index.Predicate {
		return index.Contains{Text: term, Alternatives: others}
	}
	for _, among := range [][]index.Predicate{nil, {ids}, {index.InCounty("orange")}, {index.Not{Predicate: ids}}} {
		for _, terms := range [][]index.Predicate{
			{text("a")}, {text("1 ")}, {text("zq")}, {text("1 st")}, {text("maple")}, {text("maple st")}, {text("range, f")},
			{text("maple st"), text("1")}, {text("e"), text("12"), text("trust")}, {index.Not{Predicate: text("maple s")}},
			{text("12", "maple", "oak a")}, {text("no such", "a", "range, f")}, {text("1", "2"), text("maple", "zq")},
		} {
			w := index.Where(append(terms, among...)...)
			want, err := oracle.Count(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := table.Count(t.Context(), w); err != nil || got != want {
				t.Errorf("%v: %d, %v, want %d", w, got, err, want)
			}
		}
	}
}

// TestP6_CountiesAsWritten compares the counties, their names and their states, in all the forms
// that a filing may have, with the oracle's.
func TestP6_CountiesAsWritten(t *testing.T) {
	t.Parallel()
	var filings []*index.Filing
	for i, county := range []string{
		"Orange, FL", "ORANGE, fl", "Orange", "", "Orange, F\u00adL", "Or\u00adange, FL", "St. Johns – FL", "É, GA",
		"E\u0301, GA", ", FL",
	} {
		f := &index.Filing{ID: int64(i + 1)}
		f.SetText(index.County, county)
		filings = append(filings, f)
	}
	table, oracle := newTable(t, filings), indextest.NewOracle("oracle", filings)
	for _, fields := range [][]index.Field{
		{index.County, index.CountyName}, {index.County}, {index.CountyName}, {index.State}, {index.State, index.City},
	} {
		for _, value := range []string{"orange, fl", "orange", "fl", "", "st. johns - fl", "é, ga", "é", "ga", ", fl"} {
			w := index.Where(index.AnyOf{Fields: fields, Values: []string{value}})
			want, err := oracle.Count(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := table.Count(t.Context(), w); err != nil || got != want {
				t.Errorf("%v: %d, %v, want %d", w, got, err, want)
			}
		}
	}
}
