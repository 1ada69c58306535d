package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/serving"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// gated is a fleet whose Redis stands behind a gate.
func gated(t *testing.T, size int, settings ...string) (*fleet, *gate) {
	t.Helper()
	address, user := servers.Redis(t), "stop-"+rand.Text()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate(t, u.Host)
	t.Cleanup(func() { deleteUser(t, address, user) })
	u.Host = g.address
	return newFleet(t, size, user, access.Enterprise, append(settings, "FILINGS_REDIS_URL="+u.String())...), g
}

// waiting sends so many requests and waits until the service has them in hand. Their responses come later.
func (f *fleet) waiting(t *testing.T, n int) <-chan reply {
	t.Helper()
	replies := make(chan reply, n)
	for range n {
		go func() {
			r, err := f.send(context.WithoutCancel(t.Context()), 0, f.key.Load().(string))
			if err != nil {
				t.Errorf("a request in flight: %v", err)
			}
			replies <- r
		}()
	}
	f.processes[0].inFlight(t, n)
	return replies
}

// inFlight waits until the process has so many requests in hand.
func (p *process) inFlight(t *testing.T, n int) {
	t.Helper()
	eventually(t, "requests in flight", func() bool {
		return strings.Contains(p.metrics(t), fmt.Sprintf("\nfilings_http_requests_in_flight %d\n", n))
	})
}

// signal sends SIGTERM to the process, and waits until it has begun to stop.
func (p *process) signal(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stopping", func() bool { return strings.Contains(p.output.String(), `"msg":"stopping`) })
}

// SIGTERM: the service responds to what is in flight, closes idle connections, refuses new ones, and shows operators
// that it is not ready until it ends with code 0.
func TestStop(t *testing.T) {
	t.Parallel()
	f, gate := gated(t, 1)
	p := f.processes[0]
	idle, err := f.dial(p)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if _, err := io.WriteString(idle, "GET /v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := idle.Read(make([]byte, 1)); err != nil { // its response has arrived
		t.Fatal(err)
	}
	release := gate.hold()
	defer release()
	replies := f.waiting(t, 8)
	p.signal(t)
	eventually(t, "new connections are refused", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.api, "https://"))
		if err == nil {
			_ = c.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	if _, err := io.Copy(io.Discard, idle); err != nil {
		t.Errorf("the idle connection ended with %v", err)
	}
	res, err := http.Get(p.operations + "/readyz")
	if err != nil {
		t.Fatalf("it does not respond to operators while it stops: %v", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz says %d while it stops", res.StatusCode)
	}
	release()
	for range cap(replies) {
		if r := <-replies; r.status != http.StatusOK || !r.closes {
			t.Errorf("in flight: %d, with Connection: close: %v", r.status, r.closes)
		}
	}
	if err := <-p.ended; err != nil {
		t.Errorf("%v\n%s", err, p.output)
	}
	if used := f.used(t); used != 8 {
		t.Errorf("counted %d, want 8", used)
	}
}

// Under load, the service responds to every request that it counted: nothing is lost when processes end one after the
// other.
func TestStop_UnderLoad(t *testing.T) {
	t.Parallel()
	f, _ := gated(t, fleetSize, "FILINGS_ENTERPRISE_BURST=1000000")
	var responses atomic.Int64
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			for down := 0; down < fleetSize; {
				r, err := f.send(t.Context(), i+down, f.key.Load().(string))
				switch {
				case err != nil:
					down++ // the process is gone: the next one is tried, as a balancer would
				case r.status != http.StatusOK:
					t.Errorf("%d %s", r.status, r.code)
				default:
					responses.Add(1)
				}
			}
		})
	}
	for i, p := range f.processes {
		eventually(t, "responses", func() bool { return responses.Load() > int64(200*(i+1)) })
		p.stop(t)
	}
	group.Wait()
	if used := f.used(t); used != responses.Load() {
		t.Errorf("counted %d requests, %d responses", used, responses.Load())
	}
}

// A second signal ends the service at once, whatever is in flight.
func TestStop_SecondSignal(t *testing.T) {
	t.Parallel()
	f, gate := gated(t, 1)
	p := f.processes[0]
	defer gate.hold()()
	go func() { _, _ = f.send(context.Background(), 0, f.key.Load().(string)) }() // gets no response
	p.inFlight(t, 1)
	p.signal(t)
	// A signal between two requests of /readyz, not as many as there is time for: Go's runtime itself may fault when
	// signals pour in while it stops to handle them.
	var ended error
	eventually(t, "the end", func() bool {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		if res, err := http.Get(p.operations + "/readyz"); err == nil {
			_ = res.Body.Close()
			return false
		}
		ended = <-p.ended
		return true
	})
	var exit *exec.ExitError
	if !errors.As(ended, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, want to be ended by the signal", ended)
	}
}

// The service closes the connection of a client that never finishes its request after the grace period; that is no failure.
func TestStop_SlowClient(t *testing.T) {
	t.Parallel()
	f, _ := gated(t, 1, "FILINGS_REQUEST_TIMEOUT=2s")
	slow, err := f.dial(f.processes[0])
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := io.WriteString(slow, "GET /v1/me HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := slow.Read(make([]byte, 1)); err != nil { // 100: the service has begun to read the request
		t.Fatal(err)
	}
	f.processes[0].stop(t)
	log := f.processes[0].output.String()
	if !strings.Contains(log, "stopped with connections still open") {
		t.Errorf("the log does not say that a connection was closed:\n%s", log)
	}
	if strings.Contains(log, "refunded") {
		t.Errorf("the log tells of refunds that were not:\n%s", log)
	}
}

// Connections on which no request came hold no stop, on any listener: they are closed at once, and leave no line in the log.
func TestStop_SilentConnections(t *testing.T) {
	t.Parallel()
	f, _ := gated(t, 1)
	p := f.processes[0]
	secure, err := f.dial(p)
	if err != nil {
		t.Fatal(err)
	}
	defer secure.Close()
	for _, address := range []string{strings.TrimPrefix(p.api, "https://"), strings.TrimPrefix(p.operations, "http://")} {
		plain, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
	}
	p.signal(t)
	began := time.Now()
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 4*time.Second { // the HTTP server by itself gives them five and more
		t.Errorf("the stop took %v", took)
	}
	_, rest, _ := strings.Cut(p.output.String(), `"msg":"stopping`)
	if strings.Contains(rest, `"level":"WARN"`) || strings.Contains(rest, `"msg":"request"`) {
		t.Errorf("after SIGTERM the log says:\n%s", rest)
	}
	// A reset where the service, on a busy machine, had not read the last part of the handshake yet.
	if _, err := io.ReadAll(secure); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended with %v", err)
	}
}

// A request that hangs in Elasticsearch ends with its timeout, and does not keep the service from ending.
func TestStop_HangingElasticsearch(t *testing.T) {
	t.Parallel()
	address := servers.Elasticsearch(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	g, name, dir := newGate(t, u.Host), "stop-"+strings.ToLower(rand.Text()), t.TempDir()
	t.Cleanup(func() { servers.DeleteIndices(t, address, name) })
	environment := []string{"FILINGS_DATA_DIR=" + dir, "FILINGS_INDEX=" + name, "FILINGS_INDEX_REPLICAS=0",
		"FILINGS_ELASTICSEARCH_URL=http://" + g.address, "FILINGS_REQUEST_TIMEOUT=3s"}
	runProgram(t, environment, "reindex", loadFiles(t, 1)[0])
	p := startProcess(t, environment...)
	f := &fleet{processes: []*process{p}, client: client(t, filepath.Join(dir, "cert.pem"))}
	key := runProgram(t, environment, "keys", "create", "--user", "u", "--tier", "free")
	get(t.Context(), t, f.client, p.api+"/v1/filings", key)
	defer g.hold()()
	status := make(chan int, 1)
	go func() {
		req, _ := http.NewRequest(http.MethodGet, p.api+"/v1/filings?limit=7", nil)
		req.Header.Set("X-API-Key", key)
		res, err := f.client.Do(req)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		_ = res.Body.Close()
		status <- res.StatusCode
	}()
	p.inFlight(t, 1)
	p.stop(t)
	if got := <-status; got != http.StatusInternalServerError {
		t.Errorf("the request in flight got %d", got)
	}
}

// atOnce is the start of a service whose servers are up.
func atOnce(context.Context) error { return nil }

// A signal may come while the service is only about to listen.
func TestStop_BeforeItListens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	engine, err := serving.New(struct{ index.Engine }{}, serving.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		svc, err := service.New(service.Config{Engine: engine, Access: struct{ access.Store }{}, RequestTimeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		l, err := listen(f.settings)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.serve(ctx, svc, time.Second, slog.New(slog.DiscardHandler), atOnce); err != nil {
			t.Fatal(err)
		}
	}
}

// slowRefunds is a key store that admits every request and finishes no refund before the test ends.
type slowRefunds struct {
	access.Store
	end <-chan struct{}
}

func (slowRefunds) Admit(context.Context, access.Credential, int64) (access.Admission, error) {
	return access.Admission{Verdict: access.Admitted, User: "u", Tier: access.Free}, nil
}

func (s slowRefunds) Refund(context.Context, access.Admission, int64) error {
	<-s.end
	return nil
}

// broken is an engine that is never available.
type broken struct{ index.Engine }

func (broken) Live(context.Context) (index.Reader, error) { return nil, index.ErrUnavailable }

// TestStop_Refunds: a stopping service waits for refunds, and its log says so when they did not finish in time.
func TestStop_Refunds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	slow := func(c *service.Config) {
		c.Access, c.RequestTimeout = slowRefunds{end: t.Context().Done()}, 100*time.Millisecond
	}
	site := servicetest.New(t, broken{}, servicetest.Options{Configure: []func(*service.Config){slow}})
	l, err := listen(f.settings)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	served := make(chan error, 1)
	go func() {
		served <- l.serve(ctx, site.Service, 200*time.Millisecond, slog.New(slog.NewTextHandler(&log, nil)), atOnce)
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.api.Addr().String()+"/v1/stats", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", "k")
	res, err := client(t, l.certificate.Cert).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusInternalServerError {
		t.Errorf("status %d", res.StatusCode)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "refunded") {
		t.Errorf("it did not wait for the refund: %s", log.String())
	}
}
