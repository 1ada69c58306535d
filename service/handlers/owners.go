package handlers

import (
	"context"
	"strconv"

	"filings/index"
	"filings/index/serving"
	"filings/service/params"
)

// Owner is an owner's portfolio, however its name is written.
type Owner struct {
	Name            string        `json:"name" help:"Name as most of the filings write it."`
	Filings         int64         `json:"filings" help:"Filings of the owner."`
	Writings        int64         `json:"writings" help:"Different ways in which the name is written."`
	Counties        []OwnerCounty `json:"counties" help:"The first 20 counties, those with the most filings first, then by name."`
	FilingAmount    OwnerAmounts  `json:"filingAmount"`
	FirstFilingDate *string       `json:"firstFilingDate" format:"date" help:"Earliest recording date; null where no filing has one."`
	LastFilingDate  *string       `json:"lastFilingDate" format:"date" help:"Latest recording date; null where no filing has one."`
}

// OwnerCounty is how many filings of an owner are in a county.
type OwnerCounty struct {
	County  string `json:"county" help:"County and state."`
	Filings int64  `json:"filings" help:"Filings of the owner there."`
}

// OwnerAmounts are the figures of the amounts of an owner's filings.
type OwnerAmounts struct {
	Count int64   `json:"count" help:"Filings that have an amount."`
	Sum   float64 `json:"sum" help:"Sum of the amounts, dollars."`
}

// Owners handles GET /v1/owners: a page. A position is how many owners stand before it, since a
// generation never changes.
func Owners(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	page, err := r.Owners(ctx, q.OwnerQuery())
	data := make([]Owner, len(page.List))
	for i, p := range page.List {
		data[i] = Owner{Name: p.Name, Filings: p.Filings, Writings: p.Writings,
			Counties:     make([]OwnerCounty, len(p.Counties)),
			FilingAmount: OwnerAmounts{p.Amounts, index.Dollars(p.SumCents)}}
		for j, c := range p.Counties {
			data[i].Counties[j] = OwnerCounty(c)
		}
		if p.FirstFilingDate != "" {
			data[i].FirstFilingDate = &page.List[i].FirstFilingDate
			data[i].LastFilingDate = &page.List[i].LastFilingDate
		}
	}
	result := Result{Data: JSON{data}, Rows: len(data), Total: page.Total}
	if q.Cursor != nil && err == nil {
		position := *q.Cursor
		position.Generation, position.Total = index.GenerationID(r.Generation()), page.Total
		position.Seen += int64(len(data))
		if position.After = strconv.FormatInt(position.Seen, 10); position.Seen < position.Total {
			result.Next = position.String()
		}
	}
	return result, err
}

// Correction is a word of a search and the words that stand for it.
type Correction struct {
	Word    string   `json:"from"`
	Nearest []string `json:"to"`
}

// corrected returns w, or, where it selects nothing, the filter of the words of its term, each as
// it was typed or one near it (rule X29), with the corrections.
func corrected(ctx context.Context, r *serving.Reader, w index.Filter) (index.Filter, []Correction, error) {
	if n, err := r.Count(ctx, w); err != nil || n > 0 {
		return w, nil, err
	}
	var predicates []index.Predicate
	var words []string
	for _, p := range w.Predicates() {
		if term, ok := p.(index.Contains); ok {
			words = index.Words(term.Text)
		} else {
			predicates = append(predicates, p)
		}
	}
	if len(words) == 0 {
		return w, nil, nil
	}
	nearest, err := r.Nearest(ctx, words)
	if err != nil {
		return w, nil, err
	}
	corrections := []Correction{}
	for i, word := range words {
		predicates = append(predicates, index.Contains{Text: word, Alternatives: nearest[i]})
		if len(nearest[i]) > 0 {
			corrections = append(corrections, Correction{word, nearest[i]})
		}
	}
	return index.Where(predicates...), corrections, nil
}
