package service

import (
	"bytes"
	"encoding/json"
	"filings/service/params"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
)

// maxAccountBody holds a user and a name of 200 characters each, with every character written as \uXXXX\uXXXX.
const maxAccountBody = 8 << 10

// userOf returns the user that the path names, percent-decoded: a user may have a slash in it.
func userOf(c *fiber.Ctx) (string, error) {
	user, err := url.PathUnescape(c.Params("user"))
	if err != nil || !utf8.ValidString(user) {
		return "", invalid("user", "must be percent-encoded UTF-8")
	}
	c.Locals(accountUser{}, user)
	return user, nil
}

// userAlone is userOf for a request that says nothing else.
func userAlone(c *fiber.Ctx) (string, error) {
	user, err := userOf(c)
	if err == nil {
		_, err = givenTexts(c)
	}
	return user, err
}

// givenTexts reads the body: one JSON object whose values are texts, with some of these names, each once, and no
// others. encoding/json alone would take names in any case, and of repeated ones the last. Where no name is wanted,
// there may be no body at all.
func givenTexts(c *fiber.Ctx, names ...string) (map[string]string, error) {
	body := c.Request().Body() // not c.Body(), which decompresses
	if len(body) == 0 && len(names) == 0 {
		return nil, nil
	}
	h := &c.Request().Header
	kind, _, err := mime.ParseMediaType(string(h.ContentType()))
	if len(body) > 0 && (err != nil || kind != fiber.MIMEApplicationJSON || len(h.Peek(fiber.HeaderContentEncoding)) > 0) {
		return nil, errContentType
	}
	notJSON := invalid("body", "must be one JSON object in UTF-8")
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, notJSON
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil, notJSON
	}
	given := map[string]string{}
	for d.More() {
		member, _ := d.Token() // neither can fail: the whole body is valid JSON
		value, _ := d.Token()
		name, _ := member.(string)
		_, twice := given[name]
		text, isText := value.(string)
		switch {
		case !slices.Contains(names, name):
			return nil, invalid(strconv.Quote(params.Shorten(name)), "is not known here: %s", wantedNames(names))
		case twice:
			return nil, invalid(name, "must be given once")
		case !isText:
			return nil, invalid(name, "must be a text")
		case strings.ContainsRune(text, utf8.RuneError):
			return nil, invalid(name, "must be whole characters") // half a surrogate pair reads as U+FFFD
		}
		given[name] = text
	}
	return given, nil
}

func wantedNames(names []string) string {
	if len(names) == 0 {
		return "nothing is wanted"
	}
	return strings.Join(names, ", ") + " may be given"
}

// answerJSON answers as `filings keys` prints.
func answerJSON(c *fiber.Ctx, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.Status(status).Set(fiber.HeaderContentType, contentType)
	c.Response().SetBody(append(body, '\n'))
	return nil
}

// answerKey answers with a new key, the only time that it is shown.
func answerKey(c *fiber.Ctx, key string) error {
	return answerJSON(c, http.StatusCreated, map[string]string{"key": key})
}

// changed answers a change that has nothing to tell.
func changed(c *fiber.Ctx, err error) error {
	if err == nil {
		c.Status(http.StatusNoContent)
	}
	return err
}
