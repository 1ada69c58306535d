package columns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"filings/index"
)

// looked is a context that ends when it was looked at so many times, and counts how often it was.
type looked struct {
	context.Context
	ends, looks int
}

func (l *looked) Err() error {
	if l.looks++; l.looks > l.ends {
		return context.DeadlineExceeded
	}
	return nil
}

// TestEnded: whatever walks through many words or groups looks at the context every lookEvery
// steps, and ends with it at each of these looks.
func TestEnded(t *testing.T) {
	t.Parallel()
	const n = 3*lookEvery + 1
	source := synthetics(1, 1)[0]
	filings := make([]*index.Filing, n)
	for i := range filings {
		f := *source
		name := word(i)
		f.ID = int64(i + 1)
		for _, field := range []index.Field{index.Owner, index.FilingHolder, index.City, index.CaseNumber} {
			f.SetText(field, name)
		}
		f.SetText(index.County, name+", FL")
		filings[i] = &f
	}
	table := newTable(t, filings)
	groups := func(by ...index.Dimension) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := table.Groups(ctx, index.Filter{}, index.GroupQuery{Dimensions: by, Limit: 1})
			return err
		}
	}
	compiled := func(p index.Predicate) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := table.compile(ctx, p)
			return err
		}
	}
	fields := func(f index.Field) []index.Field { return []index.Field{f} }
	for name, one := range map[string]struct {
		loops int // over n words or groups
		run   func(context.Context) error
	}{
		"groups by owner":          {2, groups(index.ByOwner)},
		"groups by owner and city": {3, groups(index.ByOwner, index.ByCity)},
		"groups by holder":         {2, groups(index.ByHolder)},
		"groups by county, type":   {2, groups(index.ByCounty, index.ByFilingType)},
		"holders":                  {1, compiled(index.AnyOf{Fields: fields(index.FilingHolder), Values: []string{"x"}})},
		"owners":                   {0, compiled(index.AnyOf{Fields: fields(index.OwnerKey), Values: []string{"x"}})},
		"holders that are left out": {1, compiled(index.Not{
			Predicate: index.AnyOf{Fields: fields(index.FilingHolder), Values: []string{"x"}},
		})},
		"names of counties": {1, compiled(index.AnyOf{Fields: fields(index.CountyName), Values: []string{"x"}})},
		"terms in counties": {1, compiled(index.Contains{Text: "0"})},
		"runs of letters":   {2, compiled(index.Contains{Text: "bbbbb"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := &looked{Context: t.Context(), ends: 1 << 30}
			if err := one.run(whole); err != nil { // what is cached is read first
				t.Fatal(err)
			}
			whole.looks = 0
			if err := one.run(whole); err != nil || whole.looks < one.loops*n/lookEvery {
				t.Fatalf("looked at %d times, %v; want %d loops of %d looks", whole.looks, err, one.loops, n/lookEvery)
			}
			for ends := range whole.looks {
				if err := one.run(&looked{Context: t.Context(), ends: ends}); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("ended at look %d of %d: %v", ends+1, whole.looks, err)
				}
			}
		})
	}
}

// word returns another word of letters for each number: it has five b, neither first nor last.
func word(n int) string {
	digits := []byte(fmt.Sprintf("%05d", n))
	for i := range digits {
		digits[i] += 'c' - '0'
	}
	return string(slices.Insert(digits, 2, 'b', 'b', 'b', 'b', 'b'))
}
