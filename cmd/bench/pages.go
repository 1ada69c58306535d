package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// page is a kind of request. Requests of the kind have different offsets; totals are cached, as they are for every client
// that pages.
type page struct {
	name, path string
	offset     int // of the first request
	step       int // from one request's offset to the next one's
}

func (p page) at(i int) string { return fmt.Sprintf("%s&offset=%d", p.path, p.offset+i*p.step) }

const (
	// round is how many different pages of a kind there are: many more than smallCache holds with the tables of offsets.
	round      = 1024
	smallCache = "1MiB"
	// warmUp is how many requests of each kind are made and not counted.
	warmUp = 64
	// fewest is how many filings leave a round of pages past the deepest offset.
	fewest = 60_000
)

// connections are how many clients send requests at a time.
var connections = []int{1, 8, 32, 128}

// sample has values of the data that requests can name.
type sample struct {
	total  int
	id     int64  // of a filing
	county string // the largest one
	box    string // 10 km around a filing
}

// look finds values of the data.
func (b *bench) look(ctx context.Context, s *served) (sample, error) {
	var counties struct {
		Data []struct {
			County, State string
			FilingCount   int
		}
	}
	var points struct {
		Data []struct {
			ID                                  int64
			GeocodedLatitude, GeocodedLongitude *float64
		}
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
			return sample{}, err
		}
	}
	if len(counties.Data) == 0 || len(points.Data) == 0 {
		return sample{}, fmt.Errorf("the data has no counties or no coordinates to request")
	}
	largest, a := counties.Data[0], sample{}
	for _, c := range counties.Data {
		a.total += c.FilingCount
		if c.FilingCount > largest.FilingCount {
			largest = c
		}
	}
	a.id, a.county = points.Data[0].ID, largest.County+", "+largest.State
	lat, lon := *points.Data[0].GeocodedLatitude, *points.Data[0].GeocodedLongitude
	a.box = boxAround(lat, lon)
	return a, nil
}

// boxAround returns the parameters of a box of 10 km around a point.
func boxAround(lat, lon float64) string {
	return fmt.Sprintf("bounds_north=%.7f&bounds_south=%.7f&bounds_east=%.7f&bounds_west=%.7f", min(lat+.05, 90), max(lat-.05, -90), min(lon+.05, 180), max(lon-.05, -180))
}

// pages returns the kinds of requests, with values that the data has.
func (a sample) pages() []page {
	deep := a.total * 9 / 10
	return []page{
		{"first pages", "/v1/filings?limit=20", 0, 1},
		{"filtered (largest county, amount)", "/v1/filings?limit=20&min_amount=1000&county=" + url.QueryEscape(a.county), 0, 1},
		{"search (a common term)", "/v1/filings/search?limit=20&q=llc", 0, 1},
		{"search by amount", "/v1/filings/search?limit=20&q=llc&sort_by=filing_amount", 0, 1},
		{"box (10 km)", "/v1/filings?limit=20&" + a.box, 0, 1},
		{fmt.Sprintf("offset %d", deep), "/v1/filings?limit=20", deep, 20},
		{fmt.Sprintf("offset %d by owner", deep/2), "/v1/filings/search?limit=20&q=a&sort_by=property_owner&sort_order=ASC", deep / 2, 20},
	}
}

// services are those that share one Elasticsearch.
type services struct {
	recorded *served // through rec
	rec      *recorder
	uncached *served // with a cache that holds totals, but hardly ever a page until the next request for it
	ordinary *served
}

func (b *bench) services(ctx context.Context) (s services, stop func() error, err error) {
	stop = func() error {
		err := error(nil)
		for _, one := range []*served{s.recorded, s.uncached, s.ordinary} {
			if one != nil {
				err = firstError(err, one.stop())
			}
		}
		if s.rec != nil {
			err = firstError(err, s.rec.close())
		}
		return err
	}
	if s.rec, err = newRecorder(b.elasticsearch, b.dir); err != nil {
		return s, stop, err
	}
	if s.recorded, err = b.serve(ctx, "recorded", b.onElasticsearch(s.rec.server.URL)...); err != nil {
		return s, stop, err
	}
	if s.uncached, err = b.serve(ctx, "uncached", append(b.onElasticsearch(b.elasticsearch), "FILINGS_CACHE_SIZE="+smallCache)...); err != nil {
		return s, stop, err
	}
	s.ordinary, err = b.serve(ctx, "ordinary", b.onElasticsearch(b.elasticsearch)...)
	return s, stop, err
}

// warm requests all kinds of pages until that takes no less CPU than the time before. A JVM that
// was just started takes several times as long for a page as it does once it has compiled its
// common paths: the first measurement would pay for that, and the service look good beside it.
func (b *bench) warm(ctx context.Context, s *served, a sample) error {
	for last := time.Hour; ; {
		var now time.Duration // for a page of each kind
		for _, p := range a.pages() {
			f, err := b.traffic(ctx, s.round(p), s, 8, trafficTime)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			now += f.perRequest(f.service + f.elastic)
		}
		if now >= last*95/100 {
			return nil
		}
		last = now
	}
}

// round requests the pages of a kind.
func (s *served) round(p page) target {
	return s.requests(http.StatusOK, round, func(req *fasthttp.Request, i int) { req.SetRequestURI(s.url + p.at(i)) })
}

// measurePages measures pages beside the very requests for them.
func (b *bench) measurePages(ctx context.Context, s services, a sample) error {
	if a.total < fewest {
		return fmt.Errorf("the data has %d filings: pages are measured with %d or more", a.total, fewest)
	}
	if err := b.warm(ctx, s.uncached, a); err != nil {
		return err
	}
	fmt.Print("\n| page of 20 | requests/s, service / Elasticsearch, at 1, 8, 32, 128 connections | CPU, service / Elasticsearch | cached, requests/s / Elasticsearch's, at 8, 32, 128 connections | median, ms more | service, ms, median and p99 | Elasticsearch, ms, median and p99 | CPU of a page, ms, service and Elasticsearch | objects allocated, a page |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, p := range a.pages() {
		row, err := b.measurePage(ctx, p, s)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("| %s | %s |\n", p.name, strings.Join(row, " | "))
	}
	return nil
}

// newPages is a kind of first pages. No two of its requests have the same filter.
type newPages struct {
	name string
	path func(i int) string
}

// newPages returns such kinds, made of the data.
func (b *bench) newPages(a sample) (kinds []newPages, err error) {
	var owners, boxes []string
	known := map[string]bool{}
	err = eachLine(b.data, func(line []byte) error {
		var f struct {
			Owner                               string
			GeocodedLatitude, GeocodedLongitude *float64
		}
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		words := strings.Fields(strings.ToLower(f.Owner))
		if name := strings.Join(words[:min(2, len(words))], " "); len(name) >= 3 && !known[name] {
			known[name], owners = true, append(owners, name)
		}
		if f.GeocodedLatitude != nil {
			boxes = append(boxes, boxAround(*f.GeocodedLatitude, *f.GeocodedLongitude+float64(len(boxes))*1e-7))
		}
		return nil
	})
	for _, values := range [][]string{owners, boxes} {
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	}
	return []newPages{
		{"a name", func(i int) string { return "/v1/filings/search?limit=20&q=" + url.QueryEscape(owners[i%len(owners)]) }},
		{"a box of 10 km", func(i int) string { return "/v1/filings?limit=20&" + boxes[i%len(boxes)] }},
		{"the largest county and an amount", func(i int) string {
			return fmt.Sprintf("/v1/filings?limit=20&county=%s&min_amount=%.2f", url.QueryEscape(a.county), 100+float64(i)/100)
		}},
	}, err
}

// measureNewPages measures pages whose filter was never requested before, beside one search for the same page with its exact
// total that goes straight to Elasticsearch.
func (b *bench) measureNewPages(ctx context.Context, s services, a sample) error {
	kinds, err := b.newPages(a)
	if err == nil {
		err = b.warm(ctx, s.uncached, a)
	}
	if err != nil {
		return err
	}
	fmt.Print("\n| new page of 20 | searches a page | requests/s, service / one search, at 1, 8, 32, 128 connections | cached page, requests/s / one search's, at 1, 8, 32, 128 | CPU, service / one search's | CPU, ms: service, its searches, one search |\n|---|---|---|---|---|---|\n")
	for _, kind := range kinds {
		row, err := b.measureNewPage(ctx, kind, s)
		if err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		fmt.Printf("| %s | %s |\n", kind.name, strings.Join(row, " | "))
	}
	return nil
}

func (b *bench) measureNewPage(ctx context.Context, kind newPages, s services) ([]string, error) {
	var next atomic.Int64
	path := func() string { return kind.path(int(next.Add(1))) }
	searches, err := s.searches(ctx, path)
	if err != nil {
		return nil, err
	}
	bare, err := b.bareNewPages(ctx, path, s)
	if err != nil {
		return nil, err
	}
	service := s.uncached.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.uncached.url + path()) })
	same := path()
	cached := s.ordinary.requests(http.StatusOK, 1, func(req *fasthttp.Request, _ int) { req.SetRequestURI(s.ordinary.url + same) })
	var rates, hits []string
	var mine, theirs result // at 8 connections
	for _, n := range connections {
		var took [3]result
		for i, one := range []struct {
			target
			of *served
		}{{service, s.uncached}, {bare, s.uncached}, {cached, s.ordinary}} {
			if took[i], err = b.traffic(ctx, one.target, one.of, n, trafficTime); err != nil {
				return nil, err
			}
		}
		rates = append(rates, fmt.Sprintf("%.2f", took[0].perSecond()/took[1].perSecond()))
		hits = append(hits, fmt.Sprintf("%.1f", took[2].perSecond()/took[1].perSecond()))
		if n == 8 {
			mine, theirs = took[0], took[1]
		}
	}
	cpu, its, one := mine.perRequest(mine.service), mine.perRequest(mine.elastic), theirs.perRequest(theirs.elastic)
	return []string{
		fmt.Sprintf("%.2f", searches), strings.Join(rates, ", "), strings.Join(hits, ", "),
		fmt.Sprintf("%.2f", cpu.Seconds()/one.Seconds()), ms(cpu) + ", " + ms(its) + ", " + ms(one),
	}, nil
}

// searches returns how many searches the service makes for a page.
func (s services) searches(ctx context.Context, path func() string) (float64, error) {
	const pages = 200
	s.rec.drain()
	for range pages {
		if _, err := s.recorded.get(ctx, path()); err != nil {
			return 0, err
		}
	}
	n := 0
	for _, q := range s.rec.drain() {
		if q.isSearch() {
			n++
		}
	}
	return float64(n) / pages, nil
}

// bareNewPages returns the service's searches for such pages with an exact total, to send them without it. Elasticsearch does
// not get them when they are recorded, and so not twice.
func (b *bench) bareNewPages(ctx context.Context, path func() string, s services) (target, error) {
	s.rec.silent.Store(true)
	defer s.rec.silent.Store(false)
	var uri, contentType string
	bodies := make([][]byte, 2*round)
	for i := range bodies {
		s.rec.drain()
		if _, err := s.recorded.get(ctx, path()); err != nil {
			return target{}, err
		}
		q, body, err := s.rec.lastSearch()
		if err != nil {
			return target{}, err
		}
		var search map[string]json.RawMessage
		if err := json.Unmarshal(body, &search); err != nil {
			return target{}, err
		}
		search["track_total_hits"] = json.RawMessage("true")
		if bodies[i], err = json.Marshal(search); err != nil {
			return target{}, err
		}
		uri, contentType = q.uri, q.contentType
	}
	return b.bareTarget(uri, contentType, bodies)
}

func (b *bench) measurePage(ctx context.Context, p page, s services) ([]string, error) {
	bare, err := b.bareRound(ctx, p, s)
	if err != nil {
		return nil, err
	}
	service, cached := s.uncached.round(p), s.ordinary.round(p)
	cached.round = 1
	var tookService, tookBare []time.Duration
	for i := range warmUp + b.rounds {
		one, err := service.send(i)
		if err != nil {
			return nil, err
		}
		other, err := bare.send(i)
		if err != nil {
			return nil, err
		}
		if i >= warmUp {
			tookService, tookBare = append(tookService, one), append(tookBare, other)
		}
	}
	var rates, cachedRates []string
	var mine, theirs result // at 8 connections
	for _, n := range connections {
		own, err := b.traffic(ctx, service, s.uncached, n, trafficTime)
		if err != nil {
			return nil, err
		}
		its, err := b.traffic(ctx, bare, s.uncached, n, trafficTime)
		if err != nil {
			return nil, err
		}
		rates = append(rates, fmt.Sprintf("%.2f", own.perSecond()/its.perSecond()))
		if n == 1 {
			continue
		}
		hits, err := b.traffic(ctx, cached, s.ordinary, n, trafficTime)
		if err != nil {
			return nil, err
		}
		cachedRates = append(cachedRates, fmt.Sprintf("%.1f", hits.perSecond()/its.perSecond()))
		if n == 8 {
			mine, theirs = own, its
		}
	}
	cpu, cpuBare := mine.perRequest(mine.service), theirs.perRequest(theirs.elastic)
	return []string{
		strings.Join(rates, ", "),
		fmt.Sprintf("%.2f", cpu.Seconds()/cpuBare.Seconds()),
		strings.Join(cachedRates, ", "),
		fmt.Sprintf("%+.2f", (quantile(tookService, .5)-quantile(tookBare, .5)).Seconds()*1000),
		ms(quantile(tookService, .5)) + ", " + ms(quantile(tookService, .99)),
		ms(quantile(tookBare, .5)) + ", " + ms(quantile(tookBare, .99)),
		ms(cpu) + ", " + ms(cpuBare),
		strconv.FormatInt(mine.objects/max(1, mine.requests), 10),
	}, nil
}

// bareRound returns the requests that the service makes for pages of a kind, to send them without it. A first page nearby
// fills the caches that pages share (totals, tables of offsets), so that these are no part of it.
func (b *bench) bareRound(ctx context.Context, p page, s services) (target, error) {
	if _, err := s.recorded.get(ctx, p.at(round)); err != nil {
		return target{}, err
	}
	var uri, contentType string
	bodies := make([][]byte, round)
	for i := range bodies {
		s.rec.drain()
		if _, err := s.recorded.get(ctx, p.at(i)); err != nil {
			return target{}, err
		}
		q, body, err := s.rec.lastSearch()
		if err != nil {
			return target{}, err
		}
		uri, contentType, bodies[i] = q.uri, q.contentType, body
	}
	return b.bareTarget(uri, contentType, bodies)
}
