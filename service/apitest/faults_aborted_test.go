package apitest

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/servicetest"
)

// gated is an engine whose Rows wait at the gates that their filters name, and are counted by the others.
type gated struct {
	index.Engine
	gates map[string]chan struct{}
	calls atomic.Int64
}

type gatedReader struct {
	index.Reader
	of *gated
}

func (e *gated) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return gatedReader{r, e}, err
}

func (e *gated) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return gatedReader{r, e}, err
}

func (r gatedReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	r.of.calls.Add(1)
	for name, gate := range r.of.gates {
		if !strings.Contains(q.Where.String(), name) {
			continue
		}
		select {
		case <-gate:
		case <-ctx.Done():
			return index.Page{}, ctx.Err()
		}
	}
	return r.Reader.Rows(ctx, q)
}

// abortable is a service whose engine is busy with six requests of the pro account, all that one account may have, until free.
type abortable struct {
	*site
	engine   *gated
	address  string
	trust    *tls.Config // nil: no TLS
	accepted chan net.Conn
	free     func() // lets the requests that hold the engine end
}

// recorder is a listener that lets a test have the connections, too.
type recorder struct {
	net.Listener
	accepted chan net.Conn
}

func (l recorder) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.accepted <- c
	}
	return c, err
}

func newAbortable(t *testing.T, onRedis, secure, busy bool, more ...func(*service.Config)) *abortable {
	t.Helper()
	s := &abortable{engine: &gated{Engine: oracle(fixture(t)), gates: map[string]chan struct{}{"held": make(chan struct{}), "late": make(chan struct{})}}}
	s.accepted = make(chan net.Conn, 10)
	options := append(more, func(c *service.Config) { c.RequestTimeout = time.Minute })
	if onRedis {
		store := openRedis(t, servicetest.Limits())
		key, err := store.Create(t.Context(), "user-pro", access.Pro, "test")
		if err != nil {
			t.Fatal(err)
		}
		s.site = newSite(t, caching{s.engine}, append(options, func(c *service.Config) { c.Access = store })...)
		s.Store, s.Keys[access.Pro] = store, key
	} else {
		s.site = newSite(t, caching{s.engine}, options...)
	}
	var l net.Listener
	if secure {
		over := servicetest.NewTLS(t)
		l, s.address, s.trust = over, over.Address, over.Trust
	} else {
		var err error
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		s.address = l.Addr().String()
	}
	served := make(chan error, 1)
	go func() { served <- s.App.Listener(recorder{edge.Listen(l, 1000), s.accepted}) }()
	t.Cleanup(func() {
		if err := s.App.ShutdownWithTimeout(30 * time.Second); err != nil {
			t.Error(err)
		}
		_ = l.Close()
		<-served
	})
	var held sync.WaitGroup
	s.free = sync.OnceFunc(func() {
		close(s.engine.gates["held"])
		held.Wait()
	})
	t.Cleanup(s.free)
	for i := 0; busy && i < 6; i++ {
		held.Go(func() {
			if a := s.get(t, access.Pro, fmt.Sprintf("/v1/filings?city=held%d", i)); a.status != http.StatusOK {
				t.Errorf("one that holds the engine: %d %s", a.status, a.body)
			}
		})
	}
	if busy {
		servicetest.Until(t, "the engine is busy", func() bool { return s.engine.calls.Load() == 6 })
	}
	return s
}

// head is a request.
func (s *abortable) head(target string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", target, s.address, s.Keys[access.Pro])
}

// begin sends a request, and returns both ends of its connection.
func (s *abortable) begin(t *testing.T, request string) (client, server net.Conn) {
	t.Helper()
	client, err := net.Dial("tcp", s.address)
	if err == nil && s.trust != nil {
		trust := s.trust.Clone()
		trust.ServerName = "127.0.0.1"
		client = tls.Client(client, trust)
	}
	if err == nil {
		_, err = io.WriteString(client, request)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client, <-s.accepted
}

func (s *abortable) waits(t *testing.T, calls float64) {
	t.Helper()
	servicetest.Until(t, "it waits", func() bool { return s.gauge(t, "filings_engine_calls_waiting") == calls })
}

// logged waits until the log has so many requests with a status.
func (s *abortable) logged(t *testing.T, status, n int) {
	t.Helper()
	servicetest.Until(t, fmt.Sprintf("%d requests with status %d", n, status), func() bool {
		return strings.Count(s.Log.String(), fmt.Sprintf(`"status":%d`, status)) == n
	})
	if text := s.Log.String(); strings.Contains(text, `"ERROR"`) || strings.Contains(text, `"WARN"`) {
		t.Error(text)
	}
}

// TestK6_Aborted: a client that has hung up by the turn of its request has what that took of the quota back, and nothing is computed
// for it. What it sent behind that request is no hang-up, and is answered.
func TestK6_Aborted(t *testing.T) {
	t.Parallel()
	closes := func(c net.Conn) { _ = c.Close() }
	for _, tt := range []struct {
		name     string
		secure   bool
		behind   string // is sent behind the request, while that waits
		end      func(net.Conn)
		left     bool
		statuses string // that the client reads
	}{
		{"stays", false, "", func(net.Conn) {}, false, "200"},
		{"stays, TLS", true, "", func(net.Conn) {}, false, "200"},
		{"hangs up", false, "", closes, true, ""},
		{"hangs up, TLS", true, "", closes, true, ""},
		{"hangs up without a word, TLS", true, "", func(c net.Conn) { _ = c.(*tls.Conn).NetConn().Close() }, true, ""},
		{"resets", false, "", func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); _ = c.Close() }, true, ""},
		{"hangs up behind another request", false, "/v1/me", closes, true, ""},
		{"sends another request", false, "/v1/me", func(net.Conn) {}, false, "200 200"},
		{"sends another request, TLS", true, "/v1/me", func(net.Conn) {}, false, "200 200"},
		{"closes its own side", false, "", func(c net.Conn) { _ = c.(*net.TCPConn).CloseWrite() }, true, "499"},
		{"closes its own side, TLS", true, "", func(c net.Conn) { _ = c.(*tls.Conn).CloseWrite() }, false, "200"},
	} {
		for store, onRedis := range map[string]bool{"embedded": false, "redis": true} {
			t.Run(tt.name+" "+store, func(t *testing.T) {
				t.Parallel()
				s := newAbortable(t, onRedis, tt.secure, true)
				before := s.used(t, "user-pro")
				client, server := s.begin(t, s.head("/v1/filings?city=new"))
				s.waits(t, 1)
				if tt.behind != "" {
					if _, err := io.WriteString(client, s.head(tt.behind)); err != nil {
						t.Fatal(err)
					}
				}
				tt.end(client)
				if tt.left {
					servicetest.Until(t, "its end arrives", func() bool { return edge.HungUp(server) })
				} else if edge.HungUp(server) {
					t.Error("it is taken for one that has hung up")
				}
				s.free()
				var statuses []string
				for from := bufio.NewReader(client); len(statuses) < len(strings.Fields(tt.statuses)); {
					res, err := http.ReadResponse(from, nil)
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(res.Body)
					if err != nil || tt.left && !strings.Contains(string(body), `"code":"client_closed_request"`) {
						t.Errorf("%v, %s", err, body)
					}
					statuses = append(statuses, fmt.Sprint(res.StatusCode))
				}
				if got := strings.Join(statuses, " "); got != tt.statuses {
					t.Errorf("responses %s, want %s", got, tt.statuses)
				}
				paid, calls := int64(len(statuses)), int64(7)
				if tt.left {
					s.logged(t, 499, 1)
					paid, calls = 0, 6
				} else {
					s.logged(t, 200, 6+len(statuses))
				}
				if used := s.used(t, "user-pro"); used != before+paid && tt.behind == "" || used < before+paid {
					t.Errorf("%d requests counted, %d before", used, before)
				}
				if got := s.engine.calls.Load(); got != calls {
					t.Errorf("%d calls of the engine, want %d", got, calls)
				}
				metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body
				if want := `filings_http_requests_total{route="/v1/filings",status="499",tier="pro"} 1`; strings.Contains(metrics, want) != tt.left ||
					strings.Contains(metrics, `status="500"`) || !strings.Contains(metrics, `filings_engine_calls_refused_total{reason="share"} 0`) {
					t.Error(metrics)
				}
			})
		}
	}
}

// TestK6_AbortedLater: what was computed is paid for, whether its request waited before or not.
func TestK6_AbortedLater(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]bool{"at once": false, "after its turn": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAbortable(t, false, false, busy)
			before, calls := s.used(t, "user-pro"), s.engine.calls.Load()
			client, server := s.begin(t, s.head("/v1/filings?city=late"))
			if busy {
				s.waits(t, 1)
			}
			s.free()
			servicetest.Until(t, "it is computed", func() bool { return s.engine.calls.Load() == calls+1 })
			_ = client.Close()
			servicetest.Until(t, "its end arrives", func() bool { return edge.HungUp(server) })
			close(s.engine.gates["late"])
			s.logged(t, 200, int(calls)+1)
			if used := s.used(t, "user-pro"); used != before+1 {
				t.Errorf("%d requests counted, %d before", used, before)
			}
		})
	}
}

// TestK6_AbortedTogether: of two that wait for the same the one that stays has its response, and alone pays.
func TestK6_AbortedTogether(t *testing.T) {
	t.Parallel()
	for _, gone := range []int{0, 1} {
		t.Run(fmt.Sprint(gone), func(t *testing.T) {
			t.Parallel()
			s := newAbortable(t, false, true, true)
			before := s.used(t, "user-pro")
			var clients, servers [2]net.Conn
			for i := range clients {
				clients[i], servers[i] = s.begin(t, s.head("/v1/filings?city=new"))
				s.waits(t, 1)
			}
			servicetest.Until(t, "both wait", func() bool { return s.gauge(t, "filings_http_requests_in_flight") == 8 })
			_ = clients[gone].Close()
			servicetest.Until(t, "its end arrives", func() bool { return edge.HungUp(servers[gone]) })
			s.free()
			res, err := http.ReadResponse(bufio.NewReader(clients[1-gone]), nil)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatal(res, err)
			}
			s.logged(t, 499, 1)
			if used := s.used(t, "user-pro"); used != before+1 || s.engine.calls.Load() != 7 {
				t.Errorf("%d requests counted, %d before; %d calls", used, before, s.engine.calls.Load())
			}
		})
	}
}

// TestX33_Aborted: what a token's request took of the share that tokens have is given back too.
func TestX33_Aborted(t *testing.T) {
	t.Parallel()
	for store, onRedis := range map[string]bool{"embedded": false, "redis": true} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			s := newAbortable(t, onRedis, true, true)
			token := s.token(t, access.Pro, "")
			before := s.used(t, "user-pro")
			target := withQuery("/v1/filings?city=new", "token="+token)
			client, server := s.begin(t, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: h\r\nOrigin: %s\r\n\r\n", target, pageOrigin))
			s.waits(t, 1)
			_ = client.Close()
			servicetest.Until(t, "its end arrives", func() bool { return edge.HungUp(server) })
			s.free()
			s.logged(t, 499, 1)
			if used := s.used(t, "user-pro"); used != before {
				t.Errorf("%d requests counted, %d before", used, before)
			}
			if a := s.visit(t, token, "/v1/filings?limit=1"); !strings.Contains(a.header.Get("RateLimit"), `"tokens";r=99999;`) {
				t.Errorf("of the tokens' share: %s", a.header.Get("RateLimit"))
			}
		})
	}
}
