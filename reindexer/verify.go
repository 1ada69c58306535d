package reindexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"filings/index"
	"filings/reindexer/record"
)

// shownDifferences is how many differences an ErrVerification names.
const shownDifferences = 20

// verify compares a sealed generation with the expected counts and filings, and returns
// ErrVerification with the differences.
func (r *running) verify(ctx context.Context, sealed index.Counts, built index.Reader) error {
	if err := index.Probe(ctx, built); errors.Is(err, index.ErrRecord) { // another one comes from the checks below too
		return fmt.Errorf("%w: %w", ErrVerification, err)
	}
	differences := r.counts.Diff(sealed)
	var altered, missed []string
	err := r.cfg.Store.Retry(ctx, func(ctx context.Context) (err error) {
		altered, err = r.sample.readBack(ctx, built)
		return err
	})
	if err == nil {
		missed, err = r.searches(ctx, built)
	}
	if err != nil {
		return fmt.Errorf("verifying the new generation: %w", err)
	}
	return differ(slices.Concat(differences, altered, missed))
}

func differ(differences []string) error {
	if len(differences) == 0 {
		return nil
	}
	more := ""
	if n := len(differences) - shownDifferences; n > 0 {
		differences, more = differences[:shownDifferences], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("%w: %s%s", ErrVerification, strings.Join(differences, "; "), more)
}

// readBack reads the filings of the sample whole.
func (s *sample) readBack(ctx context.Context, r index.Reader) (found []string, err error) {
	records, err := r.Filings(ctx, s.ids)
	for i, got := range records {
		if difference := differs(s.ids[i], s.records[s.ids[i]], got); difference != "" {
			found = append(found, difference)
		}
	}
	return found, err
}

// differs says in words how got differs from want, each of which may be nil for no filing; "" where
// it does not. Equal values that are written otherwise differ too (rule X23).
func differs(id int64, want, got index.Record) string {
	switch {
	case bytes.Equal(want, got):
		return ""
	case want == nil:
		return fmt.Sprintf("filing %d was deleted but is there", id)
	case got == nil:
		return fmt.Sprintf("filing %d is not there", id)
	}
	var w, g [index.NumReturned][]byte
	if err := errors.Join(want.Values(w[:], index.NumReturned-1), got.Values(g[:], index.NumReturned-1)); err != nil {
		return fmt.Sprintf("filing %d: %v", id, err)
	}
	field := slices.IndexFunc(index.Fields(), func(f index.Field) bool { return !bytes.Equal(w[f], g[f]) })
	return fmt.Sprintf("filing %d: %s is %s, not %s", id, index.Field(field), g[field], w[field])
}

const (
	// searched is how many filings of the sample are searched for.
	searched = 5
	// searchedTerm is the longest search term that a client can send, in characters (rule P16).
	searchedTerm = 200
	// searchedRows is how many hits a filing is looked for among.
	searchedRows = 1000
)

// searches sends a few queries that clients send: whether a search for an owner finds the filing,
// and how many filings a county and a month have. Each is tried again by itself, since the time of
// an attempt is that of one request.
func (r *running) searches(ctx context.Context, built index.Reader) (found []string, err error) {
	for _, f := range r.sample.searchable() {
		for _, query := range []func(context.Context, index.Reader, *index.Filing) (string, error){
			findOwner, r.countCounty, r.countMonth,
		} {
			var difference string
			err := r.cfg.Store.Retry(ctx, func(ctx context.Context) (err error) {
				difference, err = query(ctx, built, f)
				return err
			})
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
func (s *sample) searchable() (filings []*index.Filing) {
	for _, id := range s.ids {
		f, err := record.Decode(s.records[id]) // nil, of a deletion, is no filing
		if err == nil && index.SearchText(f.Text(index.Owner)) != "" && f.Has(index.FilingDate) {
			filings = append(filings, f)
		}
	}
	return filings[:min(len(filings), searched)]
}

// findOwner searches for the owner of f among the filings of its county, day and amount.
func findOwner(ctx context.Context, r index.Reader, f *index.Filing) (string, error) {
	day := f.Text(index.FilingDate)
	filter := index.Where(
		index.Contains{Text: term(f.Text(index.Owner))},
		index.InCounty(f.Text(index.County)),
		index.Days{First: day, Last: day},
	)
	if amount, ok := f.Number(index.FilingAmount); ok {
		filter = filter.And(index.Range{Field: index.FilingAmount, Min: &amount, Max: &amount})
	}
	page, err := r.Rows(ctx, index.Query{Where: filter, Sort: index.DefaultSort, Limit: searchedRows})
	rows := page.Records
	if err != nil || len(rows) == searchedRows { // f may be after them
		return "", err
	}
	for _, row := range rows {
		if got, err := record.Decode(row); err == nil && got.ID == f.ID {
			return "", nil
		}
	}
	return fmt.Sprintf("filing %d is not among the %d hits of a search for its owner", f.ID, len(rows)), nil
}

// term returns s as a search term that a client could send.
func term(s string) string {
	runes := []rune(index.SearchText(s))
	return index.SearchText(string(runes[:min(len(runes), searchedTerm)]))
}

// countCounty counts the filings that a query for the county of f selects, in any case of its name.
func (r *running) countCounty(ctx context.Context, built index.Reader, f *index.Filing) (string, error) {
	county := f.Text(index.County)
	var want int64
	for name, c := range r.counts.Counties {
		if index.Fold(name) == index.Fold(county) {
			want += c.Filings
		}
	}
	return selects(ctx, built, county, want, index.Where(index.AnyOf{
		Fields: []index.Field{index.County}, Values: []string{index.Fold(county)},
	}))
}

func (r *running) countMonth(ctx context.Context, built index.Reader, f *index.Filing) (string, error) {
	month := f.Text(index.FilingDate)[:7]
	return selects(ctx, built, month, r.counts.Months[month], inMonth(month))
}

// selects returns a text with the number of filings that w selects, if it is not want. name is the
// name of the query in the text.
func selects(ctx context.Context, r index.Reader, name string, want int64, w index.Filter) (string, error) {
	got, err := r.Count(ctx, w)
	if err != nil || got == want {
		return "", err
	}
	return fmt.Sprintf("a query for %s selects %d filings, not %d", name, got, want), nil
}

// inMonth selects the filings of a month YYYY-MM.
func inMonth(month string) index.Filter {
	first, _ := time.Parse("2006-01", month) // a month of valid days
	last := first.AddDate(0, 1, -1)
	return index.Where(index.Days{First: first.Format(time.DateOnly), Last: last.Format(time.DateOnly)})
}
