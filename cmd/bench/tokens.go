package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	pageOrigin = "https://maps.example.com"
	// tokenTurns is how often each side is measured, tokenTime how long each time.
	tokenTurns = 8
	tokenTime  = 2 * time.Second
)

// measureTokens measures the time of the service for a request with a token beside one with a key,
// each of another visitor: for a page from the cache, and for boxes that no request had before, as
// a map that moves sends them.
func (b *bench) measureTokens(ctx context.Context) error {
	fmt.Print("\n| CPU of the service a request, ms | with a key | with a token | token / key: median, least and most |\n|---|---|---|---|\n")
	return b.onBoth(ctx, "tokens", func(engine string, s *served) error {
		text, err := s.get(ctx, "/v1/tokens?origin="+pageOrigin)
		if err != nil {
			return err
		}
		var made struct{ Data struct{ Token string } }
		if err := json.Unmarshal(text, &made); err != nil {
			return err
		}
		for _, page := range []struct {
			name string
			path func(i int64) string
		}{
			{"a page of 20 from the cache", func(int64) string { return "/v1/filings?limit=20" }},
			{"a page of 20 of a new box", func(i int64) string {
				moved := float64(i) / 1e6
				return fmt.Sprintf("/v1/filings?limit=20&bounds_north=%f&bounds_south=%f&bounds_east=%f&bounds_west=%f", 39.4+moved, 39.2+moved, -76.5+moved, -76.7+moved)
			}},
		} {
			var sent atomic.Int64
			requests := func(token string) target {
				return s.requests(http.StatusOK, math.MaxInt, func(req *fasthttp.Request, _ int) {
					i := sent.Add(1)
					path := page.path(i)
					if token != "" {
						path += "&token=" + token
						req.Header.Del("X-API-Key")
					}
					req.SetRequestURI(s.url + path)
					req.Header.Set("Origin", pageOrigin)
					req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255))
				})
			}
			sides := [2]target{requests(""), requests(made.Data.Token)}
			var cpu [2][]time.Duration
			var ratios []float64
			for turn := range tokenTurns + 1 { // the first one warms up
				for i, side := range sides {
					f, err := b.traffic(ctx, side, s, 8, tokenTime)
					if err != nil {
						return err
					}
					if turn > 0 {
						cpu[i] = append(cpu[i], f.perRequest(f.service))
					}
				}
				if turn > 0 {
					ratios = append(ratios, cpu[1][turn-1].Seconds()/cpu[0][turn-1].Seconds())
				}
			}
			fmt.Printf("| %s, %s | %.3f | %.3f | %.2f, %.2f, %.2f |\n", engine, page.name, quantile(cpu[0], .5).Seconds()*1000, quantile(cpu[1], .5).Seconds()*1000,
				quantile(ratios, .5), quantile(ratios, 0), quantile(ratios, 1))
		}
		return nil
	})
}
