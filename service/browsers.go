package service

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/tokens"
)

// keyOrToken returns the key of a request, or its token, which may also be in the query: then browsers send no preflight.
func keyOrToken(c *fiber.Ctx) (string, error) {
	if !bytes.Contains(c.Request().URI().QueryString(), []byte("token")) {
		return keyOf(c)
	}
	switch sent := c.Context().QueryArgs().PeekMulti("token"); {
	case len(sent) == 0:
		return keyOf(c)
	case len(sent) > 1:
		return "", handlers.Refuse(errUnknownKey, "token must be given only once")
	case len(c.Request().Header.Peek(headerKey)) > 0:
		return "", handlers.Refuse(errUnknownKey, "token and X-API-Key must not be given together")
	case !bytes.HasPrefix(sent[0], []byte(tokens.Start)):
		if _, err := keyOf(c); err != errNoKey { // it is a key
			return "", err
		}
		return "", handlers.Refuse(errNoKey, "token must be a token, which begins with "+tokens.Start)
	default:
		return string(sent[0]), nil
	}
}

// readToken verifies a token, and that the page which uses it is one that it is for. Its key, and whom it admits, is the key store's.
func (s *Service) readToken(k *call, token string) error {
	c := k.http
	c.Vary(fiber.HeaderOrigin)
	p, ok := s.config.TokenSecrets.Verify(token)
	if !ok {
		return handlers.Refuse(errUnknownKey, "the token is not one of this service: its signature is wrong")
	}
	origin := originOf(c)
	if !slices.Contains(p.Origins, origin) {
		return handlers.Refuse(errUnknownKey, "the token is for pages of other origins, and Origin, or else Referer, must name one of them")
	}
	s.cors.Allow(c, origin)
	if p.Expired(s.now()) {
		return handlers.Refuse(errUnknownKey, "the token has expired: get another one")
	}
	k.token, k.bearer = &p, token
	return nil
}

// originOf returns the origin of the page that sent a request, "" where it is not known.
func originOf(c *fiber.Ctx) string {
	if origin := c.Get(fiber.HeaderOrigin); origin != "" {
		return origin
	}
	page, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || page.Host == "" {
		return ""
	}
	return strings.ToLower(page.Scheme + "://" + page.Host)
}

// visit returns what the key store has to know of the use of a token. An IPv6 client has a whole /64 for itself.
func (s *Service) visit(k *call) access.Visit {
	visitor := edge.Client(k.http, s.config.TrustedProxies)
	v := access.Visit{Hash: k.token.Key, Visitor: visitor.String(), Burst: k.token.Burst}
	if network, err := visitor.Prefix(64); visitor.Is6() && err == nil {
		v.Visitor = network.String()
	}
	return v
}
