package service

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
)

// accounts is what the operations listener serves to whoever shows the token: the operations of a key store, as JSON,
// for the program that signs users in. What comes back of an account is what `filings keys show --json` prints.
type accounts struct {
	service *Service
	store   access.Store
}

// accountsPath is where all of them begin.
const accountsPath = "/accounts"

// routeAccounts adds them to app, if there is a token.
func (s *Service) routeAccounts(app *fiber.App) {
	if s.config.OperationsToken == "" {
		return
	}
	a := &accounts{s, s.config.Access}
	app.Use(accountsPath, a.observe, bearer(s.config.OperationsToken))
	app.Get(accountsPath, a.list)
	app.Post(accountsPath, a.create)
	app.Get(accountsPath+"/:user", a.show)
	app.Put(accountsPath+"/:user/tier", a.setTier)
	app.Post(accountsPath+"/:user/key", a.rotate)
	app.Delete(accountsPath+"/:user/key", a.revoke)
}

// list answers with all accounts by user: there is no paging, as `keys list` has none.
func (a *accounts) list(c *fiber.Ctx) error {
	all, err := a.store.List(c.UserContext())
	if err != nil {
		return err
	}
	if all == nil {
		all = []access.Account{}
	}
	return answerJSON(c, http.StatusOK, all)
}

func (a *accounts) show(c *fiber.Ctx) error {
	user, err := userOf(c)
	if err != nil {
		return err
	}
	account, err := a.store.Show(c.UserContext(), user)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, account)
}

// create makes an account's key. It cannot be asked for twice with one effect: for that the key would have to be kept.
// Who got no answer finds the key to be there (409), and rotates it.
func (a *accounts) create(c *fiber.Ctx) error {
	given, err := givenTexts(c, "user", "tier", "name")
	if err != nil {
		return err
	}
	user := given["user"]
	c.Locals(accountUser{}, user)
	key, err := a.store.Create(c.UserContext(), user, access.Tier(given["tier"]), given["name"])
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderLocation, accountsPath+"/"+url.PathEscape(user))
	return answerKey(c, key)
}

func (a *accounts) rotate(c *fiber.Ctx) error {
	user, err := userAlone(c)
	if err != nil {
		return err
	}
	key, err := a.store.Rotate(c.UserContext(), user)
	if err != nil {
		return err
	}
	return answerKey(c, key)
}

// revoke ends an account's key. An account without an active one is as it is wanted: asking twice does no harm.
func (a *accounts) revoke(c *fiber.Ctx) error {
	user, err := userAlone(c)
	if err != nil {
		return err
	}
	if err = a.store.Revoke(c.UserContext(), user); errors.Is(err, access.ErrRevoked) {
		err = nil
	}
	return changed(c, err)
}

func (a *accounts) setTier(c *fiber.Ctx) error {
	user, err := userOf(c)
	if err != nil {
		return err
	}
	given, err := givenTexts(c, "tier")
	if err != nil {
		return err
	}
	return changed(c, a.store.SetTier(c.UserContext(), user, access.Tier(given["tier"])))
}
