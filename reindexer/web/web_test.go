package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serve starts a server at an address of the loopback interface.
func serve(t *testing.T, at string, handler http.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp", at+":0")
	if err != nil {
		t.Skipf("no address %s: %v", at, err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// get requests an address and reads the response.
func get(t *testing.T, c *Client, address string) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := c.Send(r)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	return err
}

// TestX74_Waits: the waits of a source count together, whatever a server says of the next try; those of another source are its own.
func TestX74_Waits(t *testing.T) {
	t.Parallel()
	for after, want := range map[string][]time.Duration{
		"3500": {3500}, "3599": {3599}, "3600": nil, "1700": {1700, 1700}, "": {1, 2, 4, 8, 16, 32, 60, 60, 60},
	} {
		address := serve(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		c, waits := New(nil, ""), []time.Duration(nil)
		c.Timeout, c.Sleep = time.Hour, func(_ context.Context, d time.Duration) error {
			waits = append(waits, d/time.Second)
			return nil
		}
		err := get(t, c, address)
		if diff := cmp.Diff(want, waits); diff != "" || !errors.Is(err, ErrAway) || errors.Is(err, ErrSlow) == (after == "") {
			t.Errorf("Retry-After %q: %v, waits (-want +got):\n%s", after, err, diff)
		}
		waits = nil
		fresh := c.Fresh()
		_ = get(t, fresh, address)
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("Retry-After %q, another source: waits (-want +got):\n%s", after, diff)
		}
	}
}

// TestX74_Slow: a server that sends a byte now and then, for ever, and one that never responds, are waited for as long as a source may
// take in all, and not again.
func TestX74_Slow(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	address := serve(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		for err := error(nil); r.URL.Path == "/bytes" && err == nil; {
			_, err = w.Write([]byte("x"))
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	for _, path := range []string{"/bytes", "/nothing"} {
		c := New(nil, "")
		c.Timeout, c.Sleep = 50*time.Millisecond, func(context.Context, time.Duration) error { return nil }
		c.reached.Store(true)
		requests.Store(0)
		err := get(t, c, address+path)
		if !errors.Is(err, ErrSlow) || !strings.Contains(err.Error(), "50ms (FILINGS_SOURCE_TIMEOUT)") || requests.Load() > 1 {
			t.Errorf("%s: %v, %d requests", path, err, requests.Load())
		}
	}
}

// TestX74_Inside: which addresses a server outside may not lead to.
func TestX74_Inside(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1": true, "127.8.8.8": true, "0.0.0.0": true, "10.1.2.3": true, "172.16.0.1": true, "172.31.255.255": true, "192.168.1.1": true,
		"169.254.169.254": true, "100.100.100.200": true, "255.255.255.255": true, "224.0.0.1": true, "::": true, "::1": true, "fe80::1": true,
		"fe80::1%eth0": true, "fd00:ec2::254": true, "fc00::1": true, "ff02::1": true, "::ffff:127.0.0.1": true, "::ffff:a9fe:a9fe": true,
		"64:ff9b::7f00:1": true, "64:ff9b::a9fe:a9fe": true, "fec0::1": true,
		"8.8.8.8": false, "172.32.0.1": false, "100.128.0.1": false, "1.1.1.1": false, "2606:4700::1111": false, "64:ff9b::808:808": false,
		"::ffff:8.8.8.8": false, "223.255.255.255": false,
	} {
		if got := isInside(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}

// within returns a Client for which one address of this machine stands inside, and all others outside.
func within(one string, proxy func(*http.Request) (*url.URL, error)) *Client {
	c := New(nil, "")
	r := &reach{inside: func(a netip.Addr) bool { return a == netip.MustParseAddr(one) }, proxy: proxy}
	c.Transport = &http.Transport{Proxy: r.proxied, DialContext: r.dial}
	c.Sleep = func(context.Context, time.Duration) error { return nil }
	return c
}

// TestX74_Reach: what is dialled decides, not what a name says: a source outside leads nowhere inside, at once and without a byte
// sent there, and one inside leads anywhere. A proxy may be anywhere.
func TestX74_Reach(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	ok := func(w http.ResponseWriter, _ *http.Request) { reached.Add(1) }
	outside, second, private := serve(t, "127.0.0.1", ok), serve(t, "127.0.0.3", ok), serve(t, "127.0.0.2", ok)
	none := func(*http.Request) (*url.URL, error) { return nil, nil }
	u, err := url.Parse(private)
	if err != nil {
		t.Fatal(err)
	}
	through := func(r *http.Request) (*url.URL, error) { // but to 127.0.0.2 itself
		if strings.HasSuffix(r.URL.Hostname(), ".test") || r.URL.Hostname() == "127.0.0.4" {
			return u, nil
		}
		return nil, nil
	}
	for name, test := range map[string]struct {
		one       string
		proxy     func(*http.Request) (*url.URL, error)
		addresses []string
		refused   bool // the last
	}{
		"outside, inside":          {"127.0.0.2", none, []string{outside, private}, true},
		"outside, outside":         {"127.0.0.2", none, []string{outside, second}, false},
		"outside, outside, inside": {"127.0.0.2", none, []string{outside, second, private}, true},
		"inside, inside":           {"127.0.0.2", none, []string{private, private}, false},
		"inside, outside, inside":  {"127.0.0.2", none, []string{private, outside, private}, false},
		"by a proxy inside":        {"127.0.0.2", through, []string{"http://county.test/a", "http://other.test/"}, false},
		"by a proxy, inside":       {"127.0.0.1", through, []string{"http://county.test/a", outside}, true},
		"by a proxy, its address":  {"127.0.0.4", through, []string{"http://county.test/a", "http://127.0.0.4/"}, true},
	} {
		c := within(test.one, test.proxy)
		for i, address := range test.addresses {
			before, last := reached.Load(), i == len(test.addresses)-1
			err := get(t, c, address)
			if refused := last && test.refused; errors.Is(err, errInside) != refused || (err == nil) == refused || reached.Load() != before+1 && !refused || refused && reached.Load() != before {
				t.Errorf("%s: %s: %v, %d requests", name, address, err, reached.Load()-before)
			}
		}
	}
}

// TestX74_Redirect: a redirect from a server outside to an address inside is refused, and the error shows nothing of the parameters.
func TestX74_Redirect(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	private := serve(t, "127.0.0.2", func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	outside := serve(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, private+"/?token=hunter2", http.StatusFound)
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, outside+"/?token=hunter2", nil)
	if err != nil {
		t.Fatal(err)
	}
	none := func(*http.Request) (*url.URL, error) { return nil, nil }
	_, err = within("127.0.0.2", none).Follow(r, 5)
	if !errors.Is(err, errInside) || strings.Contains(err.Error(), "hunter2") || reached.Load() > 0 {
		t.Errorf("error %v, %d requests inside", err, reached.Load())
	}
}
