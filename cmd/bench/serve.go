package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// served is a running service and a client of it.
type served struct {
	cmd        *exec.Cmd
	url        string
	operations string // where its metrics are
	key        string
	client     *http.Client
	trust      *x509.CertPool // its certificate
	filters    atomic.Int64   // that no request had before
}

// serve runs the service with settings that do not affect the measurement: ports of its own, generous limits.
func (b *bench) serve(ctx context.Context, name string, environment ...string) (s *served, err error) {
	folder := filepath.Join(b.dir, name)
	environment = append(append(os.Environ(),
		"FILINGS_DATA_DIR="+folder, "FILINGS_REDIS_URL="+b.redis,
		"FILINGS_LISTEN=127.0.0.1:0", "FILINGS_REDIRECT_LISTEN=off", "FILINGS_OPERATIONS_LISTEN=127.0.0.1:0", "FILINGS_LOG_FORMAT=json",
		"FILINGS_ENTERPRISE_DAILY_QUOTA=1000000000", "FILINGS_ENTERPRISE_BURST=1000000", "FILINGS_REQUEST_TIMEOUT=60s",
		"FILINGS_TOKEN_SECRETS=one-of-the-bench-which-signs-nothing-else", "FILINGS_TOKEN_SHARE=1", "FILINGS_TRUSTED_PROXIES=127.0.0.0/8"), environment...)
	s = &served{cmd: exec.CommandContext(ctx, b.program, "serve")}
	s.cmd.Env = environment
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	log := bufio.NewReader(errs)
	if s.url, s.operations, err = servingAt(log); err != nil {
		return nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, log) }() // the access log
	if s.trust, err = certificate(filepath.Join(folder, "cert.pem")); err != nil {
		return nil, err
	}
	s.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.trust}, MaxIdleConnsPerHost: 64, DisableCompression: true,
	}}
	s.key, err = s.createKey(ctx, "enterprise", fmt.Sprintf("bench-%s-%d", name, time.Now().UnixNano()))
	return s, err
}

// createKey creates an account of a tier, and returns its key.
func (s *served) createKey(ctx context.Context, tier, user string) (string, error) {
	keys := exec.CommandContext(ctx, s.cmd.Path, "keys", "create", "--tier", tier, "--user", user)
	keys.Env, keys.Stderr = s.cmd.Env, os.Stderr
	key, err := keys.Output()
	return strings.TrimSpace(string(key)), err
}

// servingAt reads the log up to the record that says where the service listens.
func servingAt(log *bufio.Reader) (api, operations string, err error) {
	var output strings.Builder
	for {
		line, err := log.ReadString('\n')
		if err != nil {
			return "", "", fmt.Errorf("the service did not start: %s", output.String())
		}
		output.WriteString(line)
		var record struct{ Msg, API, Operations string }
		if json.Unmarshal([]byte(line), &record) != nil || record.Msg != "serving" {
			continue
		}
		_, port, err := net.SplitHostPort(record.API)
		return "https://localhost:" + port, "http://" + record.Operations, err
	}
}

func certificate(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool, err
}

// stop ends the service as an operator does.
func (s *served) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// get sends a request to the service, and returns the response's body.
func (s *served) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-API-Key", s.key)
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, res.Status, body)
	}
	return body, err
}
