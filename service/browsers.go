package service

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"filings/index/serving"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/params"
	"filings/service/tokens"
)

// keyOrToken returns the key of a request, or its token, which may also be in the query: then
// browsers send no preflight.
func keyOrToken(c *fiber.Ctx) (string, error) {
	if query := c.Request().URI().QueryString(); !bytes.Contains(query, []byte("token")) &&
		!bytes.Contains(query, []byte("%")) {
		return keyOf(c)
	}
	sent := c.Context().QueryArgs().PeekMulti("token")
	for i := range sent {
		sent[i] = bytes.TrimSpace(sent[i]) // as other values (rule P4)
	}
	switch {
	case len(sent) == 0, len(sent) == 1 && len(sent[0]) == 0: // an empty one is not given
		return keyOf(c)
	case len(sent) > 1:
		return "", handlers.Refuse(errUnknownKey, "token must be given only once")
	case len(c.Request().Header.Peek(headerKey)) > 0, bears(c):
		return "", handlers.Refuse(errUnknownKey, "token and X-API-Key or Authorization must not be given together")
	case !bytes.HasPrefix(sent[0], []byte(tokens.Start)):
		if _, err := keyOf(c); err != errNoKey { // it is a key
			return "", err
		}
		return "", handlers.Refuse(errNoKey, "token must be a token, which begins with "+tokens.Start)
	default:
		return string(sent[0]), nil
	}
}

// linkCaching is that of all responses to a link: a store of addresses keeps nothing of them, and
// they end with the link.
const linkCaching = "private, no-store"

// linked reports whether k's token is a link's.
func (k *call) linked() bool { return k.token != nil && k.token.Link() }

// forToken reports whether k's token is for e.
func (k *call) forToken(e *endpoint) bool {
	return (e.Token || e.Link && k.token.Link()) && slices.Contains(k.token.Endpoints, e.Name)
}

// readToken verifies a token, and that the page which uses it is one that it is for. Its key, and
// whom it admits, is the key store's.
func (s *Service) readToken(k *call, token string) error {
	c := k.http
	c.Vary(fiber.HeaderOrigin)
	v := s.verified(token)
	if v == nil {
		if origin := c.Get(fiber.HeaderOrigin); origin != "" { // the page that reads it learns to get another token
			s.cors.Allow(c, origin)
		}
		return handlers.Refuse(errUnknownKey, "the token is not one of this service: its signature is wrong")
	}
	if v.Burst < 1 || v.Burst > params.MaxVisitorBurst { // signed, but not made by this program
		return handlers.Refuse(errUnknownKey,
			fmt.Sprintf("the token is not one of this service: its burst must be 1 to %d", params.MaxVisitorBurst))
	}
	k.label = v.Label
	origin := originOf(c)
	if v.Link() {
		origin = "*"
		c.Set(fiber.HeaderCacheControl, linkCaching)
	} else if !slices.Contains(v.Origins, origin) {
		return handlers.Refuse(errUnknownKey,
			"the token is for pages of other origins, and Origin, or else Referer, must name one of them")
	}
	s.cors.Allow(c, origin)
	if v.Expired(s.now()) {
		return handlers.Refuse(errUnknownKey, "the token has expired: get another one")
	}
	k.token, k.bearer = v, token
	return nil
}

// verified is a token whose signature is right, and its scope for the tiers that it was last read
// for. Pages send one for many requests: as many as verifiedTokens has places for are kept, by a
// hash of their texts that nobody outside can work out.
type verified struct {
	tokens.Payload
	text  string
	scope atomic.Pointer[tieredScope]
}

type tieredScope struct {
	tiers params.Tiers
	*params.Scope
}

type verifiedTokens struct {
	seed maphash.Seed
	kept [1024]atomic.Pointer[verified]
}

// verified returns a token, nil where no secret has signed it.
func (s *Service) verified(token string) *verified {
	place := &s.tokens.kept[maphash.String(s.tokens.seed, token)%uint64(len(s.tokens.kept))]
	v := place.Load()
	if v != nil && v.text == token {
		return v
	}
	p, ok := s.config.TokenSecrets.Verify(token)
	if !ok {
		return nil
	}
	v = &verified{Payload: p, text: token}
	place.Store(v)
	return v
}

// scopeOf returns the scope of a token, for an account of these tiers.
func (s *Service) scopeOf(v *verified, tiers params.Tiers) (*params.Scope, error) {
	if known := v.scope.Load(); known != nil && known.tiers == tiers {
		return known.Scope, nil
	}
	scope, err := s.params.Scope(v.Filter, v.Fields, tiers, s.now())
	if err == nil {
		if v.Checked { // values that no filing has any more since, need not be hidden
			scope.Excluded = nil
		}
		v.scope.Store(&tieredScope{tiers, scope})
	}
	return scope, err
}

// matched fails where no filing that r reads has a value that q requires (rule X63). Visitors learn
// of none that is hidden from them.
func matched(k *call, r *serving.Reader, q params.Request) error {
	unmatched, err := handlers.MatchOne(k.http.UserContext(), r, q.Required, k.token == nil)
	if err != nil || len(unmatched) == 0 {
		return err
	}
	k.compared = true
	first := unmatched[0]
	if k.token != nil && !slices.ContainsFunc(q.Named, first.Belongs) { // it is not the request's own
		return handlers.Refuse(errForbidden, fmt.Sprintf(
			"the token's filter is not one of this service any more: %s, which no filing has, must not be in %s",
			strconv.Quote(first.Value), first.Parameter))
	}
	return params.Invalid(first.Parameter, "%s", first)
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

// visit returns the credential of the use of a token. An IPv6 client has a whole /64 for itself.
func (s *Service) visit(k *call) access.Credential {
	visitor := s.client(k.http)
	v := access.Credential{Hash: k.token.Key, Visitor: visitor.String(), Burst: k.token.Burst}
	if network, err := visitor.Prefix(64); visitor.Is6() && err == nil {
		v.Visitor = network.String()
	}
	return v
}
