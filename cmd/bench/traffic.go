package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"
)

// trafficTime is how long one side gets requests without a pause.
const trafficTime = 3 * time.Second

// target is a server with a round of requests for it. The same kind of client, whose own time is small beside theirs, sends
// the requests of both sides of a comparison.
type target struct {
	client  *fasthttp.HostClient
	prepare func(req *fasthttp.Request, i int) // makes req the i-th request of the round
	round   int                                // requests of the round
	status  int                                // of every response
}

// send sends the i-th request, over and over the round, and returns how long the response took.
func (t target) send(i int) (time.Duration, error) {
	req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(res)
	t.prepare(req, i%t.round)
	began := time.Now()
	if err := t.client.Do(req, res); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if res.StatusCode() != t.status {
		return 0, fmt.Errorf("%s: status %d: %.300s", req.URI().RequestURI(), res.StatusCode(), res.Body())
	}
	return took, nil
}

// requests returns a target that sends requests to the service, as prepare makes them.
func (s *served) requests(status, round int, prepare func(req *fasthttp.Request, i int)) target {
	host := strings.TrimPrefix(s.url, "https://")
	return target{
		client: &fasthttp.HostClient{Addr: host, IsTLS: true, MaxConns: 128, TLSConfig: &tls.Config{RootCAs: s.trust, ServerName: "localhost"}},
		round:  round, status: status,
		prepare: func(req *fasthttp.Request, i int) {
			req.Header.Set("X-API-Key", s.key)
			prepare(req, i)
		},
	}
}

// bareTarget sends bodies to Elasticsearch.
func (b *bench) bareTarget(uri, contentType string, bodies [][]byte) (target, error) {
	address, err := url.Parse(b.elasticsearch)
	if err != nil {
		return target{}, err
	}
	return target{
		client: &fasthttp.HostClient{Addr: address.Host, MaxConns: 128},
		round:  len(bodies), status: http.StatusOK,
		prepare: func(req *fasthttp.Request, i int) {
			req.Header.SetMethod(http.MethodPost)
			req.Header.SetContentType(contentType)
			req.SetRequestURI(b.elasticsearch + uri)
			req.SetBodyRaw(bodies[i])
		},
	}, nil
}

// result has the figures of a time of traffic.
type result struct {
	requests int64
	took     time.Duration
	service  time.Duration // CPU of the service
	elastic  time.Duration // CPU of Elasticsearch
	objects  int64         // that the service allocated
}

func (f result) perSecond() float64 { return float64(f.requests) / f.took.Seconds() }

// perRequest returns a part of the CPU for one request.
func (f result) perRequest(cpu time.Duration) time.Duration {
	return cpu / time.Duration(max(1, f.requests))
}

// traffic sends requests to t over so many connections for so long, and returns the figures.
func (b *bench) traffic(ctx context.Context, t target, s *served, connections int, long time.Duration) (result, error) {
	service, elastic, err := b.cpu(ctx, s)
	if err != nil {
		return result{}, err
	}
	objects, err := s.allocated(ctx)
	if err != nil {
		return result{}, err
	}
	began := time.Now()
	var next atomic.Int64
	var g errgroup.Group
	for range connections {
		g.Go(func() error {
			for time.Since(began) < long && ctx.Err() == nil {
				if _, err := t.send(int(next.Add(1))); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	err = g.Wait()
	f := result{requests: next.Load(), took: time.Since(began)}
	if err == nil {
		f.service, f.elastic, err = b.cpu(ctx, s)
	}
	if err == nil {
		f.objects, err = s.allocated(ctx)
	}
	f.service, f.elastic, f.objects = f.service-service, f.elastic-elastic, f.objects-objects
	return f, err
}

// allocated returns how many objects the service has allocated so far.
func (s *served) allocated(ctx context.Context) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.operations+"/metrics", http.NoBody)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "go_memstats_mallocs_total "); ok {
			n, err := strconv.ParseFloat(text, 64)
			return int64(n), err
		}
	}
	return 0, errors.New("the metrics of the service lack go_memstats_mallocs_total")
}

// cpu returns the CPU time that the service and Elasticsearch have taken so far, as the operating system counts it.
func (b *bench) cpu(ctx context.Context, s *served) (service, elastic time.Duration, err error) {
	if service, err = cpuOf(s.cmd.Process.Pid); err != nil || b.elasticsearch == "" {
		return service, 0, err
	}
	var stats struct {
		Nodes map[string]struct {
			Process struct {
				CPU struct {
					Total int64 `json:"total_in_millis"`
				}
			}
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.elasticsearch+"/_nodes/stats/process", nil)
	if err != nil {
		return 0, 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	err = json.NewDecoder(res.Body).Decode(&stats)
	for _, n := range stats.Nodes {
		elastic += time.Duration(n.Process.CPU.Total) * time.Millisecond
	}
	return service, elastic, err
}

// tick is the unit of CPU time in /proc, the same on every Linux.
const tick = time.Second / 100

// cpuOf returns the CPU time of a process.
func cpuOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may have blanks
	fields := strings.Fields(rest)
	var ticks int64
	for _, field := range fields[11:13] { // utime, stime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// quantile returns the value that the part q of all values does not exceed.
func quantile[T cmp.Ordered](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }
