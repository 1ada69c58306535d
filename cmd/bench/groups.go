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
	const amount = 1_000_000_000 // every filing costs less
	path := "/v1/filings/groups?by=" + strings.Join(by, ",")
	s.rec.drain()
	text, err := s.recorded.get(ctx, fmt.Sprintf("%s&max_amount=%d", path, amount))
	if err != nil {
		return "", err
	}
	var response struct{ Data []json.RawMessage }
	if err := json.Unmarshal(text, &response); err != nil {
		return "", err
	}
	q, own, err := s.rec.aggregation()
	if err != nil {
		return "", err
	}
	terms, err := asTerms(own, by)
	if err != nil {
		return "", err
	}
	bare := func(body []byte) target {
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
	cached := s.ordinary.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.ordinary.url + path) })
	var took [4][]time.Duration
	for i := range 10 + min(b.rounds, 60) {
		for j, t := range []target{service, bare(own), bare(terms), cached} {
			one, err := t.send(i)
			if err != nil {
				return "", err
			}
			if i >= 10 {
				took[j] = append(took[j], one)
			}
		}
	}
	mine, its, plain := quantile(took[0], .5), quantile(took[1], .5), quantile(took[2], .5)
	return fmt.Sprintf("%s, %s, %s | %.2f | %.2f | %d | %s", ms(mine), ms(its), ms(plain), mine.Seconds()/its.Seconds(),
		mine.Seconds()/plain.Seconds(), len(response.Data), ms(quantile(took[3], .5))), nil
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
