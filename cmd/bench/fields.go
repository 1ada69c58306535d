package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

// measureFields measures pages of 100 with all fields beside pages with some, first from the engine and then from the
// cache, in turns: only the share of the full page means something on a shared machine.
func (b *bench) measureFields(ctx context.Context, s services, a sample) error {
	if a.total < fewest {
		return fmt.Errorf("the data has %d filings: pages are measured with %d or more", a.total, fewest)
	}
	if err := b.warm(ctx, s.uncached, a); err != nil {
		return err
	}
	const turns = 3
	kinds := []page{
		{"all fields", "/v1/filings?limit=100", 0, 7},
		{"`fields=id`", "/v1/filings?limit=100&fields=id", 0, 7},
		{"`fields=county,owner,filingAmount`", "/v1/filings?limit=100&fields=county,owner,filingAmount", 0, 7},
	}
	var cpu, cached [3]struct{ service, elastic time.Duration }
	var bytes [3]int
	for turn := range turns {
		for i, p := range kinds {
			body, err := s.uncached.get(ctx, p.at(0))
			if err != nil {
				return err
			}
			bytes[i] = len(body)
			f, err := b.traffic(ctx, s.uncached.round(p), s.uncached, 8, trafficTime)
			if err != nil {
				return err
			}
			one := s.ordinary.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.ordinary.url + p.at(turn)) })
			hits, err := b.traffic(ctx, one, s.ordinary, 8, trafficTime)
			if err != nil {
				return err
			}
			cpu[i].service += f.perRequest(f.service) / turns
			cpu[i].elastic += f.perRequest(f.elastic) / turns
			cached[i].service += hits.perRequest(hits.service) / turns
		}
	}
	fmt.Print("\n| page of 100 | bytes | CPU, ms, service and Elasticsearch | of the full page's | cached: CPU, ms |\n|---|---|---|---|---|\n")
	for i, p := range kinds {
		share := (cpu[i].service + cpu[i].elastic).Seconds() / (cpu[0].service + cpu[0].elastic).Seconds()
		fmt.Printf("| %s | %d | %s, %s | %.2f | %s |\n", p.name, bytes[i], ms(cpu[i].service), ms(cpu[i].elastic), share, ms(cached[i].service))
	}
	return nil
}
