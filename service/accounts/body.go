package accounts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"filings/service/access"
)

// MaxBody is the longest body, in bytes: it holds a user and a name of 200 characters each, with every character written
// as \uXXXX\uXXXX.
const MaxBody = 8 << 10

func invalid(format string, args ...any) error {
	return access.InvalidError(fmt.Sprintf(format, args...))
}

// userOf returns the user that the path names, percent-decoded: a user may have a slash in it.
func userOf(c *fiber.Ctx) (string, error) {
	user, err := url.PathUnescape(c.Params("user"))
	if err != nil || !utf8.ValidString(user) {
		return "", invalid("user must be percent-encoded UTF-8")
	}
	c.Locals(accountUser{}, user)
	return user, nil
}

// membersOf reads the body: one JSON object whose values are strings, with some of these names, each once, and no others.
// encoding/json alone would take names in any case, and of repeated ones the last. Without names, there may be no body
// at all.
func membersOf(c *fiber.Ctx, names []string) (map[string]string, error) {
	body := c.Request().Body() // not c.Body(), which decompresses
	if len(body) == 0 && len(names) == 0 {
		return nil, nil
	}
	h := &c.Request().Header
	kind, _, err := mime.ParseMediaType(string(h.ContentType()))
	if len(body) > 0 && (err != nil || kind != fiber.MIMEApplicationJSON || len(h.Peek(fiber.HeaderContentEncoding)) > 0) {
		return nil, errContentType
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') || !utf8.Valid(body) || !json.Valid(body) {
		return nil, invalid("body must be one JSON object in UTF-8")
	}
	found := map[string]string{}
	for d.More() {
		member, _ := d.Token() // neither can fail: the whole body is valid JSON
		value, _ := d.Token()
		name, _ := member.(string)
		text, isText := value.(string)
		_, twice := found[name]
		switch {
		case !slices.Contains(names, name):
			return nil, invalid("%s is not known here: %s", quoted(name), known(names))
		case twice:
			return nil, invalid("%s must be given once", name)
		case !isText:
			return nil, invalid("%s must be a text", name)
		case strings.ContainsRune(text, utf8.RuneError):
			return nil, invalid("%s must be whole characters", name) // half a surrogate pair reads as U+FFFD
		}
		found[name] = text
	}
	return found, nil
}

// quoted quotes a name of the client's for a message that stays readable.
func quoted(name string) string {
	const most = 60
	if utf8.RuneCountInString(name) > most {
		name = string([]rune(name)[:most]) + "…"
	}
	return strconv.Quote(name)
}

func known(names []string) string {
	if len(names) == 0 {
		return "nothing is wanted"
	}
	return strings.Join(names, ", ") + " may be given"
}
