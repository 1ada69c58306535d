package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// dialTimeout is how long a server may take to be reached, for TCP and TLS each.
const dialTimeout = 15 * time.Second

// errInside: a server on the network outside leads to an address inside (rule X74).
var errInside = errors.New("it leads to an address of this machine or of its network, which a server outside " +
	"may not name; name that address as a source of its own")

// inside are the networks that the public Internet does not route: this machine, its link, where
// clouds keep credentials, and networks of its own. IPv4 within IPv6 is looked at by itself.
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("224.0.0.0/3"), netip.MustParsePrefix("::/127"), netip.MustParsePrefix("fc00::/7"),
	netip.MustParsePrefix("fe80::/9"), netip.MustParsePrefix("ff00::/8"),
}

// translated begins the addresses by which hosts of IPv6 alone reach IPv4.
var translated = netip.MustParsePrefix("64:ff9b::/96")

// isInside reports whether an address is within inside.
func isInside(a netip.Addr) bool {
	if a = a.WithZone("").Unmap(); translated.Contains(a) {
		bytes := a.As16()
		a = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return slices.ContainsFunc(inside, func(network netip.Prefix) bool { return network.Contains(a) })
}

// reach dials servers. Which address a name has is decided by who owns the name, at each look
// again; so it judges the address that is dialled. The first server is the one that the operator
// named, wherever it is; if it is outside, all others have to be.
type reach struct {
	inside       func(netip.Addr) bool
	proxy        func(*http.Request) (*url.URL, error) // that the environment names
	named        atomic.Int32                          // where the first server is: one of those below
	proxyAddress atomic.Pointer[string]                // the proxy
}

const (
	unknown = iota
	outer
	inner
)

// proxied returns the proxy of a request as the environment says, which may be anywhere. A proxy
// itself decides which hosts it reaches, but for addresses that are written out.
func (r *reach) proxied(request *http.Request) (*url.URL, error) {
	proxy, err := r.proxy(request)
	if err != nil {
		// It may have a password.
		return nil, errors.New("the address of the proxy (HTTP_PROXY, HTTPS_PROXY) is not well-formed")
	}
	if proxy == nil {
		return nil, nil
	}
	if a, invalid := netip.ParseAddr(request.URL.Hostname()); invalid == nil {
		if err := r.allow(a); err != nil {
			return nil, err
		}
		r.settle(a)
	}
	r.named.CompareAndSwap(unknown, outer)
	resolved := *proxy
	usual := map[string]string{"http": "80", "https": "443"}[proxy.Scheme]
	resolved.Host = net.JoinHostPort(proxy.Hostname(), cmp.Or(proxy.Port(), usual, "1080"))
	r.proxyAddress.Store(&resolved.Host)
	return &resolved, nil
}

func (r *reach) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	if proxy := r.proxyAddress.Load(); proxy != nil && *proxy == address {
		return dialer.DialContext(ctx, network, address)
	}
	dialer.Control = func(_, address string, _ syscall.RawConn) error {
		dialed, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%.100q is no address: %w", address, err)
		}
		return r.allow(dialed.Addr())
	}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if peer, invalid := netip.ParseAddrPort(conn.RemoteAddr().String()); invalid == nil {
		r.settle(peer.Addr())
	}
	return conn, nil
}

func (r *reach) allow(a netip.Addr) error {
	if r.named.Load() == outer && r.inside(a) {
		return errInside
	}
	return nil
}

// settle notes where the first server is.
func (r *reach) settle(a netip.Addr) {
	side := int32(outer)
	if r.inside(a) {
		side = inner
	}
	r.named.CompareAndSwap(unknown, side)
}
