package edge

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Redirect returns the application of the plain listener: a redirection (308) to the same address
// on HTTPS, whose port is httpsPort. A peer within trusted that says X-Forwarded-Proto: https is a
// proxy that has ended the client's TLS itself: it gets the responses of api. From any other peer
// that header means nothing.
func Redirect(api *fiber.App, trusted []netip.Prefix, httpsPort int) *fiber.App {
	app := New(PlainError, APIBody)
	api.Handler() // makes its routes ready, as listening would
	serveAPI := api.Server().Handler
	app.Use(func(c *fiber.Ctx) error {
		if forwardedHTTPS(c, trusted) {
			serveAPI(c.Context())
			return nil
		}
		return c.Next()
	}, Framed, func(c *fiber.Ctx) error {
		host, ok := hostOf(string(c.Request().Host()))
		if !ok {
			return c.SendStatus(fiber.StatusBadRequest)
		}
		if httpsPort != 443 {
			host += ":" + strconv.Itoa(httpsPort)
		}
		target := "https://" + host + HeaderSafe(string(c.Request().URI().PathOriginal()))
		if query := c.Request().URI().QueryString(); len(query) > 0 {
			target += "?" + HeaderSafe(string(query))
		}
		c.Set(fiber.HeaderLocation, target)
		return c.SendStatus(fiber.StatusPermanentRedirect)
	})
	return app
}

// forwardedHTTPS reports whether a trusted proxy says that its client speaks HTTPS. Of several
// proxies, each appends the protocol of the one before it: the first item is the client's, which
// would be redirected for ever.
func forwardedHTTPS(c *fiber.Ctx, trusted []netip.Prefix) bool {
	first, _, _ := strings.Cut(string(c.Request().Header.Peek(fiber.HeaderXForwardedProto)), ",")
	return strings.EqualFold(strings.TrimSpace(first), "https") && contains(trusted, peer(c))
}

const (
	digits        = "0123456789"
	hostCharacter = digits + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._"
)

// hostOf returns the host of a Host header without its port, as it stands in a URL. ok is false for
// a text that is no host name or address: it would be copied into a header.
func hostOf(header string) (host string, ok bool) {
	host = header
	if h, port, err := net.SplitHostPort(header); err == nil {
		if port == "" || strings.Trim(port, digits) != "" {
			return "", false
		}
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if address, err := netip.ParseAddr(host); err == nil && address.Zone() == "" {
		if address.Is6() {
			host = "[" + host + "]"
		}
		return host, true
	}
	return host, host != "" && strings.Trim(host, hostCharacter) == ""
}
