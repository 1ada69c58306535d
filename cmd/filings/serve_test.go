package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"filings/cmd/filings/certificate"
	"filings/cmd/filings/settings"
	"filings/service/edge"
)

// demo is a demo that runs in this process, and what it printed.
type demo struct {
	curls [][]string // certificate, key, https://localhost:port, path
	pages []string   // addresses to open in a browser
	stop  func()     // waits for its end, which has to be with code 0
	log   func() string
}

// startDemo runs a demo until it serves.
func startDemo(t *testing.T, f *fixture) *demo {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, w := io.Pipe()
	errs := new(output)
	done := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"demo"}, func() (settings.Settings, error) { return f.settings, nil }, streams{nil, w, errs})
		_ = w.Close()
		done <- code
	}()
	d := &demo{log: errs.String, stop: sync.OnceFunc(func() {
		cancel()
		if code := <-done; code != exitDone {
			t.Errorf("exit code %d\n%s", code, errs.String())
		}
	})}
	t.Cleanup(d.stop)
	curl := regexp.MustCompile(`^  curl --cacert (\S+) -H 'X-API-Key: (ak_live_[0-9a-f]{32})' '(https://localhost:\d+)(\S+)'$`)
	page := regexp.MustCompile(`^  (https://localhost:\d+\S+)  `)
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Stop with") {
		if m := curl.FindStringSubmatch(lines.Text()); m != nil {
			d.curls = append(d.curls, m[1:])
		}
		if m := page.FindStringSubmatch(lines.Text()); m != nil {
			d.pages = append(d.pages, m[1])
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if len(d.curls) != len(demoRequests) {
		t.Fatalf("%d curl lines, want %d\n%s", len(d.curls), len(demoRequests), errs.String())
	}
	return d
}

// try does what the demo suggests: each line has to work as it stands, and find something.
func (d *demo) try(t *testing.T) {
	t.Helper()
	for _, m := range d.curls {
		body := get(t.Context(), t, client(t, m[0]), m[2]+m[3], m[1])
		var response struct{ Data json.RawMessage }
		if err := json.Unmarshal(body, &response); err != nil || len(response.Data) < 3 {
			t.Errorf("%s: %v\n%s", m[3], err, body)
		}
	}
	for _, page := range d.pages {
		if body := get(t.Context(), t, client(t, d.curls[0][0]), page, ""); !bytes.Contains(body, []byte("<html")) {
			t.Errorf("%s is no page", page)
		}
	}
}

// The demo prints curl lines and pages that work as they stand from any folder, and stops with code 0. The next one in
// the same folder does so, too, with the same key, which nobody else may read.
func TestDemo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Listen, f.settings.RedirectListen, f.settings.OperationsListen = ":0", ":0", ":0"
	local := regexp.MustCompile(`"(?:api|redirect|operations)":"127\.0\.0\.1:\d+"`)
	key := ""
	for range 2 {
		d := startDemo(t, f)
		if addresses := local.FindAllString(d.log(), -1); len(addresses) != 3 {
			t.Errorf("%d of 3 addresses in the log are of this machine alone: %s", len(addresses), d.log())
		}
		d.try(t)
		if key != "" && d.curls[0][1] != key {
			t.Error("the second demo has another key")
		}
		key = d.curls[0][1]
		if trust := d.curls[0][0]; filepath.Dir(filepath.Dir(trust)) != f.settings.DataDir || !filepath.IsAbs(trust) {
			t.Errorf("the demo's certificate is %s, outside of its folder", trust)
		}
		if len(d.pages) != 2 {
			t.Errorf("pages: %v", d.pages)
		}
		d.stop()
	}
}

// A key that is none of the demo's any more is replaced, and the next demo keeps the new one.
func TestDemo_Key(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	demoOf := func() string {
		t.Helper()
		key, err := demoKey(t.Context(), f.settings)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	kept := demoOf()
	if again := demoOf(); again != kept {
		t.Errorf("%s, then %s", kept, again)
	}
	file := filepath.Join(f.settings.DataDir, "demo.key")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want mode 600", info, err)
	}
	for name, change := range map[string]func(){
		"rotated": func() { f.must(t, "", "keys", "rotate", "--user", demoUser) },
		"revoked": func() { f.must(t, "", "keys", "revoke", "--user", demoUser) },
		"of another account": func() {
			other := f.must(t, "", "keys", "create", "--user", "other", "--tier", "free")
			if err := os.WriteFile(file, []byte(strings.TrimSpace(other)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"lost": func() {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		next := demoOf()
		if next == kept || demoOf() != next {
			t.Errorf("%s: %s after %s, then %s", name, next, kept, demoOf())
		}
		kept = next
	}
}

// The demo is for this machine, unless an address says otherwise: it has a key of tier enterprise. TestDemo runs one.
func TestDemo_IsLocal(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{":0": "127.0.0.1", "0.0.0.0:0": "0.0.0.0", "localhost:0": "127.0.0.1"} {
		s := newFixture(t).settings
		s.Listen, s.RedirectListen, s.OperationsListen = set, set, set
		l, err := listen(ofDemo(s))
		if err != nil {
			t.Fatal(err)
		}
		defer l.close()
		for _, one := range []*edge.Listener{l.api, l.redirect, l.operations} {
			if host, _, _ := net.SplitHostPort(address(one)); host != want && (want != "0.0.0.0" || host != "::") {
				t.Errorf("%s: it listens on %s, want %s", set, address(one), want)
			}
		}
	}
}

// A demo whose port is taken changes nothing. If the demo of the same folder has it, it says so.
func TestDemo_PortIsTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Listen = freeAddress(t)
	first := startDemo(t, f)
	before := generationsOf(t, f)
	code, out, errs := f.run(t.Context(), "", "demo")
	_, port, _ := net.SplitHostPort(f.settings.Listen)
	if want := "filings: a demo runs already at https://localhost:" + port + ": "; code != exitFailed || out != "" || !strings.HasPrefix(errs, want) {
		t.Errorf("exit code %d, %q, %q, want %q", code, out, errs, want)
	}
	first.try(t)
	if after := generationsOf(t, f); after != before {
		t.Errorf("it loaded: %s, before %s", after, before)
	}
	first.stop()

	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // a server that knows no TLS
		_ = http.Serve(other, http.NotFoundHandler()) //nolint:gosec // it ends with the test
	}()
	defer other.Close()
	for _, set := range []func(s *settings.Settings){
		func(s *settings.Settings) { s.Listen = other.Addr().String() },
		func(s *settings.Settings) { s.RedirectListen = other.Addr().String() },
	} {
		g := newFixture(t)
		set(&g.settings)
		code, out, errs := g.run(t.Context(), "", "demo")
		if code != exitFailed || out != "" || !strings.Contains(errs, "LISTEN="+other.Addr().String()+": another program listens on this address; set it to 127.0.0.1:") {
			t.Errorf("exit code %d, %q, %q", code, out, errs)
		}
		if _, err := os.Stat(g.settings.DataDir); err == nil {
			t.Error("it made a data folder")
		}
	}
}

// generationsOf is what `generations` prints of the demo.
func generationsOf(t *testing.T, f *fixture) string {
	t.Helper()
	g := *f
	g.settings.DataDir = filepath.Join(f.settings.DataDir, "demo")
	return g.must(t, "", "generations", "--json")
}

// TestServe_Output: each line of a log is JSON. On a terminal, where people read it, there is a curl line to try besides.
func TestServe_Output(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "FILINGS_DATA_DIR="+filepath.Join(t.TempDir(), "data"))
	p.stop(t)
	for line := range strings.Lines(p.output.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	for format, want := range map[string]bool{"auto": true, "text": true, "json": false} {
		terminal, side := newTerminal(t)
		dir := filepath.Join(t.TempDir(), "data")
		cmd := programCommand([]string{"FILINGS_DATA_DIR=" + dir, "FILINGS_LISTEN=127.0.0.1:0", "FILINGS_REDIRECT_LISTEN=off",
			"FILINGS_OPERATIONS_LISTEN=off", "FILINGS_LOG_FORMAT=" + format}, "serve")
		cmd.Stderr = side
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = side.Close()
		var text strings.Builder
		for lines := bufio.NewScanner(terminal); lines.Scan(); { // ends with an error when the program has closed its side
			text.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "serving") {
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", format, err, text.String())
		}
		if got := strings.Contains(text.String(), "\nTry: curl --cacert "+filepath.Join(dir, "cert.pem")+" "); got != want {
			t.Errorf("%s on a terminal: a line to try %v, want %v\n%s", format, got, want, text.String())
		}
	}
}

// newTerminal returns both sides of a pseudo-terminal.
func newTerminal(t *testing.T) (terminal, side *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	const setLock, getNumber = 0x40045431, 0x80045430 // TIOCSPTLCK, TIOCGPTN of Linux
	var number, unlocked uint32
	for request, value := range map[uintptr]*uint32{setLock: &unlocked, getNumber: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Skipf("pseudo-terminals are not Linux's: %v", errno)
		}
	}
	side, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return terminal, side
}

// T1: a process that gets SIGHUP shows the certificate that its files hold now, to all who connect from then on; and the
// metric shows until when.
func TestT1_HangUp(t *testing.T) {
	t.Parallel()
	pairs := make([]*certificate.Certificate, 2)
	for i := range pairs { // made a day apart
		begin := time.Now().Add(-time.Duration(2-i) * 24 * time.Hour)
		var err error
		if pairs[i], err = certificate.Open(settings.Settings{DataDir: t.TempDir()}, func() time.Time { return begin }); err != nil {
			t.Fatal(err)
		}
	}
	own := pairs[0].Files
	p := startProcess(t, "FILINGS_DATA_DIR="+filepath.Join(t.TempDir(), "data"), "FILINGS_TLS_CERT_FILE="+own.Cert, "FILINGS_TLS_KEY_FILE="+own.Key)
	expires := func(c *certificate.Certificate) string {
		return "filings_certificate_expires_timestamp_seconds " + strconv.FormatFloat(float64(c.Expires().Unix()), 'g', -1, 64) + "\n"
	}
	old := client(t, own.Cert)
	get(t.Context(), t, old, p.api+"/openapi.json", "")
	if got := p.metrics(t); !strings.Contains(got, expires(pairs[0])) {
		t.Errorf("no %s", expires(pairs[0]))
	}
	for from, to := range map[string]string{pairs[1].Cert: own.Cert, pairs[1].Key: own.Key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new certificate", func() bool { return strings.Contains(p.metrics(t), expires(pairs[1])) })
	get(t.Context(), t, old, p.api+"/openapi.json", "") // on its connection
	get(t.Context(), t, client(t, own.Cert), p.api+"/openapi.json", "")
	p.stop(t)
}

// A token that the network can read is warned of: see serve.
func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{"127.0.0.1:9090": true, "127.8.8.8:1": true, "[::1]:9090": true,
		"0.0.0.0:9090": false, "[::]:9090": false, "10.0.0.1:9090": false} {
		if got := isLoopback(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
