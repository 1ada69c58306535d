// Package peers sends the same requests to the service and to its peers alternately, and makes a
// table of the responses per second of each. The peers are a service that takes two days, on
// Elasticsearch and on PostgreSQL (twoday), and Datasette. It starts the peers that are installed,
// reports the ones that aren't, and checks that their responses match the service's. It knows the
// service by its address alone.
package peers

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"
)

// Peer is a server that is asked.
type Peer struct {
	Name   string
	Stop   func() error
	client *fasthttp.HostClient
	url    string
	key    string
	path   func(path string) string // its path for a path of the service
	read   func(body []byte) (answer, error)

	asked           map[string]*atomic.Int64 // how often each question
	compared, equal int                      // answers, and those of them that were the service's
}

// answer has the values that two servers must agree on.
type answer struct {
	total int // -1: it has none
	ids   []int64
}

// New returns the service, or a peer that is asked as the service is.
func New(name, address, key string, trust *tls.Config, stop func() error) *Peer {
	at, _ := url.Parse(address) // of a server that has printed it
	return &Peer{
		Name: name, Stop: stop, url: address, key: key, asked: map[string]*atomic.Int64{},
		path: func(path string) string { return path }, read: readEnvelope,
		client: &fasthttp.HostClient{Addr: at.Host, IsTLS: at.Scheme == "https", MaxConns: 64, TLSConfig: trust},
	}
}

// readEnvelope reads a page, or one filing.
func readEnvelope(body []byte) (a answer, err error) {
	var response struct {
		Data       json.RawMessage
		Pagination *struct{ Total int }
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return a, err
	}
	if a.total = -1; response.Pagination != nil {
		a.total = response.Pagination.Total
	} else {
		response.Data = slices.Concat([]byte("["), response.Data, []byte("]"))
	}
	var filings []struct{ ID int64 }
	err = json.Unmarshal(response.Data, &filings)
	for _, f := range filings {
		a.ids = append(a.ids, f.ID)
	}
	return a, err
}

// ask sends the request for a path of the service, and hands the answer's body to read, which must
// not keep it.
func (p *Peer) ask(path string, read func(body []byte) error) error {
	req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(res)
	req.SetRequestURI(p.url + p.path(path))
	req.Header.Set("X-API-Key", p.key)
	if err := p.client.Do(req, res); err != nil {
		return fmt.Errorf("%s: %s: %w", p.Name, path, err)
	}
	if res.StatusCode() != http.StatusOK {
		return fmt.Errorf("%s: %s: status %d: %.300s", p.Name, path, res.StatusCode(), res.Body())
	}
	return read(res.Body())
}

// rate asks a question over so many connections for so long, and returns the answers a second.
func (p *Peer) rate(ctx context.Context, q Question, connections int, long time.Duration) (float64, error) {
	if p.asked[q.Name] == nil {
		p.asked[q.Name] = new(atomic.Int64)
	}
	next := p.asked[q.Name]
	var g errgroup.Group
	var answers atomic.Int64
	began := time.Now()
	for range connections {
		g.Go(func() error {
			for time.Since(began) < long && ctx.Err() == nil {
				if err := p.ask(q.Path(int(next.Add(1))), func([]byte) error { return nil }); err != nil {
					return err
				}
				answers.Add(1)
			}
			return ctx.Err()
		})
	}
	err := g.Wait()
	return float64(answers.Load()) / time.Since(began).Seconds(), err
}

// compare asks p and the service the same, and counts the equal answers. Those that differ it shows.
func (p *Peer) compare(service *Peer, q Question) error {
	for i := range checks {
		path := q.Path(neverMeasured + i)
		var want, got answer
		err := service.ask(path, func(body []byte) (err error) { want, err = service.read(body); return err })
		if err != nil {
			return err
		}
		if err := p.ask(path, func(body []byte) (err error) { got, err = p.read(body); return err }); err != nil {
			return err
		}
		p.compared++
		if (got.total == want.total || got.total < 0) && slices.Equal(got.ids, want.ids) {
			p.equal++
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s: %s has %d filings, %v; the service has %d, %v\n", path, p.Name, got.total, got.ids, want.total, want.ids)
	}
	return nil
}
