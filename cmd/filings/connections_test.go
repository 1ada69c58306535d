package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/service/access"
)

// idleScale is how many idle connections TestConnections_… opens on each port, and how many descriptors the process may have: 400 and
// 256, or what TEST_IDLE says, and 1024 as in a shell.
func idleScale() (connections, descriptors int) {
	if n, err := strconv.Atoi(os.Getenv("TEST_IDLE")); err == nil {
		return n, 1024
	}
	return 400, 256
}

// onEachEngine runs a test on a service with filings over each engine, with an account of tier enterprise. The process has that
// many descriptors, or as many as this one, for 0.
func onEachEngine(t *testing.T, descriptors int, test func(t *testing.T, p *process, certificate, key string)) {
	start := func(t *testing.T, environment ...string) {
		t.Helper()
		dir := t.TempDir()
		environment = append(environment, "FILINGS_DATA_DIR="+dir, "FILINGS_ENTERPRISE_BURST=1000000", "FILINGS_ENTERPRISE_DAILY_QUOTA=100000000")
		runProgram(t, environment, "reindex", loadFiles(t, 1)[0])
		key := runProgram(t, environment, "keys", "create", "--user", "u", "--tier", string(access.Enterprise))
		p := newProcess(environment...)
		if descriptors > 0 {
			p.cmd.Args = append([]string{"sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(descriptors), p.cmd.Path}, p.cmd.Args[1:]...)
			p.cmd.Path = "/bin/sh"
		}
		p.run(t)
		test(t, p, filepath.Join(dir, "cert.pem"), key)
	}
	t.Run("embedded", func(t *testing.T) { start(t) })
	t.Run("elasticsearch", func(t *testing.T) {
		url, name := servers.Elasticsearch(t), "connections-"+strings.ToLower(rand.Text())
		t.Cleanup(func() { servers.DeleteIndices(t, url, name) })
		start(t, "FILINGS_ELASTICSEARCH_URL="+url, "FILINGS_INDEX="+name, "FILINGS_INDEX_REPLICAS=0")
	})
}

// redirect is the address of the plain listener.
func (p *process) redirect() string {
	return regexp.MustCompile(`"redirect":"([^"]+)"`).FindStringSubmatch(p.output.String())[1]
}

// Connections on which nothing comes, many more than the process has descriptors, on the API and on the plain port: neither do
// they end the process, nor keep an honest request from its response, on a new connection or on one that is kept.
func TestConnections_Idle(t *testing.T) {
	t.Parallel()
	idle, descriptors := idleScale()
	onEachEngine(t, descriptors, func(t *testing.T, p *process, certificate, key string) {
		c, alone := client(t, certificate), client(t, certificate)
		alone.Transport.(*http.Transport).DisableKeepAlives = true
		get(t.Context(), t, c, p.api+"/v1/filings", key) // on a connection that is kept
		for _, address := range []string{strings.TrimPrefix(p.api, "https://"), p.redirect()} {
			for range idle {
				silent, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = silent.Close() })
			}
		}
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				with := []*http.Client{c, alone}[i%2]
				for n := range 50 {
					if err := page(with, fmt.Sprintf("%s/v1/filings?limit=5&offset=%d", p.api, 4*n+i), key); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		metrics := p.metrics(t)
		for _, want := range []string{
			fmt.Sprintf("filings_connections_limit{listener=\"api\"} %d\n", descriptors/2),
			fmt.Sprintf("filings_connections{listener=\"redirect\"} %d\n", descriptors/8),
			"filings_connections_limited_total{listener=\"redirect\",outcome=\"refused\"} 0\n",
			"filings_connections_limited_total{listener=\"api\",outcome=\"waited\"} 0\n",
		} {
			if !strings.Contains(metrics, want) {
				t.Errorf("/metrics lacks %s", want)
			}
		}
		if strings.Contains(metrics, `filings_connections_limited_total{listener="api",outcome="made_room"} 0`) {
			t.Error("/metrics does not say that the limit was met")
		}
		p.stop(t)
	})
}

// page requests a page of filings.
func page(c *http.Client, url, key string) error {
	req, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("X-API-Key", key)
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %v %s", res.Status, err, body)
	}
	return nil
}

// stops is how many times TestConnections_StopKeepsRequests stops a process: 2, or what TEST_STOPS says.
func stops() int {
	if n, err := strconv.Atoi(os.Getenv("TEST_STOPS")); err == nil {
		return n
	}
	return 2
}

// SIGTERM under 100 kept connections, each of which sends its next request as soon as it has a response: each request has a
// response, and the last one of each connection says Connection: close. An HTTP client would send some requests again.
func TestConnections_StopKeepsRequests(t *testing.T) {
	t.Parallel()
	onEachEngine(t, 0, func(t *testing.T, p *process, certificate, key string) {
		c := client(t, certificate)
		for n := range stops() {
			if n > 0 {
				next := newProcess(p.cmd.Env...)
				next.run(t)
				p = next
			}
			var responses, ended atomic.Int64
			var group sync.WaitGroup
			for range 100 {
				group.Go(func() {
					defer ended.Add(1)
					if err := untilClose(c, p, key, &responses); err != nil {
						t.Error(err)
					}
				})
			}
			eventually(t, "responses", func() bool { return responses.Load() > 500 || ended.Load() > 0 })
			p.stop(t)
			group.Wait()
			t.Logf("stop %d: %d responses", n, responses.Load())
		}
	})
}

// untilClose sends requests on one connection until a response says Connection: close.
func untilClose(c *http.Client, p *process, key string, responses *atomic.Int64) error {
	connection, err := dialTLS(c, strings.TrimPrefix(p.api, "https://"))
	if err != nil {
		return err
	}
	defer connection.Close()
	reader := bufio.NewReader(connection)
	for n := 0; ; n++ {
		if _, err := fmt.Fprintf(connection, "GET /v1/filings?limit=2&offset=%d HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n\r\n", n%100, key); err != nil {
			return fmt.Errorf("request %d: %w", n, err)
		}
		res, err := http.ReadResponse(reader, nil)
		if err != nil {
			return fmt.Errorf("request %d has no response: %w", n, err)
		}
		_, err = io.Copy(io.Discard, res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("request %d: %s %w", n, res.Status, err)
		}
		responses.Add(1)
		if res.Close {
			return nil
		}
	}
}
