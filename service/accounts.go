package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/params"
)

// accountsPath is where operators manage accounts: the operations of a key store, as JSON over
// HTTP, for the program that signs users in. An account is as `filings keys show --json` prints it.
//
// Creating and rotating are not idempotent, because that would take keeping a key: a client that
// got no response rotates. Setting a tier and revoking can be repeated.
const accountsPath = "/accounts"

// routeAccounts adds the paths to app.
func (s *Service) routeAccounts(app *fiber.App) {
	s.operate(app, accountsPath)
	app.Get(accountsPath, operation(s.listAccounts))
	app.Post(accountsPath, operation(s.createAccount, "user", "tier", "name"))
	app.Get(accountsPath+"/:user", operation(s.showAccount))
	app.Put(accountsPath+"/:user/tier", operation(s.setTier, "tier"))
	app.Post(accountsPath+"/:user/key", operation(s.rotateKey, "overlap"))
	app.Delete(accountsPath+"/:user/key", operation(s.revokeKey))
}

// operated carries out a request of an operator. It gets the user of the path and the members of
// the body, and returns the status and the value of its response; without a value there is no body.
type operated func(c *fiber.Ctx, user string, body map[string]string) (status int, v any, err error)

// operation reads the arguments of do, and sends its value as `filings keys` prints it. A change
// may have a body with the members named, and with no others.
func operation(do operated, members ...string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		user, err := userOf(c)
		if err != nil {
			return err
		}
		var body map[string]string
		if c.Method() != fiber.MethodGet && c.Method() != fiber.MethodHead {
			if body, err = membersOf(c, members); err != nil {
				return err
			}
		}
		status, v, err := do(c, user, body)
		if err != nil {
			return err
		}
		if c.Status(status); v == nil {
			return nil
		}
		text, err := json.Marshal(v)
		c.Set(fiber.HeaderContentType, edge.JSON)
		c.Response().SetBody(append(text, '\n'))
		return err
	}
}

// listAccounts returns all accounts by user: there is no paging, as `keys list` has none.
func (s *Service) listAccounts(c *fiber.Ctx, _ string, _ map[string]string) (int, any, error) {
	accounts, err := s.config.Access.List(c.UserContext())
	if accounts == nil {
		accounts = []access.Account{}
	}
	return http.StatusOK, accounts, err
}

func (s *Service) showAccount(c *fiber.Ctx, user string, _ map[string]string) (int, any, error) {
	account, err := s.config.Access.Show(c.UserContext(), user)
	return http.StatusOK, account, err
}

// newKey is a response with a new key, the only time that it is shown.
type newKey struct {
	Key string `json:"key"`
}

// createAccount makes an account's key. A client that got no response finds the key to be there
// (409), and rotates it.
func (s *Service) createAccount(c *fiber.Ctx, _ string, body map[string]string) (int, any, error) {
	user := body["user"]
	c.Locals(accountUser{}, user)
	key, err := s.config.Access.Create(c.UserContext(), user, access.Tier(body["tier"]), body["name"])
	if err == nil {
		c.Set(fiber.HeaderLocation, accountsPath+"/"+url.PathEscape(user))
	}
	return http.StatusCreated, newKey{key}, err
}

func (s *Service) rotateKey(c *fiber.Ctx, user string, body map[string]string) (int, any, error) {
	var overlap time.Duration
	if text, ok := body["overlap"]; ok {
		var err error
		if overlap, err = time.ParseDuration(text); err != nil || overlap == 0 {
			return 0, nil, refuseInvalid("overlap must be from 1m to 720h, as in 24h")
		}
	}
	key, err := s.config.Access.Rotate(c.UserContext(), user, overlap)
	return http.StatusCreated, newKey{key}, err
}

// revokeKey ends an account's key. Without an active one all is well: revoking twice does no harm.
func (s *Service) revokeKey(c *fiber.Ctx, user string, _ map[string]string) (int, any, error) {
	err := s.config.Access.Revoke(c.UserContext(), user)
	if errors.Is(err, access.ErrRevoked) {
		err = nil
	}
	return http.StatusNoContent, nil, err
}

func (s *Service) setTier(c *fiber.Ctx, user string, body map[string]string) (int, any, error) {
	return http.StatusNoContent, nil, s.config.Access.SetTier(c.UserContext(), user, access.Tier(body["tier"]))
}

// maxOperationBody is the longest body, in bytes: it holds a user and a name of 200 characters
// each, with every character written as \uXXXX\uXXXX.
const maxOperationBody = 8 << 10

func refuseInvalid(format string, args ...any) error {
	return handlers.Refuse(errInvalid, fmt.Sprintf(format, args...))
}

// userOf returns the user that the path names, percent-decoded: a user may have a slash in it.
func userOf(c *fiber.Ctx) (string, error) {
	user, err := url.PathUnescape(c.Params("user"))
	if err != nil || !utf8.ValidString(user) {
		return "", refuseInvalid("user must be percent-encoded UTF-8")
	}
	c.Locals(accountUser{}, user)
	return user, nil
}

// membersOf reads the body: one JSON object whose values are strings, with some of these names,
// each once, and no others. No body is one without members.
func membersOf(c *fiber.Ctx, names []string) (map[string]string, error) {
	body := c.Request().Body() // not c.Body(), which decompresses
	if len(body) == 0 {
		return nil, nil
	}
	h := &c.Request().Header
	kind, _, err := mime.ParseMediaType(string(h.ContentType()))
	if err != nil || kind != fiber.MIMEApplicationJSON || len(h.Peek(fiber.HeaderContentEncoding)) > 0 {
		return nil, errContentType
	}
	var members map[string]jsontext.Value
	var syntax *jsontext.SyntacticError
	err = jsonv2.Unmarshal(body, &members, jsontext.AllowInvalidUTF8(true)) // which is said of its member
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return nil, refuseInvalid("%s must be given once", params.Shorten(syntax.JSONPointer.LastToken()))
	case err != nil, members == nil, !utf8.Valid(body):
		return nil, refuseInvalid("body must be one JSON object in UTF-8")
	}
	texts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		switch value := members[name]; {
		case !slices.Contains(names, name):
			return nil, refuseInvalid("%s is not known here: %s", strconv.Quote(params.Shorten(name)), known(names))
		case value.Kind() != '"':
			return nil, refuseInvalid("%s must be a text", name)
		case jsonv2.Unmarshal(value, &text) != nil: // half a surrogate pair
			return nil, refuseInvalid("%s must be whole characters", name)
		}
		texts[name] = text
	}
	return texts, nil
}

func known(names []string) string {
	if len(names) == 0 {
		return "nothing is wanted"
	}
	return strings.Join(names, ", ") + " may be given"
}
