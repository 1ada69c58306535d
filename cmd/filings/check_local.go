package main

import (
	"context"
	"crypto/tls"
	"errors"
	"filings/service/edge"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// folder looks at the data folder: by making a file, since modes tell nothing of full disks and read-only mounts.
func (c *checkup) folder() {
	info, err := os.Stat(c.s.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		c.ok("data folder", "%s is not there; it is made when it is first used", c.s.DataDir)
		return
	}
	if err != nil {
		c.fail("data folder", "FILINGS_DATA_DIR: %v", err)
		return
	}
	file, err := os.CreateTemp(c.s.DataDir, "check.*")
	if err != nil {
		c.fail("data folder", "FILINGS_DATA_DIR: %v: this user must be able to write there", err)
		return
	}
	_ = errors.Join(file.Close(), os.Remove(file.Name()))
	if info.Mode().Perm()&0o077 != 0 {
		c.warn("data folder", "%s can be read by other users (mode %o): chmod 700", c.s.DataDir, info.Mode().Perm())
		return
	}
	c.ok("data folder", "%s can be written, by its owner alone", c.s.DataDir)
}

// certificate looks at the API's certificate. One of its own the service makes, and makes anew in time.
func (c *checkup) certificate() {
	certFile, keyFile, own := c.s.TLSCertFile, c.s.TLSKeyFile, c.s.TLSCertFile == ""
	if own {
		certFile = filepath.Join(c.s.DataDir, "tls.pem")
		keyFile = certFile
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	switch {
	case own && errors.Is(err, fs.ErrNotExist):
		c.ok("certificate", "self-signed, made when the service starts")
	case own && err != nil:
		c.warn("certificate", "%s cannot be read: the service makes another when it starts, and clients have to trust that", certFile)
	case err != nil:
		c.fail("certificate", "FILINGS_TLS_CERT_FILE and FILINGS_TLS_KEY_FILE: %v", err)
	case c.now().Before(pair.Leaf.NotBefore):
		c.fail("certificate", "it begins only on %s", pair.Leaf.NotBefore.Format(time.DateTime))
	case c.now().Add(edge.CertificateRenew).After(pair.Leaf.NotAfter) && own:
		c.warn("certificate", "self-signed, until %s: the service makes another when it starts, and clients have to trust that", pair.Leaf.NotAfter.Format(time.DateOnly))
	case c.now().After(pair.Leaf.NotAfter):
		c.fail("certificate", "it ended on %s: put a new one in its place and start the service again", pair.Leaf.NotAfter.Format(time.DateTime))
	case c.now().Add(edge.CertificateRenew).After(pair.Leaf.NotAfter):
		c.warn("certificate", "it ends on %s: put a new one in its place and start the service again", pair.Leaf.NotAfter.Format(time.DateOnly))
	default:
		c.ok("certificate", "it is good until %s, and the key is its own", pair.Leaf.NotAfter.Format(time.DateOnly))
	}
}

// ports looks whether the service could listen, or does already.
func (c *checkup) ports(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.s.RequestTimeout)
	defer cancel()
	c.port(ctx, "FILINGS_LISTEN", c.s.Listen, "https", "/", func(res *http.Response) bool {
		return strings.HasPrefix(res.Header.Get("X-Request-ID"), "req_")
	})
	c.port(ctx, "FILINGS_REDIRECT_LISTEN", c.s.RedirectListen, "http", "/", func(res *http.Response) bool {
		return res.StatusCode == http.StatusPermanentRedirect
	})
	c.port(ctx, "FILINGS_OPERATIONS_LISTEN", c.s.OperationsListen, "http", "/livez", func(res *http.Response) bool {
		return res.StatusCode == http.StatusOK
	})
	at, err := net.ResolveTCPAddr("tcp", c.s.OperationsListen)
	if c.s.OperationsToken != "" && err == nil && !isLoopback(at) {
		c.warn("accounts", "FILINGS_OPERATIONS_LISTEN=%s is not loopback: on the way to it, token and new keys can be read", c.s.OperationsListen)
	}
}

// port listens on an address for a moment. If somebody else does, isOurs tells by the answer to path whether it is this
// program.
func (c *checkup) port(ctx context.Context, setting, address, scheme, path string, isOurs func(*http.Response) bool) {
	if address == off {
		return
	}
	l, err := net.Listen("tcp", address)
	switch {
	case err == nil:
		_ = l.Close()
		c.ok("port", "%s=%s is free", setting, address)
	case !errors.Is(err, syscall.EADDRINUSE):
		c.fail("port", "%s=%s: %v", setting, address, err)
	case c.answers(ctx, scheme, address, path, isOurs):
		c.ok("port", "%s=%s: the service listens there", setting, address)
	default:
		c.fail("port", "%s=%s: another program listens there", setting, address)
	}
}

// answers asks without trusting: only whether something answers, and how, is of interest.
func (c *checkup) answers(ctx context.Context, scheme, address, path string, isOurs func(*http.Response) bool) bool {
	host, err := dialable(address)
	if err != nil {
		return false
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+host+path, nil)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return isOurs(res)
}

// dialable is an address that is listened on as one that can be asked.
func dialable(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port), err
}
