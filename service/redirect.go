package service

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Redirect returns what the plain listener serves: a redirection (308) to the same address on HTTPS, whose port is
// httpsPort. A proxy of Config.TrustedProxies that says X-Forwarded-Proto: https has ended the client's TLS itself: to
// it the API is served. From anybody else that header means nothing.
func (s *Service) Redirect(httpsPort int) *fiber.App {
	app := fiber.New(serverConfig(plainError))
	s.app.Handler() // makes its routes ready, as listening would
	api := s.app.Server().Handler
	app.Use(func(c *fiber.Ctx) error {
		if s.forwardedHTTPS(c) {
			api(c.Context())
			return nil
		}
		host, ok := hostOf(string(c.Request().Host()))
		if !ok {
			return c.SendStatus(fiber.StatusBadRequest)
		}
		if httpsPort != 443 {
			host += ":" + strconv.Itoa(httpsPort)
		}
		target := "https://" + host + headerSafe(string(c.Request().URI().PathOriginal()))
		if query := c.Request().URI().QueryString(); len(query) > 0 {
			target += "?" + headerSafe(string(query))
		}
		c.Set(fiber.HeaderLocation, target)
		return c.SendStatus(fiber.StatusPermanentRedirect)
	})
	app.Server().Handler = knownMethods(app.Server().Handler)
	return app
}

// forwardedHTTPS reports whether a trusted proxy says that its client speaks HTTPS.
func (s *Service) forwardedHTTPS(c *fiber.Ctx) bool {
	protocols := c.Request().Header.PeekAll(fiber.HeaderXForwardedProto)
	if len(protocols) != 1 || !strings.EqualFold(string(protocols[0]), "https") {
		return false
	}
	peer, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	return ok && slices.ContainsFunc(s.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(peer.Unmap()) })
}

// hostOf returns the host of a Host header without its port, as it stands in a URL. ok is false for what is no host
// name or address: it would be copied into a header.
func hostOf(header string) (host string, ok bool) {
	host = header
	if h, port, err := net.SplitHostPort(header); err == nil {
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return "", false
		}
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if address, err := netip.ParseAddr(host); err == nil && address.Zone() == "" {
		if address.Is6() {
			return "[" + host + "]", true
		}
		return host, true
	}
	for _, c := range []byte(host) {
		if tokenOf(string(c)) != string(c) || strings.ContainsRune("!#$&'*+^`|~", rune(c)) {
			return "", false
		}
	}
	return host, host != ""
}
