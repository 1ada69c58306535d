package apitest

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/index"
	"filings/index/synthetic"
	"filings/service"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/servicetest"
)

// TestFair_ClientsThatNeverRead: clients that request large pages, one or many ahead, and read nothing leave every other client
// its whole responses. With TEST_STUCK=2000 it measures so many, and logs what the honest client got of that; figures are
// those of an idle machine.
func TestFair_ClientsThatNeverRead(t *testing.T) {
	clients, n := 40, os.Getenv("TEST_STUCK")
	if n != "" {
		var err error
		if clients, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
	}
	g, filings := synthetic.New(1), make([]*index.Filing, 200)
	for i := range filings {
		filings[i] = new(index.Filing)
		g.Next(filings[i])
	}
	for _, test := range []struct {
		name  string
		ahead int
		redis bool
	}{
		{"one request each", 1, false},
		{"a hundred requests each", 100, false},
		{"one request each, over Redis", 1, true},
		{"a hundred requests each, over Redis", 100, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, honestKey, stuckKey := newStuckSite(t, filings, test.redis)
			l := servicetest.NewTLS(t)
			served := make(chan error, 1)
			go func() { served <- s.App.Listener(edge.Listen(l, 1000)) }()
			honest := &honestClient{t, l, honestKey, &http.Client{
				Transport: &http.Transport{TLSClientConfig: l.Trust}, Timeout: time.Minute,
			}}
			failed := honest.measure("before", 50)
			end := sendAndNeverRead(t, l, stuckKey, clients, test.ahead)
			if failed += honest.measure("beside them", 50); failed > 0 && n == "" {
				t.Errorf("%d of an honest client's requests failed", failed)
			}
			end()
			honest.client.CloseIdleConnections()
			if err := s.App.Shutdown(); err != nil {
				t.Error(err)
			}
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

// newStuckSite returns a service over one of the key stores, and two keys.
func newStuckSite(t *testing.T, filings []*index.Filing, redis bool) (s *site, honest, stuck string) {
	t.Helper()
	if !redis {
		s = newSite(t, caching{oracle(filings)})
		return s, s.Keys[access.Pro], s.Keys[access.Enterprise]
	}
	store := openRedis(t, servicetest.Limits())
	s = newSite(t, caching{oracle(filings)}, func(c *service.Config) { c.Access = store })
	var keys []string
	for _, tier := range []access.Tier{access.Pro, access.Enterprise} {
		key, err := store.Create(t.Context(), string(tier), tier, "test")
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return s, keys[0], keys[1]
}

// sendAndNeverRead opens connections, all at once, and sends so many requests for large pages on each, until the function that
// it returns is called.
func sendAndNeverRead(t *testing.T, l *servicetest.TLS, key string, clients, ahead int) (end func()) {
	requests := strings.Repeat("GET /v1/filings?limit=100 HTTP/1.1\r\nHost: localhost\r\nX-API-Key: "+key+"\r\n\r\n", ahead)
	var opening, sending sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	for range clients {
		opening.Add(1)
		sending.Go(func() {
			c, err := tls.Dial("tcp", l.Address, l.Trust)
			if err != nil {
				opening.Done()
				return
			}
			mu.Lock()
			open = append(open, c.NetConn())
			mu.Unlock()
			opening.Done()
			_, _ = io.WriteString(c, requests) // the service may close it
		})
	}
	return func() {
		opening.Wait()
		if len(open) < clients/2 {
			t.Errorf("only %d of %d connections: does `ulimit -n` allow more?", len(open), clients)
		}
		for _, c := range open {
			_ = c.Close()
		}
		sending.Wait()
	}
}

// honestClient reads what it requests.
type honestClient struct {
	t      *testing.T
	listen *servicetest.TLS
	key    string
	client *http.Client
}

// measure sends requests one after another, logs how long that took, and returns how many of them failed.
func (h *honestClient) measure(when string, requests int) (failed int) {
	h.t.Helper()
	times := make([]time.Duration, requests)
	for i := range times {
		began := time.Now()
		req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, "https://"+h.listen.Address+"/v1/filings?limit=20", nil)
		if err != nil {
			h.t.Fatal(err)
		}
		req.Header.Set("X-API-Key", h.key)
		res, err := h.client.Do(req)
		if err != nil {
			h.t.Fatalf("%s: %v", when, err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(body), `"has_more":true`) {
			failed++
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	h.t.Logf("%s: %d of %d failed, median %v, p95 %v, longest %v", when, failed, requests, times[requests/2],
		times[requests*95/100], times[requests-1])
	return failed
}
