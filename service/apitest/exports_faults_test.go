package apitest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"filings/index"
	"filings/index/elastic"
	"filings/index/indextest/edges"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
	"filings/service/webtest"
)

// turning is an engine that calls turn before each page at a position.
type turning struct {
	index.Engine
	turn func()
}

func (e turning) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return turningReader{r, e.turn}, err
}

func (e turning) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return turningReader{r, e.turn}, err
}

type turningReader struct {
	index.Reader
	turn func()
}

func (r turningReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if q.Start != "" {
		r.turn()
	}
	return r.Reader.Rows(ctx, q)
}

// exported reads an export to its end, and returns its rows and the error of its client.
func (s *site) exported(t *testing.T, l *servicetest.Listener, query string) (string, error) {
	t.Helper()
	res := s.through(t, l.Client, l.Address, query)
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	return string(body), err
}

// TestX6_Pruned: a load deletes the generation of an export. The embedded engine has it open, and sends it to its end.
// Elasticsearch has nothing to read any more: the file is cut, the log says why, and what was not sent is given back.
func TestX6_Pruned(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		const total = 3000
		name, id := k.load(t, edges.Fuzzed(total, 5))
		want := k.get(t, access.Pro, "/v1/filings/export").body
		reached, pruned := make(chan struct{}), make(chan struct{})
		var once sync.Once
		live := ""
		s := newSite(t, turning{k.store, func() {
			once.Do(func() { close(reached) })
			<-pruned
		}})
		go func() {
			defer close(pruned)
			<-reached
			_, live = k.load(t, edges.Fuzzed(40, 6))
			k.prune(t, name)
		}()
		got, err := s.exported(t, servicetest.ListenTLS(t, s.App), "")
		if _, ok := k.store.(*elastic.Store); !ok {
			if err != nil || got != want {
				t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
			}
			s.checkPaid(t, "user-pro", total, 0, "whole")
			return
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(want, got) || got == "" {
			t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
		}
		s.checkPaid(t, "user-pro", total, 0, "failed")
		if !strings.Contains(s.Log.String(), "no such index ["+name+"]") {
			t.Errorf("the log does not say why: %s", s.Log)
		}
		last := lines(got[:strings.LastIndexByte(got, '\n')+1])
		wantGone(t, "going on", s.get(t, access.Pro, fmt.Sprintf("/v1/filings/export?generation=%s&after=%d", id, idOf(t, last[len(last)-1]))), id, live)
	})
}

// idOf returns the id of a row.
func idOf(t *testing.T, row string) int64 {
	t.Helper()
	var f struct{ ID int64 }
	if err := json.Unmarshal([]byte(row), &f); err != nil {
		t.Fatal(err)
	}
	return f.ID
}

// TestX6_Resume100: a client is cut at a random byte, a hundred times on each engine, and goes on behind the last row that
// came whole. What it has is then what an uninterrupted one has.
func TestX6_Resume100(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		_, id := k.load(t, edges.Fuzzed(2000, 9))
		s, r := k.site, rand.New(rand.NewPCG(3, 4))
		l := servicetest.ListenTLS(t, s.App)
		query := "?generation=" + id
		want, err := s.exported(t, l, query)
		if err != nil || len(lines(want)) != 2000 {
			t.Fatalf("%d rows, %v", len(lines(want)), err)
		}
		cuts := 100
		if testing.Short() {
			cuts = 10
		}
		for range cuts {
			c, res := s.begin(t, l, access.Pro, "/v1/filings/export"+query)
			first := make([]byte, r.IntN(len(want)))
			if _, err := io.ReadFull(res.Body, first); err != nil {
				t.Fatal(err)
			}
			_ = c.NetConn().Close()
			first = first[:bytes.LastIndexByte(first, '\n')+1]
			target := query
			if rows := lines(string(first)); len(rows) > 0 {
				target += fmt.Sprintf("&after=%d", idOf(t, rows[len(rows)-1]))
			}
			s.ended(t, "user-pro")
			rest, err := s.exported(t, l, target)
			if err != nil || string(first)+rest != want {
				t.Fatalf("cut behind %d bytes: %d more, want %d in all, %v", len(first), len(rest), len(want), err)
			}
		}
	})
}

// TestX6_ElasticsearchBreaks: the network to Elasticsearch, or Elasticsearch, breaks in the middle of an export. One failure
// is made good; what lasts cuts the file.
func TestX6_ElasticsearchBreaks(t *testing.T) {
	t.Parallel()
	const total = 3000
	direct, index := ownElastic(t)
	k := keeping{newSite(t, direct), direct, nil}
	k.load(t, edges.Fuzzed(total, 5))
	want := k.get(t, access.Pro, "/v1/filings/export").body
	for name, tt := range map[string]struct {
		fault
		once, lasting string // how the export ends where it happens once, and from then on
	}{
		"hangs up":           {cutAfter(0), "whole", "failed"},
		"hangs up in a page": {cutAfter(100_000), "whole", "failed"},
		"overloaded":         {status(429, "{}"), "failed", "failed"},
		"unavailable":        {status(503, "secret-host"), "whole", "failed"},
		"not Elasticsearch":  {status(200, page), "failed", "failed"},
		"a failed shard":     {replaced(`"failed":0`, `"failed":1`), "whole", "failed"},
		"silent":             {nil, "timeout", "timeout"},
	} {
		for _, lasts := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", lasts: ", lasts), func(t *testing.T) {
				t.Parallel()
				proxy, ended := newFaultyProxy(t), make(chan struct{})
				store, err := elastic.Open(elastic.Config{Addresses: []string{proxy.URL}, Index: index, Shards: 1})
				if err != nil {
					t.Fatal(err)
				}
				fails := func(w http.ResponseWriter, r *http.Request, real http.Handler) {
					if !lasts {
						proxy.mends()
					}
					if tt.fault == nil { // a query goes on to its deadline
						<-ended
						return
					}
					tt.fault(w, r, real)
				}
				var pages atomic.Int64
				outcome, timeout := tt.once, 2*time.Second
				if lasts {
					outcome = tt.lasting
				}
				if outcome == "whole" {
					timeout = time.Minute
				}
				s := newSite(t, turning{store, func() {
					if pages.Add(1) == 2 {
						proxy.breaks(fails)
					}
				}}, func(c *service.Config) { c.ExportTimeout = timeout })
				got, err := s.exported(t, servicetest.ListenTLS(t, s.App), "")
				close(ended)
				if whole := err == nil && got == want; whole != (outcome == "whole") || !strings.HasPrefix(want, got) || got == "" {
					t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
				}
				s.checkPaid(t, "user-pro", total, 0, outcome)
			})
		}
	}
}

// TestX6_Fetch: a script of a page learns that a file is not whole, however it reads it.
func TestX6_Fetch(t *testing.T) {
	t.Parallel()
	const total = 9000
	for _, cut := range []bool{false, true} {
		for _, format := range []string{"ndjson", "parquet"} {
			t.Run(fmt.Sprint(format, " cut: ", cut), func(t *testing.T) {
				t.Parallel()
				site := webtest.StartOver(t, repeated(total, func(_ context.Context, from int64) error {
					if cut && from > total/2 {
						return errEngine
					}
					return nil
				}))
				p := webtest.Open(t, site.Address+"/explore")
				script := fmt.Sprintf(`fetch("/v1/filings/export?format=%s", { headers: { "X-API-Key": %q } }).then(async (response) => {
					const rows = response.headers.get("X-Total-Count");
					let bytes = 0;
					for await (const part of response.clone().body) bytes += part.length;
					return [rows, bytes === (await response.arrayBuffer()).byteLength].join();
				}).catch((error) => error.name)`, format, site.Key)
				want := "9000,true"
				if cut {
					want = "TypeError"
				}
				if got := p.Value(script); got != want {
					t.Errorf("fetch has %q, want %q", got, want)
				}
			})
		}
	}
}

// TestX8_ByteByByte: a client that takes a byte now and then is cut too, by the time for a write or by that of an export.
func TestX8_ByteByByte(t *testing.T) {
	t.Parallel()
	const total = 200_000
	for outcome, configure := range map[string]func(*service.Config){
		"client":  func(c *service.Config) { c.ExportStall = 200 * time.Millisecond },
		"timeout": func(c *service.Config) { c.ExportTimeout = 400 * time.Millisecond },
	} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, repeated(total, nil), configure)
			l := servicetest.ListenTLS(t, s.App)
			c := narrow(t, l)
			fmt.Fprintf(c, "GET /v1/filings/export HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", l.Address, s.Keys[access.Pro])
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				every := time.NewTicker(5 * time.Millisecond)
				defer every.Stop()
				for _, err := c.NetConn().Read(make([]byte, 1)); err == nil; _, err = c.NetConn().Read(make([]byte, 1)) {
					<-every.C
				}
			}()
			servicetest.Until(t, "it is cut", func() bool { return strings.Contains(s.Log.String(), `"outcome":`) })
			s.checkPaid(t, "user-pro", total, 0, outcome)
			if rows, _ := s.sent(t); rows == 0 || rows > total/10 {
				t.Errorf("%d rows were sent", rows)
			}
			_ = c.NetConn().Close()
			<-ended
		})
	}
}

// narrow opens a connection to l on which the system takes few bytes before the client does.
func narrow(t *testing.T, l *servicetest.Listener) *tls.Conn {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		return errors.Join(raw.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 64<<10) }), err)
	}}
	c, err := tls.DialWithDialer(&dialer, "tcp", l.Address, l.Trust)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
