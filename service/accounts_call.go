package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
)

// Kinds of refusals of /accounts only.
var (
	errToken       = errors.New("no token, or a wrong one")
	errContentType = errors.New("body is not JSON")
)

// kindsOfAccountErrors is the table of errors of /accounts. Its clients are programs of our own, behind a proxy or two:
// these understand a 503.
var kindsOfAccountErrors = []errorMapping{
	{errInvalid, http.StatusBadRequest, "invalid_parameter", "", false},
	{errToken, http.StatusUnauthorized, "invalid_token", "the operations token is needed: send it as Authorization: Bearer", false},
	{access.ErrNoAccount, http.StatusNotFound, "not_found", "there is no such account", false},
	{errNoPath, http.StatusNotFound, "not_found", "there is no such path", false},
	{errMethod, http.StatusMethodNotAllowed, "method_not_allowed", "the methods of this path are in the Allow header", false},
	{access.ErrHasKey, http.StatusConflict, "active_key", "the account has an active key: rotate or revoke it", false},
	{access.ErrRevoked, http.StatusConflict, "no_active_key", "the account's key is revoked: create one", false},
	{errBodyTooLarge, http.StatusRequestEntityTooLarge, "invalid_parameter", "the body must be at most 8 KiB", false},
	{errContentType, http.StatusUnsupportedMediaType, "invalid_parameter", "the body must be sent as Content-Type: application/json, without a Content-Encoding", false},
	{errSlow, http.StatusRequestTimeout, "invalid_parameter", "the request took too long to arrive", false},
	{errHeadTooLarge, http.StatusRequestHeaderFieldsTooLarge, "invalid_parameter", "request line and headers must be shorter than 16 KiB together", false},
	{errMalformed, http.StatusBadRequest, "invalid_parameter", "the request is not well-formed HTTP", false},
	{access.ErrUnavailable, http.StatusServiceUnavailable, "service_unavailable", unavailable, false},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, "service_unavailable", unavailable, false},
	{nil, http.StatusInternalServerError, "internal_error", internal, false},
}

// accountUser is where a request keeps the account that it is about, for the log.
type accountUser struct{}

// observe begins and ends a request to /accounts, as Service.observe does one to the API: one record of the log, with
// neither key nor token in it.
func (a *accounts) observe(c *fiber.Ctx) error {
	k := newCall(c, a.service.now())
	ctx, cancel := context.WithTimeout(context.Background(), a.service.config.RequestTimeout)
	defer cancel()
	c.SetUserContext(ctx)
	err := a.service.guarded(c)
	k.route = c.Route().Path
	a.end(k, err)
	return nil
}

// end answers err, if there is one, and logs.
func (a *accounts) end(k *call, err error) {
	c := k.http
	c.Set(headerRequestID, k.id)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "no-store")
	level, code := slog.LevelInfo, []slog.Attr(nil)
	if err = ofFiber(err); err != nil {
		var given access.InvalidError
		if errors.As(err, &given) {
			err = refuse(errInvalid, given.Error())
		}
		kind, message := mapErrorBy(kindsOfAccountErrors, err)
		c.Response().ResetBody()
		c.Status(kind.status).Set(fiber.HeaderContentType, contentType)
		c.Response().SetBody(k.appendError(nil, kind, message))
		code = append(code, slog.String("code", kind.code))
		switch {
		case kind.status >= http.StatusInternalServerError:
			level, code = slog.LevelError, append(code, slog.String("error", err.Error()))
		case errors.Is(err, errToken):
			level = slog.LevelWarn
		}
	}
	user, _ := c.Locals(accountUser{}).(string)
	a.service.log.LogAttrs(context.Background(), level, "account", append([]slog.Attr{
		slog.String("id", k.id),
		slog.String("method", c.Method()),
		slog.String("route", k.route),
		slog.Int("status", c.Response().StatusCode()),
		slog.Float64("ms", float64(a.service.now().Sub(k.began).Microseconds())/1000),
		slog.String("user", user),
	}, code...)...)
}

// refusedOperation answers what the HTTP server of the operations listener refuses before any route sees it.
func (s *Service) refusedOperation(c *fiber.Ctx, err error) error {
	if s.config.OperationsToken == "" || !strings.HasPrefix(c.Path(), accountsPath) {
		return plainError(c, err)
	}
	(&accounts{s, s.config.Access}).end(newCall(c, s.now()), err)
	return nil
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]{32,512}=*$`)

// TokenForm says what ValidToken takes.
const TokenForm = "at least 32 letters, digits and -._~+/ (openssl rand -hex 32)"

// ValidToken reports whether text can be an operations token: what a header carries as it is (RFC 6750), and nobody can
// try out.
func ValidToken(text string) bool { return tokenForm.MatchString(text) }

// bearer lets pass who shows the token. Digests are compared: they have one length, and the time that it takes tells
// nothing.
func bearer(token string) fiber.Handler {
	want := sha256.Sum256([]byte(token))
	return func(c *fiber.Ctx) error {
		shown := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
		if len(shown) == 1 {
			scheme, rest, _ := strings.Cut(string(shown[0]), " ")
			got := sha256.Sum256([]byte(strings.TrimSpace(rest)))
			if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
				return c.Next()
			}
		}
		c.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="filings accounts"`)
		return errToken
	}
}
