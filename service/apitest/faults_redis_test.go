package apitest

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/cmd/testservers/servers"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// badWire lies between a service and the real Redis. It understands so much of the protocol that it knows where a
// command begins.
type badWire struct {
	net.Listener
	redis, prefix string
	direct        *access.Redis
	fault         atomic.Pointer[wireFault] // nil: the wire is good
	scripts       atomic.Int64              // sent to Redis or lost: one a request of a client

	mu    sync.Mutex
	conns []net.Conn
}

// wireFault is what becomes of a command: one of these.
type wireFault struct {
	silent bool   // it is lost
	hangUp bool   // the connection breaks
	lose   bool   // Redis carries it out, then the connection breaks
	reply  string // this is the reply
	writes bool   // reply is only for what writes
}

func newBadWire(t *testing.T) *badWire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &badWire{Listener: listener, redis: servers.Redis(t), prefix: "service-" + strconv.FormatUint(rand.Uint64(), 36) + ":"}
	t.Cleanup(func() {
		_ = listener.Close()
		w.hangUp()
		deleteKeys(t, w.redis, w.prefix+"*")
	})
	address, err := url.Parse(w.redis)
	if err != nil {
		t.Fatal(err)
	}
	go w.accept(address.Host)
	w.direct = w.open(t, w.redis, nil)
	return w
}

// open returns the key store of this wire, at an address. registerer, if there is one, gets its metrics.
func (w *badWire) open(t *testing.T, address string, registerer prometheus.Registerer) *access.Redis {
	t.Helper()
	store, err := access.OpenRedis(access.RedisConfig{URL: address, Prefix: w.prefix, Limits: servicetest.Limits(), Registerer: registerer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func (w *badWire) breaks(f wireFault) { w.fault.Store(&f) }
func (w *badWire) mends()             { w.fault.Store(nil) }

// used reads from Redis itself how many requests the customer has used.
func (w *badWire) used(t *testing.T) int64 {
	t.Helper()
	account, err := w.direct.Show(t.Context(), "customer")
	if err != nil {
		t.Fatal(err)
	}
	return account.Used
}

// hangUp breaks all connections.
func (w *badWire) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

func (w *badWire) accept(to string) {
	for {
		client, err := w.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			_ = client.Close()
			continue
		}
		w.mu.Lock()
		w.conns = append(w.conns, client, server)
		w.mu.Unlock()
		go w.replies(client, server)
		go w.commands(client, server)
	}
}

func (w *badWire) replies(client, server net.Conn) {
	defer client.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := server.Read(buffer)
		if f := w.fault.Load(); err != nil || f != nil && f.lose {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (w *badWire) commands(client, server net.Conn) {
	defer server.Close()
	defer client.Close()
	from := bufio.NewReader(client)
	for {
		name, raw, err := readCommand(from)
		if err != nil {
			return
		}
		if strings.HasPrefix(name, "EVAL") {
			w.scripts.Add(1)
		}
		f := w.fault.Load()
		switch {
		case f != nil && f.hangUp:
			return
		case f != nil && f.silent:
		case f != nil && f.reply != "" && (!f.writes || strings.Contains("EVAL EVALSHA DEL", name)):
			_, err = io.WriteString(client, f.reply+"\r\n")
		default:
			_, err = io.WriteString(server, raw)
		}
		if err != nil {
			return
		}
	}
}

// readCommand reads an array of texts, which is what clients send.
func readCommand(r *bufio.Reader) (name, raw string, err error) {
	line, err := r.ReadString('\n')
	raw = line
	n, _ := strconv.Atoi(strings.Trim(line, "*\r\n"))
	for i := 0; i < n && err == nil; i++ {
		if line, err = r.ReadString('\n'); err != nil {
			break
		}
		size, _ := strconv.Atoi(strings.Trim(line, "$\r\n"))
		text := make([]byte, size+2)
		_, err = io.ReadFull(r, text)
		if raw += line + string(text); i == 0 {
			name = strings.ToUpper(string(text[:size]))
		}
	}
	return name, raw, err
}

// newSiteBehind starts a service whose key store is at the other end of a wire, and returns it with a pro account's key.
func newSiteBehind(t *testing.T, wire *badWire, timeout time.Duration) (s *site, key string) {
	t.Helper()
	s = newSite(t, oracle(fixture(t)), func(c *service.Config) {
		c.Access, c.RequestTimeout = wire.open(t, "redis://"+wire.Addr().String(), c.Registry), timeout
	})
	key, err := wire.direct.Create(t.Context(), "customer", access.Pro, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s, key
}

// TestK9_Redis is the table of what clients get when Redis or the wire to it fails: no request is admitted, nothing internal
// is shown, readiness says so, and all is well again when it is over.
func TestK9_Redis(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault wireFault
		lost  bool // requests may be counted whose replies were lost
	}{
		{"silent", wireFault{silent: true}, false},
		{"hangs up", wireFault{hangUp: true}, false},
		{"hangs up before it replies", wireFault{lose: true}, true},
		{"read-only", wireFault{reply: "-READONLY You can't write against a read only replica.", writes: true}, false},
		{"loading", wireFault{reply: "-LOADING Redis is loading the dataset in memory"}, false},
		{"cannot save", wireFault{reply: "-MISCONF Redis is configured to save RDB snapshots, secret", writes: true}, false},
		{"busy", wireFault{reply: "-BUSY Redis is busy running a script.", writes: true}, false},
		{"no Redis", wireFault{reply: "HTTP/1.1 400 Bad Request\r\n\r\nsecret"}, false},
		{"another reply", wireFault{reply: ":1", writes: true}, false},
	} {
		t.Run("K9 "+tt.name, func(t *testing.T) {
			t.Parallel()
			wire := newBadWire(t)
			s, key := newSiteBehind(t, wire, time.Second)
			d := listenTLS(t, s.App)
			if a := d.get(t, "/v1/filings", key); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			wire.breaks(tt.fault)
			for _, path := range []string{"/v1/filings", "/v1/me"} {
				a := d.get(t, path, key)
				checkOutage(t, path, a, "service_unavailable", wire.Addr().String(), key)
				if got := a.header.Get("X-RateLimit-Limit"); got != "" {
					t.Errorf("%s: a caller who is not known has the limit %s", path, got)
				}
			}
			if a := send(t, s.Service.Operations(), http.MethodGet, "/readyz"); tt.name != "another reply" && a.body != "keys\n" {
				t.Errorf("/readyz: %d %q", a.status, a.body)
			}
			if used := wire.used(t); used != 1 && !tt.lost {
				t.Errorf("%d requests were counted, want 1", used)
			}
			wire.mends()
			wire.hangUp() // as a restart does
			servicetest.Until(t, "recovery", func() bool { return d.get(t, "/v1/filings", key).status == http.StatusOK })
			if a := send(t, s.Service.Operations(), http.MethodGet, "/readyz"); a.status != http.StatusOK {
				t.Errorf("/readyz after it: %d %q", a.status, a.body)
			}
		})
	}
}
