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
	var colds, warms, medians []time.Duration
	for _, filter := range []string{"q=a", "q=a&county=" + url.QueryEscape(a.county)} {
		total, err := s.total(ctx, "/v1/filings/search?limit=1&"+filter)
		if err != nil {
			return err
		}
		for _, o := range orders() {
			at := func(offset int) (time.Duration, error) {
				began := time.Now()
				_, err := s.get(ctx, fmt.Sprintf("/v1/filings/search?limit=20&%s&%s&offset=%d", filter, o.query(), offset))
				return time.Since(began), err
			}
			cold, err := at(total * 19 / 20)
			if err != nil {
				return err
			}
			elsewhere := make([]time.Duration, 40)
			for i := range elsewhere {
				if elsewhere[i], err = at((i*40_503 + 17) % (total - 1000)); err != nil { // spread over all
					return err
				}
			}
			colds, warms, medians = append(colds, cold), append(warms, elsewhere...), append(medians, quantile(elsewhere, .5))
		}
	}
	fmt.Print("\n| filings | page of 20 deep in, cold, ms, median and largest | warm, ms, median and largest median of an order |\n|---|---|---|\n")
	fmt.Printf("| %d | %s, %s | %s, %s |\n", a.total, ms(quantile(colds, .5)), ms(quantile(colds, 1)), ms(quantile(warms, .5)), ms(quantile(medians, 1)))
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
