package reindexer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/generation"
)

// questions is how many questions are asked of a store at once: enough to hide most of the way to a server.
const questions = 8

// expectation is what a generation must hold once it is sealed.
type expectation struct {
	tally  generation.Checksum
	sample *sample
}

func newExpectation() *expectation {
	return &expectation{tally: generation.NewChecksum(), sample: newSample()}
}

func (e *expectation) add(f *index.Filing) {
	e.keep(f)
	e.tally.Add(f)
	e.sample.offer(f.ID, f)
}

// keep puts copies of the texts into f that the tally is about to keep: those of a record are parts of its line, which
// must not stay.
func (e *expectation) keep(f *index.Filing) {
	if county := f.Text(index.County); e.tally.Counties[county].Filings == 0 {
		f.SetText(index.County, strings.Clone(county))
	}
	if date := f.Text(index.FilingDate); date != "" && e.tally.Months[date[:7]] == 0 {
		f.SetText(index.FilingDate, strings.Clone(date))
	}
}

// tallyOf counts what a generation holds that was verified when it was built.
func tallyOf(ctx context.Context, r index.Reader) (generation.Checksum, error) {
	t := generation.NewChecksum()
	counties, err := r.Counties(ctx)
	if err != nil {
		return t, fmt.Errorf("counting the live filings: %w", err)
	}
	for _, c := range counties {
		t.Filings += c.Filings
		t.Counties[c.County] = generation.CountyChecksum{Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents}
	}
	months, err := r.Distinct(ctx, index.Filter{}, index.Month)
	if err != nil {
		return t, fmt.Errorf("counting the live filings: %w", err)
	}
	counts := make([]int64, len(months))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(questions)
	for i, month := range months {
		group.Go(func() (err error) {
			counts[i], err = r.Count(ctx, inMonth(month))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return t, fmt.Errorf("counting the live filings: %w", err)
	}
	undated := t.Filings
	for i, month := range months {
		t.Months[month] = counts[i]
		undated -= counts[i]
	}
	t.Months[""] = undated
	return t, nil
}

// inMonth selects the filings of a month YYYY-MM.
func inMonth(month string) index.Filter {
	first, _ := time.Parse("2006-01", month) // a month of valid days
	last := first.AddDate(0, 1, -1)
	return index.Where(index.Days{From: first.Format(time.DateOnly), To: last.Format(time.DateOnly)})
}
