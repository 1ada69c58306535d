package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// crawl is everything, read page by page.
type crawl struct {
	ids   []int64
	pages []time.Duration
}

// listed is what a crawl reads of a response.
type listed struct {
	Data       []struct{ ID int64 }
	Pagination struct {
		Next string `json:"next_cursor"`
	}
}

// depths are how far into a crawl its pages are looked at, in percent; around each this many pages.
var depths = []int{25, 50, 75, 99}

const pagesAround = 40

// measureCrawls reads everything in pages of 100 in every order, by offsets and by cursor, and fails unless each filing
// comes once. It compares pages deep in the crawl by cursor with its first page.
func (b *bench) measureCrawls(ctx context.Context, s *served, a sample) error {
	fmt.Print("\n| everything, in pages of 100 | filings/s by offsets | by cursor | factor | ms of the first page by cursor, median | at 25, 50, 75 and 99 %, times that |\n|---|---|---|---|---|---|\n")
	for _, o := range orders() {
		// A search finds what has the term; every county has a comma.
		path := "/v1/filings/search?limit=100&q=" + url.QueryEscape(", ") + "&" + o.query()
		var rates []float64
		var byCursor crawl
		for _, next := range []func(c crawl, p listed) string{
			func(c crawl, _ listed) string { return fmt.Sprintf("%s&offset=%d", path, len(c.ids)) },
			func(c crawl, p listed) string {
				if c.pages == nil {
					return path + "&cursor=*"
				}
				return "/v1/filings/search?cursor=" + p.Pagination.Next
			},
		} {
			began := time.Now()
			c, err := s.crawl(ctx, a.total, next)
			if err != nil {
				return fmt.Errorf("%s: %w", o, err)
			}
			rates, byCursor = append(rates, float64(a.total)/time.Since(began).Seconds()), c
		}
		first, err := s.times(ctx, path+"&cursor=*", pagesAround)
		if err != nil {
			return err
		}
		median := quantile(first, .5)
		var deep []string
		for _, percent := range depths {
			around := byCursor.pages[max(0, min(len(byCursor.pages)*percent/100, len(byCursor.pages)-pagesAround)):]
			around = slices.Clone(around[:min(pagesAround, len(around))])
			deep = append(deep, fmt.Sprintf("%.2f", float64(quantile(around, .5))/float64(median)))
		}
		fmt.Printf("| %s | %.0f | %.0f | %.2f | %s | %s |\n", strings.ToLower(o.String()), rates[0], rates[1], rates[1]/rates[0], ms(median), strings.Join(deep, ", "))
	}
	return nil
}

// crawl follows next, which gets what was read and the last page, until there are so many filings.
func (s *served) crawl(ctx context.Context, total int, next func(crawl, listed) string) (c crawl, err error) {
	c.ids = make([]int64, 0, total)
	for p := (listed{}); len(c.ids) < total; {
		began := time.Now()
		body, err := s.get(ctx, next(c, p))
		if err != nil {
			return c, err
		}
		c.pages = append(c.pages, time.Since(began))
		p = listed{}
		if err := json.Unmarshal(body, &p); err != nil {
			return c, err
		}
		if len(p.Data) == 0 {
			break
		}
		for _, f := range p.Data {
			c.ids = append(c.ids, f.ID)
		}
	}
	sorted := slices.Sorted(slices.Values(c.ids))
	if n := len(slices.Compact(sorted)); n != total || n != len(c.ids) {
		return c, fmt.Errorf("%d different filings in %d rows, want %d", n, len(c.ids), total)
	}
	return c, nil
}

// times requests a path so many times.
func (s *served) times(ctx context.Context, path string, n int) (took []time.Duration, err error) {
	for range n {
		began := time.Now()
		if _, err := s.get(ctx, path); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}
