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

// measureClusters requests map clusters beside the request that the service makes for them, and beside Elasticsearch's
// own aggregation: geotile_grid over the points, with centroid and bounds. Each time the filter is another one, so that no
// cache helps.
func (b *bench) measureClusters(ctx context.Context, s services, a sample) error {
	fmt.Print("\n| map clusters | median, service / its own request / geotile_grid, ms | service / its own request | service / geotile_grid | cells | bytes, gzip |\n|---|---|---|---|---|---|\n")
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
	const amount = 1_000_000_000 // every filing costs less
	s.rec.drain()
	text, err := s.recorded.get(ctx, fmt.Sprintf("%s&max_amount=%d", path, amount))
	if err != nil {
		return "", err
	}
	var response struct {
		Data struct {
			Cells     []json.RawMessage
			Precision int
		}
	}
	if err := json.Unmarshal(text, &response); err != nil {
		return "", err
	}
	q, own, err := s.rec.aggregation()
	if err != nil {
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
	other := func(body []byte) target {
		bodies := make([][]byte, round)
		for i := range bodies {
			bodies[i] = []byte(strings.ReplaceAll(string(body), fmt.Sprint(amount), fmt.Sprint(amount+i+1)))
		}
		t, _ := b.bareTarget(q.uri+"&request_cache=false", q.contentType, bodies) // the address was parsed before
		return t
	}
	service := s.uncached.requests(http.StatusOK, 1<<30, func(req *fasthttp.Request, _ int) {
		req.SetRequestURI(fmt.Sprintf("%s%s&max_amount=%d", s.uncached.url, path, amount+b.expensive.Add(1)))
	})
	var took [3][]time.Duration
	for i := range 10 + min(b.rounds, 60) {
		for j, t := range []target{service, other(own), other(tiles)} {
			one, err := t.send(i)
			if err != nil {
				return "", err
			}
			if i >= 10 {
				took[j] = append(took[j], one)
			}
		}
	}
	packed := fasthttp.AppendGzipBytesLevel(nil, text, fasthttp.CompressBestSpeed)
	mine, its, grid := quantile(took[0], .5), quantile(took[1], .5), quantile(took[2], .5)
	return fmt.Sprintf("%s, %s, %s | %.2f | %.2f | %d | %d", ms(mine), ms(its), ms(grid), mine.Seconds()/its.Seconds(),
		mine.Seconds()/grid.Seconds(), len(response.Data.Cells), len(packed)), nil
}
