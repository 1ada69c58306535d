// Package accounts owns /accounts on the operations listener: the operations of a key store, as JSON over HTTP, for the
// program that signs users in. It refuses to know filings, quotas and tiers' rights: package access does.
//
// # Design
//
// Errors come in the API's envelope, which the service writes, with a table of their own (errors.go): what calls here is
// a program, so it gets 409, 415 and 503, which the API does not have. Bodies are read strictly (body.go): one object,
// known names, each once. An account is sent as `filings keys show --json` prints it.
//
// Creating and rotating are not idempotent, because that would take keeping a key: a client that got no response rotates.
// Setting a tier and revoking can be repeated.
package accounts

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
)

// root is where all paths begin.
const root = "/accounts"

// API is /accounts. All fields are needed.
type API struct {
	Store   access.Store
	Token   string        // that callers show, of the form TokenForm; "": there is no /accounts
	Timeout time.Duration // of one request
	Now     func() time.Time
	Log     *slog.Logger
	// AppendError appends an error as the API's envelope has it.
	AppendError func(dst []byte, requestID, code, message string) []byte
}

// Route adds the paths to app, if there is a token.
func (a *API) Route(app *fiber.App) {
	if a.Token == "" {
		return
	}
	app.Use(root, a.observe, bearer(a.Token))
	app.Get(root, a.list)
	app.Post(root, a.create)
	app.Get(root+"/:user", a.show)
	app.Put(root+"/:user/tier", a.setTier)
	app.Post(root+"/:user/key", a.rotate)
	app.Delete(root+"/:user/key", a.revoke)
}

// list sends all accounts by user: there is no paging, as `keys list` has none.
func (a *API) list(c *fiber.Ctx) error {
	all, err := a.Store.List(c.UserContext())
	if all == nil {
		all = []access.Account{}
	}
	return send(c, http.StatusOK, all, err)
}

func (a *API) show(c *fiber.Ctx) error {
	user, err := userOf(c)
	if err != nil {
		return err
	}
	account, err := a.Store.Show(c.UserContext(), user)
	return send(c, http.StatusOK, account, err)
}

// create makes an account's key. A client that got no response finds the key to be there (409), and rotates it.
func (a *API) create(c *fiber.Ctx) error {
	body, err := members(c, "user", "tier", "name")
	if err != nil {
		return err
	}
	user := body["user"]
	c.Locals(accountUser{}, user)
	key, err := a.Store.Create(c.UserContext(), user, access.Tier(body["tier"]), body["name"])
	if err == nil {
		c.Set(fiber.HeaderLocation, root+"/"+url.PathEscape(user))
	}
	return sendKey(c, key, err)
}

func (a *API) rotate(c *fiber.Ctx) error {
	user, err := userAlone(c)
	if err != nil {
		return err
	}
	key, err := a.Store.Rotate(c.UserContext(), user)
	return sendKey(c, key, err)
}

// revoke ends an account's key. An account without an active one is as it should be: revoking twice does no harm.
func (a *API) revoke(c *fiber.Ctx) error {
	user, err := userAlone(c)
	if err != nil {
		return err
	}
	if err = a.Store.Revoke(c.UserContext(), user); errors.Is(err, access.ErrRevoked) {
		err = nil
	}
	return sendNothing(c, err)
}

func (a *API) setTier(c *fiber.Ctx) error {
	user, err := userOf(c)
	if err != nil {
		return err
	}
	body, err := members(c, "tier")
	if err != nil {
		return err
	}
	return sendNothing(c, a.Store.SetTier(c.UserContext(), user, access.Tier(body["tier"])))
}

// send sends v as `filings keys` prints it, unless err says that there is no v.
func send(c *fiber.Ctx, status int, v any, err error) error {
	if err != nil {
		return err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.Status(status).Set(fiber.HeaderContentType, edge.JSON)
	c.Response().SetBody(append(body, '\n'))
	return nil
}

// sendKey sends a new key, the only time that it is shown.
func sendKey(c *fiber.Ctx, key string, err error) error {
	return send(c, http.StatusCreated, map[string]string{"key": key}, err)
}

// sendNothing ends a change, which has no body to send.
func sendNothing(c *fiber.Ctx, err error) error {
	if err == nil {
		c.Status(http.StatusNoContent)
	}
	return err
}
