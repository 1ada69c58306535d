package apitest

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/service/access"
	"filings/service/servicetest"
)

// nginxConfig is nginx as Debian has it, with its default buffers, in front of a service: the first server speaks HTTP/1.1 to
// it, as docs/api/exports.md asks for; the second one HTTP/1.0, which is nginx's default.
const nginxConfig = `daemon off; master_process off; error_log error.log; pid nginx.pid;
events {}
http {
	access_log off;
	client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
	ssl_certificate %[1]s; ssl_certificate_key %[2]s;
	proxy_ssl_verify on; proxy_ssl_trusted_certificate %[1]s; proxy_ssl_name example.com;
	server { listen %[4]s ssl http2; location / { proxy_pass https://%[3]s; proxy_http_version 1.1; } }
	server { listen %[5]s ssl; location / { proxy_pass https://%[3]s; } }
}
`

// startProxy starts nginx in front of l until the test ends. It returns the addresses of the two servers.
func startProxy(t *testing.T, l *servicetest.Listener) (address, old string) {
	t.Helper()
	address, old = freeAddress(t), freeAddress(t)
	certificate, key := l.Files(t)
	startNginx(t, t.TempDir(), fmt.Sprintf(nginxConfig, certificate, key, l.Address, address, old), old)
	return address, old
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = port.Close() }()
	return port.Addr().String()
}

// startNginx starts nginx in a folder until the test ends. It has started once it listens at address.
func startNginx(t *testing.T, folder, config, address string) {
	t.Helper()
	program := servers.Program(t, "nginx")
	if err := os.WriteFile(filepath.Join(folder, "nginx.conf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	nginx := exec.Command(program, "-p", folder, "-c", "nginx.conf", "-e", "error.log")
	nginx.Stderr = t.Output()
	if err := nginx.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = nginx.Process.Kill()
		_ = nginx.Wait()
	})
	servicetest.Until(t, "nginx listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// through sends a request for an export, and returns the response before its body was read.
func (s *site) through(t *testing.T, c *http.Client, address, query string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/v1/filings/export"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", s.Keys[access.Pro])
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// overHTTP2 returns a client that trusts what l's client does.
func overHTTP2(t *testing.T, l *servicetest.Listener) *http.Client {
	transport := &http.Transport{TLSClientConfig: l.Trust.Clone(), ForceAttemptHTTP2: true, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestX6_NginxWhole: a file that nginx has taken whole, in memory and on disk, before its client reads any of it, arrives as
// the service sends it.
func TestX6_NginxWhole(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "proxies")
	const total = 30_000
	s := newSite(t, repeated(total, nil))
	l := servicetest.ListenTLS(t, s.App)
	address, old := startProxy(t, l)
	clients := map[string]*http.Client{"HTTP/1.1": l.Client, "HTTP/2.0": overHTTP2(t, l)}
	for _, format := range []string{"ndjson", "csv", "parquet"} {
		direct, err := io.ReadAll(s.through(t, l.Client, l.Address, "?format="+format).Body)
		if err != nil {
			t.Fatal(err)
		}
		for proto, client := range clients {
			before := s.used(t, "user-pro")
			res := s.through(t, client, address, "?format="+format)
			if paid := s.ended(t, "user-pro") - before; paid != total/100 {
				t.Errorf("%s, %s: %d requests paid", format, proto, paid)
			}
			got, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != http.StatusOK || res.Proto != proto || !bytes.Equal(got, direct) {
				t.Errorf("%s, %s: %s, %d bytes of %d through nginx, %v", format, proto, res.Proto, len(got), len(direct), err)
			}
		}
	}
	res := s.through(t, l.Client, old, "")
	if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "proxy_http_version 1.1") {
		t.Errorf("by HTTP/1.0: %d %s", res.StatusCode, body)
	}
}

// TestX6_NginxCut: nginx passes on that a file is not whole, to clients of HTTP/1.1 and HTTP/2.
func TestX6_NginxCut(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "proxies")
	const total = 30_000
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for _, format := range []string{"ndjson", "csv", "parquet"} {
			for _, coding := range []string{"", "gzip", "zstd"} {
				t.Run(proto+" "+format+" "+coding, func(t *testing.T) {
					t.Parallel()
					s := newSite(t, repeated(total, func(_ context.Context, from int64) error {
						if from > total/2 {
							return errEngine
						}
						return nil
					}))
					l := servicetest.ListenTLS(t, s.App)
					address, _ := startProxy(t, l)
					client := l.Client
					if proto == "HTTP/2.0" {
						client = overHTTP2(t, l)
					}
					req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/v1/filings/export?format="+format, http.NoBody)
					req.Header.Set("X-API-Key", s.Keys[access.Pro])
					req.Header.Set("Accept-Encoding", coding)
					res, err := client.Do(req)
					if err != nil {
						t.Fatal(err)
					}
					defer res.Body.Close()
					if n, err := io.Copy(io.Discard, res.Body); err == nil || res.StatusCode != http.StatusOK || res.Proto != proto {
						t.Errorf("%d, %s: %d bytes, %v", res.StatusCode, res.Proto, n, err)
					}
					s.checkPaid(t, "user-pro", total, 0, "failed")
				})
			}
		}
	}
}

// TestX7_NginxHangUp: when a client of nginx hangs up, nginx does, and what nginx did not take is given back.
func TestX7_NginxHangUp(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "proxies")
	const total = 2_000_000
	s := newSite(t, repeated(total, nil))
	l := servicetest.ListenTLS(t, s.App)
	address, _ := startProxy(t, l)
	c, err := tls.Dial("tcp", address, l.Trust)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "GET /v1/filings/export HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n\r\n", s.Keys[access.Pro])
	if _, err := io.CopyN(io.Discard, c, 1<<20); err != nil {
		t.Fatal(err)
	}
	_ = c.NetConn().Close()
	s.checkPaid(t, "user-pro", total, 0, "client")
}
