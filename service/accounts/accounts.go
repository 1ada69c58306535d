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
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
	"filings/service/edge"
)

// Route adds the paths to app, if there is a token.
func (a *API) Route(app *fiber.App) {
	if a.Token == "" {
		return
	}
	app.Use(root, a.observe, bearer(a.Token))
	app.Get(root, handle(a.list))
	app.Post(root, handle(a.create, "user", "tier", "name"))
	app.Get(root+"/:user", handle(a.show))
	app.Put(root+"/:user/tier", handle(a.setTier, "tier"))
	app.Post(root+"/:user/key", handle(a.rotate))
	app.Delete(root+"/:user/key", handle(a.revoke))
}

// Show adds a path to app that shows an operator with the token what read returns, if there is a token.
func (a *API) Show(app *fiber.App, path string, read func(context.Context) (any, error)) {
	if a.Token == "" {
		return
	}
	a.shown = append(a.shown, path)
	app.Use(path, a.observe, bearer(a.Token))
	app.Get(path, handle(func(c *fiber.Ctx, _ string, _ map[string]string) (int, any, error) {
		v, err := read(c.UserContext())
		return http.StatusOK, v, err
	}))
}

// operation is one of the paths. It gets the user of the path and the members of the body, and returns the status and
// the value of its response; without a value there is no body.
type operation func(c *fiber.Ctx, user string, body map[string]string) (status int, v any, err error)

// handle reads what do gets, and sends what it returns as `filings keys` prints it. A change may have a body with the
// members named, and with no others.
func handle(do operation, members ...string) fiber.Handler {
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

// list returns all accounts by user: there is no paging, as `keys list` has none.
func (a *API) list(c *fiber.Ctx, _ string, _ map[string]string) (int, any, error) {
	all, err := a.Store.List(c.UserContext())
	if all == nil {
		all = []access.Account{}
	}
	return http.StatusOK, all, err
}

func (a *API) show(c *fiber.Ctx, user string, _ map[string]string) (int, any, error) {
	account, err := a.Store.Show(c.UserContext(), user)
	return http.StatusOK, account, err
}

// newKey is a response with a new key, the only time that it is shown.
type newKey struct {
	Key string `json:"key"`
}

// create makes an account's key. A client that got no response finds the key to be there (409), and rotates it.
func (a *API) create(c *fiber.Ctx, _ string, body map[string]string) (int, any, error) {
	user := body["user"]
	c.Locals(accountUser{}, user)
	key, err := a.Store.Create(c.UserContext(), user, access.Tier(body["tier"]), body["name"])
	if err == nil {
		c.Set(fiber.HeaderLocation, root+"/"+url.PathEscape(user))
	}
	return http.StatusCreated, newKey{key}, err
}

func (a *API) rotate(c *fiber.Ctx, user string, _ map[string]string) (int, any, error) {
	key, err := a.Store.Rotate(c.UserContext(), user)
	return http.StatusCreated, newKey{key}, err
}

// revoke ends an account's key. An account without an active one is as it should be: revoking twice does no harm.
func (a *API) revoke(c *fiber.Ctx, user string, _ map[string]string) (int, any, error) {
	err := a.Store.Revoke(c.UserContext(), user)
	if errors.Is(err, access.ErrRevoked) {
		err = nil
	}
	return http.StatusNoContent, nil, err
}

func (a *API) setTier(c *fiber.Ctx, user string, body map[string]string) (int, any, error) {
	return http.StatusNoContent, nil, a.Store.SetTier(c.UserContext(), user, access.Tier(body["tier"]))
}
