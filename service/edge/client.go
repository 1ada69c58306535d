package edge

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Client returns the address that a request comes from: the peer's, or, if that is a proxy within trusted, the one that it
// names in X-Forwarded-For. Each proxy appends the peer that it saw, so what trusted proxies have written stands at the
// end: the last address that is none of theirs is the client's. What stands before that address may be invented, and is
// not read. What is no address ends the list as well: then it is the proxy that passed it on.
func Client(c *fiber.Ctx, trusted []netip.Prefix) netip.Addr {
	client := peer(c)
	if !within(trusted, client) {
		return client
	}
	lists := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	for _, list := range slices.Backward(lists) {
		for rest, more := string(list), true; more; {
			i := strings.LastIndexByte(rest, ',')
			more = i >= 0
			named, err := netip.ParseAddr(strings.TrimSpace(rest[i+1:]))
			if err != nil {
				return client
			}
			if client = named.Unmap(); !within(trusted, client) {
				return client
			}
			rest = rest[:max(i, 0)]
		}
	}
	return client
}

// TraceContext returns the headers traceparent and tracestate of a request from a proxy within trusted, "" from anyone else,
// who could put its spans into traces of others, and decide which are recorded.
func TraceContext(c *fiber.Ctx, trusted []netip.Prefix) (traceparent, tracestate string) {
	if len(trusted) == 0 || !within(trusted, peer(c)) {
		return "", ""
	}
	return c.Get("traceparent"), c.Get("tracestate")
}

// peer returns the address at the other end of the connection.
func peer(c *fiber.Ctx) netip.Addr {
	address, _ := netip.AddrFromSlice(c.Context().RemoteIP()) // of a TCP connection: never fails
	return address.Unmap()
}

func within(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(address) })
}
