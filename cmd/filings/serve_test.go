package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"filings/cmd/filings/settings"
	"filings/service/edge"
)

var testTime = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// The demo prints curl lines that work as they stand and find something, and stops with code 0.
func TestDemo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, w := io.Pipe()
	var errs strings.Builder
	done := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"demo"}, func() (settings.Settings, error) { return f.settings, nil }, streams{nil, w, &errs})
		_ = w.Close()
		done <- code
	}()
	curl := regexp.MustCompile(`^  curl --cacert (\S+) -H 'X-API-Key: (ak_live_[0-9a-f]{32})' '(https://localhost:\d+)(\S+)'$`)
	var tries [][]string
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Stop with") {
		if m := curl.FindStringSubmatch(lines.Text()); m != nil {
			tries = append(tries, m)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	for _, m := range tries {
		body := get(ctx, t, client(t, m[1]), m[3]+m[4], m[2])
		var response struct{ Data json.RawMessage }
		if err := json.Unmarshal(body, &response); err != nil || len(response.Data) < 3 {
			t.Errorf("%s: %v\n%s", m[4], err, body)
		}
		if filepath.Dir(filepath.Dir(m[1])) != f.settings.DataDir {
			t.Errorf("the demo's certificate is %s, outside of its folder", m[1])
		}
	}
	cancel()
	if code := <-done; code != exitDone {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	if len(tries) != len(demoRequests) {
		t.Errorf("%d curl lines, want %d\n%s", len(tries), len(demoRequests), errs.String())
	}
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

// T1: a self-signed certificate is kept, and made anew before it ends.
func TestT1_Certificate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first, trust, err := certificate(f.settings, testTime)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := certificate(f.settings, testTime.Add(edge.CertificateLife-edge.CertificateRenew-2*time.Hour))
	if err != nil || !again.Leaf.Equal(first.Leaf) {
		t.Errorf("the certificate was not kept: %v", err)
	}
	later, _, err := certificate(f.settings, testTime.Add(edge.CertificateLife-edge.CertificateRenew+time.Hour))
	if err != nil || later.Leaf.Equal(first.Leaf) {
		t.Errorf("the certificate was not renewed: %v", err)
	}
	if err := os.WriteFile(trust, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := certificate(f.settings, testTime); err != nil {
		t.Errorf("a spoilt file: %v", err)
	}
	f.settings.TLSCertFile, f.settings.TLSKeyFile = trust+".missing", trust
	if _, _, err := certificate(f.settings, testTime); err == nil {
		t.Error("a missing certificate file is no error")
	}
}
