package reindexer

import (
	"context"
	"fmt"

	"filings/index"
)

const (
	// searched is how many filings of the sample are looked for by search.
	searched = 5
	// searchedTerm is the longest search term that a client can send, in characters (rule P16).
	searchedTerm = 200
	// searchedRows is how many hits a filing may have to be found among.
	searchedRows = 1000
)

// searches asks a few things that clients ask: whether a search for an owner finds the filing, and how many filings a
// county and a month have.
func (e *expectation) searches(ctx context.Context, r index.Reader) (found []string, err error) {
	for _, f := range e.searchable() {
		for _, ask := range []func(context.Context, index.Reader, *index.Filing) (string, error){
			e.findOwner, e.countCounty, e.countMonth,
		} {
			difference, err := ask(ctx, r, f)
			if err != nil {
				return nil, err
			}
			if difference != "" {
				found = append(found, difference)
			}
		}
	}
	return found, nil
}

// searchable returns the first filings of the sample that have an owner and a date.
func (e *expectation) searchable() (filings []*index.Filing) {
	for _, id := range e.sample.ids {
		record := e.sample.records[id]
		if record == nil {
			continue
		}
		f, err := filingOf(record)
		if err != nil || index.SearchText(f.Text(index.Owner)) == "" || !f.Has(index.FilingDate) {
			continue
		}
		if filings = append(filings, f); len(filings) == searched {
			break
		}
	}
	return filings
}

// findOwner searches for the owner of f among the filings of its county, day and amount.
func (e *expectation) findOwner(ctx context.Context, r index.Reader, f *index.Filing) (string, error) {
	day := f.Text(index.FilingDate)
	where := index.Where(
		index.Contains{Text: term(f.Text(index.Owner))},
		index.InCounty(f.Text(index.County)),
		index.Days{From: day, To: day},
	)
	if amount, ok := f.Number(index.FilingAmount); ok {
		where = where.And(index.Between{Field: index.FilingAmount, Min: &amount, Max: &amount})
	}
	total, err := r.Count(ctx, where)
	if err != nil || total > searchedRows {
		return "", err
	}
	q := index.Query{Where: where, Sort: index.DefaultSort, Limit: 100}
	for ; int64(q.Offset) < total; q.Offset += q.Limit {
		rows, err := r.Rows(ctx, q)
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			if got, err := filingOf(row); err == nil && got.ID == f.ID {
				return "", nil
			}
		}
	}
	return fmt.Sprintf("filing %d is not among the %d hits of a search for its owner", f.ID, total), nil
}

// term returns s as a search term that a client could send.
func term(s string) string {
	runes := []rune(index.SearchText(s))
	return index.SearchText(string(runes[:min(len(runes), searchedTerm)]))
}

// countCounty counts the filings that a query for the county of f selects: those of counties that differ in case too.
func (e *expectation) countCounty(ctx context.Context, r index.Reader, f *index.Filing) (string, error) {
	county := f.Text(index.County)
	var want int64
	for name, c := range e.tally.Counties {
		if index.Fold(name) == index.Fold(county) {
			want += c.Filings
		}
	}
	got, err := r.Count(ctx, index.Where(index.AnyOf{
		Fields: []index.Field{index.County}, Values: []string{index.Fold(county)},
	}))
	if err != nil || got == want {
		return "", err
	}
	return fmt.Sprintf("a query for %s selects %d filings, not %d", county, got, want), nil
}

func (e *expectation) countMonth(ctx context.Context, r index.Reader, f *index.Filing) (string, error) {
	month := f.Text(index.FilingDate)[:7]
	want := e.tally.Months[month]
	got, err := r.Count(ctx, inMonth(month))
	if err != nil || got == want {
		return "", err
	}
	return fmt.Sprintf("a query for %s selects %d filings, not %d", month, got, want), nil
}
