package accounts

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
)

// root is where all paths begin.
const root = "/accounts"

// API is /accounts, and what else is shown to who has the token. All fields are needed.
type API struct {
	Store   access.Store
	Token   string        // that callers show, of the form TokenForm; "": there is no /accounts
	Timeout time.Duration // of one request
	Now     func() time.Time
	Log     *slog.Logger
	// AppendError appends an error as the API's envelope has it.
	AppendError func(dst []byte, requestID, code, message string) []byte

	shown []string // paths besides root
}

// accountUser is where a request keeps the account that it is about, for the log.
type accountUser struct{}

// observe begins and ends a request: one record of the log, with neither key nor token in it.
func (a *API) observe(c *fiber.Ctx) error {
	began := a.Now()
	ctx, cancel := context.WithTimeout(context.Background(), a.Timeout)
	defer cancel()
	c.SetUserContext(ctx)
	err := edge.Next(c)
	a.end(c, began, c.Route().Path, err)
	return nil
}

// Refused is the error handler of the listener: it answers what the HTTP server refuses before any route sees it, in the
// envelope if it is about /accounts, or may be: of a request that was not read to its end not even the path is known.
func (a *API) Refused(c *fiber.Ctx, err error) error {
	is := edge.Error(err)
	unread := c.Path() == "/" && is != edge.ErrNoPath && is != edge.ErrMethod
	if a.Token == "" || !unread && !slices.ContainsFunc(append(a.shown, root), func(path string) bool { return strings.HasPrefix(c.Path(), path) }) {
		return edge.PlainError(c, err)
	}
	a.end(c, a.Now(), "none", err)
	return nil
}

// end answers err, if there is one, and logs.
func (a *API) end(c *fiber.Ctx, began time.Time, route string, err error) {
	id, level, code := edge.NewID(), slog.LevelInfo, []slog.Attr(nil)
	c.Set(edge.HeaderRequestID, id)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "no-store")
	if err != nil {
		e := exposed(edge.Error(err))
		c.Response().ResetBody()
		c.Status(e.status).Set(fiber.HeaderContentType, edge.JSON)
		c.Response().SetBody(a.AppendError(nil, id, e.code, e.message))
		code = append(code, slog.String("code", e.code))
		switch {
		case e.status >= http.StatusInternalServerError:
			level, code = slog.LevelError, append(code, slog.String("error", err.Error()))
		case e.is == errToken:
			level = slog.LevelWarn
		}
	}
	user, _ := c.Locals(accountUser{}).(string)
	attributes := append(edge.Attributes(c, id, route), edge.Took(a.Now().Sub(began)), slog.String("user", user))
	a.Log.LogAttrs(context.Background(), level, "account", append(attributes, code...)...)
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]{32,512}=*$`)

// TokenForm says what ValidToken takes.
const TokenForm = "at least 32 letters, digits and -._~+/ (openssl rand -hex 32)"

// ValidToken reports whether text can be a token: what a header carries as it is (RFC 6750), and nobody can guess.
func ValidToken(text string) bool { return tokenForm.MatchString(text) }

// bearer lets pass who shows the token. Digests are compared: they have one length, and the time that it takes reveals
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
