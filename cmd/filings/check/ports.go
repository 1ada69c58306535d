package check

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"filings/cmd/filings/settings"
)

// ports checks whether the service could listen, or listens already.
func (c *checkup) ports(ctx context.Context) {
	s := c.Settings
	c.port(ctx, "FILINGS_LISTEN", s.Listen, "https", "/", func(res *http.Response) bool {
		return strings.HasPrefix(res.Header.Get("X-Request-ID"), "req_")
	})
	c.port(ctx, "FILINGS_REDIRECT_LISTEN", s.RedirectListen, "http", "/", func(res *http.Response) bool {
		return res.StatusCode == http.StatusPermanentRedirect
	})
	c.port(ctx, "FILINGS_OPERATIONS_LISTEN", s.OperationsListen, "http", "/livez", func(res *http.Response) bool {
		return res.StatusCode == http.StatusOK
	})
	address, err := net.ResolveTCPAddr("tcp", s.OperationsListen)
	if s.OperationsToken != "" && err == nil && !address.IP.IsLoopback() {
		c.warn("accounts",
			"FILINGS_OPERATIONS_LISTEN=%s is not loopback: token and new keys travel to it in plain text",
			s.OperationsListen)
	}
}

// port listens on an address for a moment. Where another process does, isOurs decides by the
// response to path whether that is this program.
func (c *checkup) port(ctx context.Context, setting, address, scheme, path string, isOurs func(*http.Response) bool) {
	if address == settings.Off {
		return
	}
	l, err := net.Listen("tcp", address)
	if err == nil {
		_ = l.Close()
		c.ok("port", "%s=%s is free", setting, address)
		return
	}
	if !IsTaken(err) {
		c.fail("port", "%s=%s: %v", setting, address, err)
		return
	}
	if res, err := Get(ctx, &tls.Config{InsecureSkipVerify: true}, scheme, address, path); err != nil || !isOurs(res) {
		c.fail("port", "%s=%s: another program listens there", setting, address)
		return
	}
	c.ok("port", "%s=%s: the service listens there", setting, address)
}

// IsTaken reports whether net.Listen failed because another program listens on the address.
func IsTaken(err error) bool {
	const onWindows = syscall.Errno(10048) // WSAEADDRINUSE: there, EADDRINUSE is a number that no call returns
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, onWindows)
}

// Ready returns an error unless the service on this machine is ready: the check of `filings health`.
func Ready(ctx context.Context, s settings.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, s.RequestTimeout)
	defer cancel()
	res, err := Get(ctx, nil, "http", s.OperationsListen, "/readyz")
	if err != nil {
		return fmt.Errorf("the service does not answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the service is not ready: %s", res.Status)
	}
	return nil
}

// Get requests a path of a listener on this machine, and returns the head of the response. config says which
// certificates will do.
func Get(ctx context.Context, config *tls.Config, scheme, address, path string) (*http.Response, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+path, nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: config, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err == nil {
		_ = res.Body.Close()
	}
	return res, err
}
