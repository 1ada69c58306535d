package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// noLimit costs more than every filing: a filter by it selects all, and by one cent more all once again, so that no cache helps.
const noLimit = 1_000_000_000

// aggregated requests an aggregation once, and returns the response with the request that the service made for it.
func (s services) aggregated(ctx context.Context, path string) (text []byte, q recorded, own []byte, err error) {
	s.rec.drain()
	if text, err = s.recorded.get(ctx, fmt.Sprintf("%s&max_amount=%d", path, noLimit)); err != nil {
		return nil, q, nil, err
	}
	q, own, err = s.rec.aggregation()
	return text, q, own, err
}

// inTurns requests an aggregation of the service with another filter each time, in turns with bodies that q's address gets,
// with the same filters, and returns the medians: the service's first.
func (b *bench) inTurns(s services, path string, q recorded, bodies ...[]byte) (medians []time.Duration, err error) {
	all := []target{s.uncached.requests(http.StatusOK, 1<<30, func(req *fasthttp.Request, _ int) {
		req.SetRequestURI(fmt.Sprintf("%s%s&max_amount=%d", s.uncached.url, path, noLimit+b.expensive.Add(1)))
	})}
	for _, body := range bodies {
		others := make([][]byte, round)
		for i := range others {
			others[i] = []byte(strings.ReplaceAll(string(body), fmt.Sprint(noLimit), fmt.Sprint(noLimit+i+1)))
		}
		t, err := b.bareTarget(q.uri+"&request_cache=false", q.contentType, others)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	took := make([][]time.Duration, len(all))
	for i := range 10 + min(b.rounds, 60) {
		for j, t := range all {
			one, err := t.send(i)
			if err != nil {
				return nil, err
			}
			if i >= 10 {
				took[j] = append(took[j], one)
			}
		}
	}
	for _, one := range took {
		medians = append(medians, quantile(one, .5))
	}
	return medians, nil
}

// measureClusters requests map clusters beside the request that the service makes for them, and beside Elasticsearch's
// own aggregation: geotile_grid over the points, with centroid and bounds. Each time the filter is another one, so that no
// cache helps.
func (b *bench) measureClusters(ctx context.Context, s services, a sample) error {
	fmt.Print("\n| map clusters | service / its own request | service / geotile_grid | ms |\n|---|---|---|---|\n")
	world := "bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180"
	for _, one := range []struct{ name, path string }{
		{"of all filings", "/v1/filings/clusters?zoom=4&" + world},
		{"of a city (10 km)", "/v1/filings/clusters?zoom=13&" + a.box},
	} {
		row, err := b.measureCluster(ctx, s, one.path)
		if err != nil {
			return fmt.Errorf("clusters %s: %w", one.name, err)
		}
		fmt.Printf("| %s | %s |\n", one.name, row)
	}
	return nil
}

func (b *bench) measureCluster(ctx context.Context, s services, path string) (string, error) {
	text, q, own, err := s.aggregated(ctx, path)
	if err != nil {
		return "", err
	}
	var response struct {
		Data struct{ Precision int }
	}
	if err := json.Unmarshal(text, &response); err != nil {
		return "", err
	}
	var search map[string]any
	if err := json.Unmarshal(own, &search); err != nil {
		return "", err
	}
	point := map[string]any{"field": "x.point"}
	search["aggs"] = map[string]any{"tiles": map[string]any{
		"geotile_grid": map[string]any{"field": "x.point", "precision": response.Data.Precision, "size": 65_000},
		"aggs":         map[string]any{"centroid": map[string]any{"geo_centroid": point}, "bounds": map[string]any{"geo_bounds": point}},
	}}
	tiles, err := json.Marshal(search)
	if err != nil {
		return "", err
	}
	took, err := b.inTurns(s, path, q, own, tiles)
	if err != nil {
		return "", err
	}
	mine, its, grid := took[0], took[1], took[2]
	return fmt.Sprintf("%.2f | %.2f | %s", mine.Seconds()/its.Seconds(), mine.Seconds()/grid.Seconds(), ms(mine)), nil
}

// measureGroups requests groups beside the request that the service makes for them, and beside nested terms aggregations
// with the same metrics. Each time the filter is another one, so that no cache helps.
func (b *bench) measureGroups(ctx context.Context, s services) error {
	fmt.Print("\n| groups of all filings | median, service / its own request / terms, ms | service / its own request | service / terms | groups | cached, ms |\n|---|---|---|---|---|---|\n")
	for _, by := range [][]string{{"county"}, {"county", "month"}, {"holder"}} {
		row, err := b.measureGrouped(ctx, s, by)
		if err != nil {
			return fmt.Errorf("groups by %s: %w", strings.Join(by, " and "), err)
		}
		fmt.Printf("| by %s | %s |\n", strings.Join(by, " and "), row)
	}
	return nil
}

// keyFields are where Elasticsearch has the keys of groups.
var keyFields = map[string]string{"county": "county", "month": "x.month", "holder": "filingHolder"}

func (b *bench) measureGrouped(ctx context.Context, s services, by []string) (string, error) {
	path := "/v1/filings/groups?by=" + strings.Join(by, ",")
	text, q, own, err := s.aggregated(ctx, path)
	if err != nil {
		return "", err
	}
	var response struct{ Data []json.RawMessage }
	if err := json.Unmarshal(text, &response); err != nil {
		return "", err
	}
	terms, err := asTerms(own, by)
	if err != nil {
		return "", err
	}
	took, err := b.inTurns(s, path, q, own, terms)
	if err != nil {
		return "", err
	}
	cached, err := s.ordinary.times(ctx, path, 10+min(b.rounds, 60))
	if err != nil {
		return "", err
	}
	mine, its, plain := took[0], took[1], took[2]
	return fmt.Sprintf("%s, %s, %s | %.2f | %.2f | %d | %s", ms(mine), ms(its), ms(plain), mine.Seconds()/its.Seconds(),
		mine.Seconds()/plain.Seconds(), len(response.Data), ms(quantile(cached[10:], .5))), nil
}

// asTerms turns a composite aggregation into terms aggregations, one within the other.
func asTerms(body []byte, by []string) ([]byte, error) {
	var search struct {
		Aggs struct {
			Groups struct {
				Aggs json.RawMessage `json:"aggs"`
			} `json:"groups"`
		} `json:"aggs"`
		Query json.RawMessage `json:"query"`
	}
	if err := json.Unmarshal(body, &search); err != nil {
		return nil, err
	}
	var aggs any = search.Aggs.Groups.Aggs
	for i := len(by) - 1; i >= 0; i-- {
		aggs = map[string]any{"groups": map[string]any{
			"terms": map[string]any{"field": keyFields[by[i]], "size": 10_001}, "aggs": aggs,
		}}
	}
	return json.Marshal(map[string]any{"size": 0, "track_total_hits": false, "query": search.Query, "aggs": aggs})
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
