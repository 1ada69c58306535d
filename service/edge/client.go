package edge

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Client returns the address that a request comes from: the peer's, or, if that is a proxy within
// trusted, the one that it names in X-Forwarded-For. Each proxy appends the peer that it saw, so
// the list ends with the addresses that trusted proxies have written: the last one that is none of
// theirs is the client's. The addresses before that one may be invented, and are not read. An item
// that is no address ends the list as well: then it is the proxy that passed it on, and unread says
// so.
func Client(c *fiber.Ctx, trusted []netip.Prefix) (client netip.Addr, unread bool) {
	client = peer(c)
	if !contains(trusted, client) {
		return client, false
	}
	lists := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	for _, list := range slices.Backward(lists) {
		for rest, more := string(list), true; more; {
			i := strings.LastIndexByte(rest, ',')
			more = i >= 0
			named, ok := address(rest[i+1:])
			if !ok {
				return client, true
			}
			if client = named; !contains(trusted, client) {
				return client, false
			}
			rest = rest[:max(i, 0)]
		}
	}
	return client, false
}

// address reads an address as proxies write it: alone, with a port, in brackets, in quotes.
func address(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	if ported, err := netip.ParseAddrPort(text); err == nil {
		return ported.Addr().Unmap().WithZone(""), true
	}
	if len(text) > 1 && text[0] == '[' && text[len(text)-1] == ']' {
		text = text[1 : len(text)-1]
	}
	named, err := netip.ParseAddr(text)
	return named.Unmap().WithZone(""), err == nil
}

// TraceContext returns the headers traceparent and tracestate of a request from a proxy within
// trusted, "" from anyone else, who could put spans into traces of others, and decide which are
// recorded.
func TraceContext(c *fiber.Ctx, trusted []netip.Prefix) (traceparent, tracestate string) {
	if len(trusted) == 0 || !contains(trusted, peer(c)) {
		return "", ""
	}
	return c.Get("traceparent"), c.Get("tracestate")
}

// peer returns the address at the other end of the connection.
func peer(c *fiber.Ctx) netip.Addr {
	address, _ := netip.AddrFromSlice(c.Context().RemoteIP()) // of a TCP connection: never fails
	return address.Unmap()
}

func contains(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// OwnHost reports whether Host is a name of this machine, where the address of the connection is of
// its loopback interface: a page elsewhere may have given that address another one (DNS rebinding).
// Other addresses have names that only their network knows.
func OwnHost(c *fiber.Ctx) bool {
	local, err := netip.ParseAddrPort(c.Context().LocalAddr().String())
	if err != nil || !local.Addr().Unmap().IsLoopback() {
		return true
	}
	host := string(c.Request().Host())
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	named, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && named.Unmap().IsLoopback()
}
