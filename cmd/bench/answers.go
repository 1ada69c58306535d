package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/valyala/fasthttp"
)

// measureAnswers measures responses from the cache. The searches are those that the service sent to Elasticsearch
// meanwhile.
func (b *bench) measureAnswers(ctx context.Context, s services, a sample) error {
	fmt.Print("\n| warm | ms, median and p99 | requests/s, 8 connections | CPU of the service, ms | searches |\n|---|---|---|---|---|\n")
	county := url.PathEscape(a.county)
	for _, one := range []struct{ name, path, tag string }{
		{"page of 20", "/v1/filings?limit=20", ""},
		{"304 of the same page", "/v1/filings?limit=20", "*"},
		{"one filing", "", ""},
		{"stats", "/v1/stats", ""},
		{"stats/counties", "/v1/stats/counties", ""},
		{"counties", "/v1/counties", ""},
		{"months of the largest county", "/v1/counties/" + county + "/months", ""},
		{"date ranges of the largest county", "/v1/counties/" + county + "/date-ranges", ""},
		{"me", "/v1/me", ""},
	} {
		if one.path == "" {
			one.path = fmt.Sprintf("/v1/filings/%d", a.id)
		}
		row, err := b.measureAnswer(ctx, s, one.path, one.tag)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		fmt.Printf("| %s | %s |\n", one.name, row)
	}
	return nil
}

func (b *bench) measureAnswer(ctx context.Context, s services, path, tag string) (string, error) {
	status := http.StatusOK
	if tag != "" {
		status = http.StatusNotModified
	}
	of := func(s *served) target {
		return s.requests(status, 1, func(req *fasthttp.Request, _ int) {
			req.SetRequestURI(s.url + path)
			if tag != "" {
				req.Header.Set("If-None-Match", tag)
			}
		})
	}
	recorded, ordinary := of(s.recorded), of(s.ordinary)
	var took []time.Duration
	searches := 0
	for i := range warmUp + b.rounds {
		if i == warmUp {
			s.rec.drain()
		}
		one, err := ordinary.send(i)
		if err != nil {
			return "", err
		}
		if _, err := recorded.send(i); err != nil {
			return "", err
		}
		if i >= warmUp {
			took = append(took, one)
		}
	}
	for _, q := range s.rec.drain() {
		if q.isSearch() {
			searches++
		}
	}
	f, err := b.traffic(ctx, ordinary, s.ordinary, 8, trafficTime)
	return fmt.Sprintf("%s, %s | %.0f | %s | %d", ms(quantile(took, .5)), ms(quantile(took, .99)), f.perSecond(),
		ms(f.perRequest(f.service)), searches), err
}

// measureExpensive sends the requests that cost most, as an attacker would: each has a filter of its own, so that no cache
// helps and the engine has to count everything anew.
func (b *bench) measureExpensive(ctx context.Context, s *served, a sample) error {
	fmt.Print("\n| each time another filter | ms, median and largest | CPU of Elasticsearch, ms |\n|---|---|---|\n")
	world := "bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180"
	deep := fmt.Sprintf("limit=100&offset=%d", a.total/2)
	for _, one := range []struct{ name, path string }{
		{"first page", "/v1/filings?limit=100"},
		{"deep page", "/v1/filings?" + deep},
		{"search for a letter, deep, by owner", "/v1/filings/search?q=a&sort_by=property_owner&sort_order=ASC&" + deep},
		{"search for two letters, deep, by outstanding amount", "/v1/filings/search?q=in&sort_by=current_amount&" + deep},
		{"search for a common word, deep, by owner", "/v1/filings/search?q=llc&sort_by=property_owner&" + fmt.Sprintf("limit=100&offset=%d", a.total/20)},
		{"a box around the world, deep", "/v1/filings?" + deep + "&" + world},
		{"all filters at once", "/v1/filings?date_start=1990-01-01&date_end=2030-01-01&categories=residential,commercial,multi_family,land&filing_types=a,b,c,d,e,f&city=a&property_type=land&has_property_data=true&min_equity_percent=0&foreclosure_filter=active&min_acres=0&" + world},
		{"map clusters of the world", "/v1/filings/clusters?zoom=5&" + world},
		{"map clusters of 10 km", "/v1/filings/clusters?zoom=14&" + a.box},
	} {
		t := s.requests(http.StatusOK, 1<<30, func(req *fasthttp.Request, i int) {
			req.SetRequestURI(fmt.Sprintf("%s%s&max_amount=%d", s.url, one.path, 1_000_000_000+b.expensive.Add(1)))
		})
		took := make([]time.Duration, 25)
		for i := range took {
			var err error
			if took[i], err = t.send(i); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
		}
		f, err := b.traffic(ctx, t, s, 1, trafficTime)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		fmt.Printf("| %s | %s, %s | %s |\n", one.name, ms(quantile(took, .5)), ms(quantile(took, 1)), ms(f.perRequest(f.elastic)))
	}
	return nil
}

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
