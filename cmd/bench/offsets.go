package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"
)

// order is one of the orders of filings.
type order struct{ by, direction string }

// orders are all of them.
func orders() (all []order) {
	for _, by := range []string{"record_date", "filing_amount", "current_amount", "property_owner", "created_at"} {
		all = append(all, order{by, "DESC"}, order{by, "ASC"})
	}
	return all
}

func (o order) String() string { return o.by + " " + o.direction }

func (o order) query() string { return "sort_by=" + o.by + "&sort_order=" + o.direction }

// measureOffsets requests pages deep in every order, of all filings that a search finds and of a filter: first cold, when
// no cache knows the order, then at other offsets.
func (b *bench) measureOffsets(ctx context.Context, s *served, a sample) error {
	fmt.Print("\n| page of 20 deep in | ms cold | ms at other offsets, median and p99 | ms of the pages behind, median |\n|---|---|---|---|\n")
	var colds, warms []time.Duration
	for _, filter := range []struct{ name, query string }{
		{"all with an A", "q=a"},
		{"the largest county", "q=a&county=" + url.QueryEscape(a.county)},
	} {
		total, err := s.total(ctx, "/v1/filings/search?limit=1&"+filter.query)
		if err != nil {
			return err
		}
		for _, o := range orders() {
			path := "/v1/filings/search?limit=20&" + filter.query + "&" + o.query()
			at := func(offset int) (time.Duration, error) {
				began := time.Now()
				_, err := s.get(ctx, fmt.Sprintf("%s&offset=%d", path, offset))
				return time.Since(began), err
			}
			cold, err := at(total * 19 / 20)
			if err != nil {
				return err
			}
			var elsewhere, after []time.Duration
			for i := range 40 {
				offset := (i*40_503 + 17) % (total - 1000) // spread over all
				one, err := at(offset)
				if err != nil {
					return err
				}
				next, err := at(offset + 20)
				if err != nil {
					return err
				}
				elsewhere, after = append(elsewhere, one), append(after, next)
			}
			colds, warms = append(colds, cold), append(warms, elsewhere...)
			fmt.Printf("| %d, %s, %s | %s | %s, %s | %s |\n", total, filter.name, o, ms(cold),
				ms(quantile(elsewhere, .5)), ms(quantile(elsewhere, .99)), ms(quantile(after, .5)))
		}
	}
	fmt.Printf("| median of all | %s | %s | |\n", ms(quantile(colds, .5)), ms(quantile(warms, .5)))
	return nil
}

// total returns how many filings a path finds.
func (s *served) total(ctx context.Context, path string) (int, error) {
	var page struct{ Pagination struct{ Total int } }
	body, err := s.get(ctx, path)
	if err == nil {
		err = json.Unmarshal(body, &page)
	}
	return page.Pagination.Total, err
}
