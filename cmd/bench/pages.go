package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// page is a kind of request. Each request of the kind asks for another offset, so that no answer is remembered; totals
// are, as they are for anybody who pages.
type page struct {
	name, path string
	offset     int // of the first request
}

// measurePages loads the data once and measures pages from it.
func (b *bench) measurePages(ctx context.Context) (err error) {
	defer func() { err = firstError(err, b.deleteIndices(ctx)) }()
	if _, err := b.load(ctx, b.data, b.onElasticsearch(b.elasticsearch)...); err != nil {
		return err
	}
	rec, err := newRecorder(b.elasticsearch, b.dir)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, rec.close()) }()
	watched, err := b.serve(ctx, "watched", b.onElasticsearch(rec.server.URL)...)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, watched.stop()) }()
	s, err := b.serve(ctx, "served", b.onElasticsearch(b.elasticsearch)...)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, s.stop()) }()
	pages, err := b.pages(ctx, s)
	if err != nil {
		return err
	}
	fmt.Print("| page of 20 | service median, ms | p99 | Elasticsearch median, ms | p99 | median ratio | cached median, ms |\n|---|---|---|---|---|---|---|\n")
	for _, p := range pages {
		row, err := b.measurePage(ctx, p, s, watched, rec)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("| %s | %s |\n", p.name, row)
	}
	return nil
}

// pages returns the kinds of requests, with values that the data has.
func (b *bench) pages(ctx context.Context, s *served) ([]page, error) {
	var counties struct {
		Data []struct {
			County, State string
			FilingCount   int
		}
	}
	var points struct {
		Data       []struct{ GeocodedLatitude, GeocodedLongitude *float64 }
		Pagination struct{ Total int }
	}
	for path, into := range map[string]any{
		"/v1/stats/counties": &counties,
		"/v1/filings?limit=1&bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180": &points,
	} {
		body, err := s.get(ctx, path)
		if err == nil {
			err = json.Unmarshal(body, into)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(counties.Data) == 0 || len(points.Data) == 0 {
		return nil, fmt.Errorf("the data has no counties or no coordinates to ask for")
	}
	largest := counties.Data[0]
	total := 0
	for _, c := range counties.Data {
		total += c.FilingCount
		if c.FilingCount > largest.FilingCount {
			largest = c
		}
	}
	county := "county=" + url.QueryEscape(largest.County+", "+largest.State)
	lat, lon := *points.Data[0].GeocodedLatitude, *points.Data[0].GeocodedLongitude
	box := fmt.Sprintf("bounds_north=%.6f&bounds_south=%.6f&bounds_east=%.6f&bounds_west=%.6f", lat+.05, lat-.05, lon+.05, lon-.05)
	deep := total * 9 / 10
	return []page{
		{"first pages", "/v1/filings?limit=20", 0},
		{"filtered (largest county, amount)", "/v1/filings?limit=20&min_amount=1000&" + county, 0},
		{"search (a common term)", "/v1/filings/search?limit=20&q=llc", 0},
		{"search by amount", "/v1/filings/search?limit=20&q=llc&sort_by=filing_amount", 0},
		{"box (10 km)", "/v1/filings?limit=20&" + box, 0},
		{fmt.Sprintf("offset %d", deep), "/v1/filings?limit=20", deep},
		{fmt.Sprintf("offset %d by owner", deep), "/v1/filings/search?limit=20&q=a&sort_by=property_owner&sort_order=ASC", deep / 2},
	}, nil
}

func (p page) at(round int) string { return fmt.Sprintf("%s&offset=%d", p.path, p.offset+round) }

// warmUp is how many requests of each kind are made and not counted.
const warmUp = 20

// measurePage asks the service and Elasticsearch in turns.
func (b *bench) measurePage(ctx context.Context, p page, s, watched *served, rec *recorder) (string, error) {
	// The second request: what is remembered for others (totals, tables of offsets) is no part of the page.
	for round := range 2 {
		rec.drain()
		if _, err := watched.get(ctx, p.at(round)); err != nil {
			return "", err
		}
	}
	q, body, err := rec.lastSearch()
	if err != nil {
		return "", err
	}
	from, _ := body["from"].(float64)
	var service, bare, cached []time.Duration
	for round := range warmUp + b.rounds {
		start := time.Now()
		if _, err := s.get(ctx, p.at(round)); err != nil {
			return "", err
		}
		took := time.Since(start)
		body["from"] = int(from) + round
		text, err := json.Marshal(body)
		if err != nil {
			return "", err
		}
		start = time.Now()
		if err := exchange(ctx, http.MethodPost, b.elasticsearch+q.uri, q.contentType, text); err != nil {
			return "", err
		}
		tookBare := time.Since(start)
		start = time.Now()
		if _, err := s.get(ctx, p.at(0)); err != nil {
			return "", err
		}
		if round >= warmUp {
			service, bare, cached = append(service, took), append(bare, tookBare), append(cached, time.Since(start))
		}
	}
	cells := []string{ms(service, .5), ms(service, .99), ms(bare, .5), ms(bare, .99),
		fmt.Sprintf("%.2f", quantile(service, .5).Seconds()/quantile(bare, .5).Seconds()), ms(cached, .5)}
	return strings.Join(cells, " | "), nil
}

// quantile returns the value that the part q of all values does not exceed.
func quantile(values []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func ms(values []time.Duration, q float64) string {
	return fmt.Sprintf("%.2f", float64(quantile(values, q).Microseconds())/1000)
}
