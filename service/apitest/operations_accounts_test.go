package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/index/serving"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

const operationsToken = "0123456789abcdef0123456789abcdef-test"

// office is a service whose accounts are managed over HTTP.
type office struct {
	*site
	operations *fiber.App
}

func newOffice(t *testing.T, options ...func(*service.Config)) *office {
	t.Helper()
	options = append(options, func(c *service.Config) { c.OperationsToken = operationsToken })
	s := newSite(t, oracle(nil), options...)
	return &office{s, s.Service.Operations()}
}

// request sends a request with the token and, if there is one, a JSON body. More headers follow; they replace these.
func (o *office) request(t *testing.T, method, target, body string, headers ...string) response {
	t.Helper()
	req := httptest.NewRequest(method, "/", strings.NewReader(body))
	req.RequestURI = target
	req.Header.Set("Authorization", "Bearer "+operationsToken)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := o.operations.Test(req, -1)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, string(text)}
}

// key returns the key of a response that must have made one.
func (a response) key(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`^\{"key":"(ak_live_[0-9a-f]{32})"\}\n$`).FindStringSubmatch(a.body)
	if a.status != http.StatusCreated || m == nil || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %q %v, want 201, a key, no-store", a.status, a.body, a.header)
	}
	return m[1]
}

// TestAccounts walks through an account's life on both stores, and looks at each step with the API's eyes.
func TestAccounts(t *testing.T) {
	t.Parallel()
	embedded := func(t *testing.T) access.Store {
		store, err := access.OpenEmbedded(filepath.Join(t.TempDir(), "access.db"), servicetest.Limits(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
	for name, open := range map[string]func(*testing.T) access.Store{
		"embedded": embedded,
		"redis":    func(t *testing.T) access.Store { return openRedis(t, servicetest.Limits()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, func(c *service.Config) { c.Access = open(t) })
			accountsLife(t, o)
		})
	}
}

func accountsLife(t *testing.T, o *office) {
	const path = "/accounts/auth0%7C7%2Feurope%20ä"
	expect := func(key string, status int, tier string) {
		t.Helper()
		a := send(t, o.App, http.MethodGet, "/v1/me", "X-API-Key", key)
		if a.status != status || !strings.Contains(a.body, tier) {
			t.Errorf("/v1/me: %d %s, want %d and %s", a.status, a.body, status, tier)
		}
	}
	want := func(a response, status int, text string) {
		t.Helper()
		if a.status != status || !strings.Contains(a.body, text) {
			t.Errorf("%d %s, want %d and %s", a.status, a.body, status, text)
		}
	}
	want(o.request(t, "GET", "/accounts", ""), 200, "[]\n")
	want(o.request(t, "GET", path, ""), 404, `"not_found"`)
	create := `{"user":"auth0|7/europe ä","tier":"pro","name":"laptop"}`
	created := o.request(t, "POST", "/accounts", create)
	first := created.key(t)
	if got := created.header.Get("Location"); got != "/accounts/auth0%7C7%2Feurope%20%C3%A4" {
		t.Errorf("Location %s", got)
	}
	expect(first, 200, `"pro"`)
	want(o.request(t, "POST", "/accounts", create), 409, `"active_key"`)

	var account access.Account
	shown := o.request(t, "GET", created.header.Get("Location"), "")
	if err := json.Unmarshal([]byte(shown.body), &account); err != nil || shown.status != 200 {
		t.Fatalf("%d %s: %v", shown.status, shown.body, err)
	}
	if account.User != "auth0|7/europe ä" || account.Prefix != first[:8] || account.Name != "laptop" || account.Used != 1 || account.State != "active" {
		t.Errorf("%+v", account)
	}
	want(o.request(t, "GET", "/accounts", ""), 200, "["+strings.TrimSuffix(shown.body, "\n")+"]\n")

	want(o.request(t, "PUT", path+"/tier", `{"tier":"enterprise"}`), 204, "")
	want(o.request(t, "PUT", path+"/tier", `{"tier":"enterprise"}`), 204, "")
	expect(first, 200, `"enterprise"`)
	second := o.request(t, "POST", path+"/key", "").key(t)
	expect(first, 401, "")
	expect(second, 200, "")
	newer := o.request(t, "POST", path+"/key", `{"overlap":"24h"}`).key(t)
	expect(second, 200, "") // a GET before a first use of the older key would say null
	expect(newer, 200, "")
	want(o.request(t, "GET", path, ""), 200, `"older":[{"prefix":"ak_live_","createdAt":"`)
	want(o.request(t, "DELETE", path+"/key", ""), 204, "")
	want(o.request(t, "DELETE", path+"/key", ""), 204, "")
	expect(second, 401, "")
	expect(newer, 401, "")
	want(o.request(t, "POST", path+"/key", ""), 409, `"no_active_key"`)
	third := o.request(t, "POST", "/accounts", create, "Content-Type", "application/json; charset=utf-8").key(t)
	want(o.request(t, "GET", path, ""), 200, `"used":5`)

	for _, secret := range []string{first, second, third, operationsToken} {
		if strings.Contains(o.Log.String(), secret) {
			t.Errorf("the log shows %s:\n%s", secret, o.Log)
		}
	}
	change := `"msg":"account","id":"req_[0-9a-f]{32}","method":"PUT","route":"/accounts/:user/tier","status":204,"ms":0,"user":"auth0\|7/europe ä"}`
	if got := regexp.MustCompile(change).FindAllString(o.Log.String(), -1); len(got) != 2 {
		t.Errorf("%d records of two changes of tier in\n%s", len(got), o.Log)
	}
}

// TestAccounts_Refused has every response that is no success, and that nothing was changed by them.
func TestAccounts_Refused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	good := `{"user":"new","tier":"pro"}`
	for _, tt := range []struct {
		method, path, body string
		headers            []string
		status             int
		want               string
	}{
		{"POST", "/accounts", good, []string{"Authorization", ""}, 401, "invalid_token"},
		{"POST", "/accounts", good, []string{"Authorization", "Bearer " + operationsToken[1:]}, 401, "invalid_token"},
		{"POST", "/accounts", good, []string{"Authorization", "Basic " + operationsToken}, 401, "invalid_token"},
		{"GET", "/accounts/nobody/secrets", "", []string{"Authorization", "Bearer x"}, 401, "invalid_token"},
		{"GET", "/accounts/nobody/secrets", "", nil, 404, "there is no such path"},
		{"GET", "/accounts/", "", nil, 404, "there is no such path"},
		{"GET", "/accounts/nobody", "", nil, 404, "there is no such account"},
		{"POST", "/accounts/nobody/key", "", nil, 404, "there is no such account"},
		{"DELETE", "/accounts/nobody/key", "", nil, 404, "there is no such account"},
		{"PUT", "/accounts/nobody/tier", `{"tier":"pro"}`, nil, 404, "there is no such account"},
		{"DELETE", "/accounts/user-pro", "", nil, 405, "Allow header"},
		{"PUT", "/accounts/user-pro/tier", `{"tier":"gold"}`, nil, 400, `tier must be one of`},
		{"PUT", "/accounts/user-pro/tier", ``, nil, 400, "tier must be one of"},
		{"POST", "/accounts", ``, nil, 400, "user must not be empty"},
		{"POST", "/accounts/user-pro/key", `{"overlap":"1d"}`, nil, 400, "overlap must be from 1m to 720h, as in 24h"},
		{"POST", "/accounts/user-pro/key", `{"overlap":""}`, nil, 400, "overlap must be from 1m to 720h"},
		{"POST", "/accounts/user-pro/key", `{"overlap":"0"}`, nil, 400, "overlap must be from 1m to 720h"},
		{"POST", "/accounts/user-pro/key", `{"overlap":"30s"}`, nil, 400, "overlap must be from 1m to 720h"},
		{"POST", "/accounts/user-pro/key", `{"overlap":"-24h"}`, nil, 400, "overlap must be from 1m to 720h"},
		{"POST", "/accounts/user-pro/key", `{"overlap":24}`, nil, 400, "overlap must be a text"},
		{"POST", "/accounts/user-pro/key", `{"overlap":"24h"}`, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"PUT", "/accounts/user-pro/tier", `{"user":"new","tier":"pro"}`, nil, 400, `\"user\" is not known here: tier may be given`},
		{"POST", "/accounts/user-pro/key", `{"tier":"pro"}`, nil, 400, `\"tier\" is not known here: overlap may be given`},
		{"POST", "/accounts/%ff/key", "", nil, 400, "user must be percent-encoded UTF-8"},
		{"POST", "/accounts/%zz/key", "", nil, 400, "user must be percent-encoded UTF-8"},
		{"POST", "/accounts", `{"tier":"pro"}`, nil, 400, "user must not be empty"},
		{"POST", "/accounts", `{"user":"new"}`, nil, 400, "tier must be one of"},
		{"POST", "/accounts", `{"user":"new","Tier":"pro"}`, nil, 400, `\"Tier\" is not known here`},
		{"POST", "/accounts", `{"user":"new","user":"other","tier":"pro"}`, nil, 400, "user must be given once"},
		{"POST", "/accounts", `{"user":7,"tier":"pro"}`, nil, 400, "user must be a text"},
		{"POST", "/accounts", `{"user":{"id":7},"tier":"pro"}`, nil, 400, "user must be a text"},
		{"POST", "/accounts", `{"user":"new","tier":"pro","name":null}`, nil, 400, "name must be a text"},
		{"POST", "/accounts", `{"user":"\ud800","tier":"pro"}`, nil, 400, "user must be whole characters"},
		{"POST", "/accounts", `{"user":"\ud800\ud800","tier":"pro"}`, nil, 400, "user must be whole characters"},
		{"POST", "/accounts", `{"user":"new","\u0075ser":"other","tier":"pro"}`, nil, 400, "user must be given once"},
		{"POST", "/accounts", `null`, nil, 400, "body must be one JSON object"},
		{"POST", "/accounts", `{"user":"new","tier":"pro"`, nil, 400, "body must be one JSON object"},
		{"POST", "/accounts", `{"user":"a\nb","tier":"pro"}`, nil, 400, "user must not hold control characters"},
		{"POST", "/accounts", `{"user":"` + strings.Repeat("u", 201) + `","tier":"pro"}`, nil, 400, "user must be at most 200"},
		{"POST", "/accounts", good + good, nil, 400, "body must be one JSON object"},
		{"POST", "/accounts", `["user"]`, nil, 400, "body must be one JSON object"},
		{"POST", "/accounts", "{\"user\":\"\xff\",\"tier\":\"pro\"}", nil, 400, "body must be one JSON object"},
		{"POST", "/accounts", good, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "Content-Type: application/json"},
		{"POST", "/accounts", good, []string{"Content-Encoding", "gzip"}, 415, "Content-Encoding"},
	} {
		t.Run(fmt.Sprintf("%s %s %.40s", tt.method, tt.path, tt.body), func(t *testing.T) {
			a := o.request(t, tt.method, tt.path, tt.body, tt.headers...)
			if a.status != tt.status || !strings.Contains(a.body, tt.want) || a.document(t).Meta == nil {
				t.Errorf("%d %s, want %d and %s", a.status, a.body, tt.status, tt.want)
			}
			if (a.header.Get("WWW-Authenticate") != "") != (tt.status == http.StatusUnauthorized) {
				t.Errorf("WWW-Authenticate %q", a.header.Get("WWW-Authenticate"))
			}
			if (a.header.Get("Allow") != "") != (tt.status == http.StatusMethodNotAllowed) {
				t.Errorf("Allow %q", a.header.Get("Allow"))
			}
		})
	}
	if a := o.request(t, "GET", "/accounts", ""); strings.Count(a.body, `"user"`) != len(access.Tiers) {
		t.Errorf("something was changed: %s", a.body)
	}
	if a := o.get(t, access.Pro, "/v1/me"); a.status != http.StatusOK || !strings.Contains(a.body, `"pro"`) {
		t.Errorf("something was changed: %s", a.body)
	}
}

// TestAccounts_NotRead has what the HTTP server refuses before the token is looked at: it is in the envelope too, which
// nobody keeps, even where so little was read that the path is not known.
func TestAccounts_NotRead(t *testing.T) {
	t.Parallel()
	const post = "POST /accounts HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
	for name, tt := range map[string]struct {
		request, want string
		plain         bool // for those who look at health and metrics
	}{
		"large body":            {post + "Content-Length: 9000\r\n\r\n", "413 at most 8 KiB", false},
		"large body in chunks":  {post + "Transfer-Encoding: chunked\r\n\r\n2328\r\n" + strings.Repeat("a", 9000) + "\r\n0\r\n\r\n", "400 Transfer-Encoding", false},
		"long header":           {post + "Authorization: Bearer " + strings.Repeat("a", 20_000) + "\r\n\r\n", "431 shorter than 16 KiB", false},
		"long path":             {"GET /accounts/" + strings.Repeat("a", 20_000) + " HTTP/1.1\r\nHost: h\r\n\r\n", "431 shorter than 16 KiB", false},
		"slow line":             {"POST /acc", "408 too long to arrive", false},
		"slow head":             {post, "408 too long to arrive", false},
		"slow body":             {post + "Content-Length: 20\r\n\r\n{", "408 too long to arrive", false},
		"no HTTP":               {"nonsense\r\n\r\n", "400 not well-formed HTTP", false},
		"broken chunk":          {post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400 Transfer-Encoding", false},
		"unknown method":        {"BREW /accounts HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + operationsToken + "\r\n\r\n", "405 Allow header", false},
		"no token, no method":   {"BREW /accounts HTTP/1.1\r\nHost: h\r\n\r\n", "401 operations token", false},
		"not about an account":  {"POST /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 9000\r\n\r\n", "413 Request Entity Too Large", true},
		"no path of operations": {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "404 Not Found", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.operations.Server().ReadTimeout = 50 * time.Millisecond
			a := talk(t, o.operations, tt.request)
			status, text, _ := strings.Cut(tt.want, " ")
			if fmt.Sprint(a.status) != status || !strings.Contains(a.body, text) {
				t.Fatalf("%d %s, want %s", a.status, a.body, tt.want)
			}
			if tt.plain {
				return
			}
			if d := a.document(t); d.Error == nil || d.Meta == nil || d.Meta.RequestID != a.header.Get("X-Request-ID") {
				t.Errorf("body %s", a.body)
			}
			if a.header.Get("Cache-Control") != "no-store" || a.header.Get("Content-Type") != "application/json" {
				t.Errorf("head %v", a.header)
			}
		})
	}
}

func TestAccounts_NoStore(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_ = o.Store.Close()
	for _, path := range []string{"/accounts", "/accounts/user-pro"} {
		if a := o.request(t, "GET", path, ""); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "service_unavailable") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// Without a token nothing of it is there, and a token that could be guessed is none.
func TestAccounts_NoToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, authorization := range []string{"", "Bearer", "Bearer " + operationsToken} {
		if a := send(t, s.Service.Operations(), http.MethodGet, "/accounts", "Authorization", authorization); a.status != http.StatusNotFound {
			t.Errorf("%q: %d", authorization, a.status)
		}
	}
	if a := send(t, s.App, http.MethodGet, "/accounts", "Authorization", "Bearer "+operationsToken); a.status != http.StatusUnauthorized {
		t.Errorf("on the API: %d", a.status)
	}
	for _, token := range []string{"short", strings.Repeat("x", 31), strings.Repeat("x ", 20)} {
		c := service.Config{Engine: &serving.Engine{}, Access: s.Store, RequestTimeout: 1, OperationsToken: token}
		if _, err := service.New(c); err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("token %q: %v", token, err)
		}
	}
}

// A panic in a store is a response like any other failure, and the listener lives on.
func TestAccounts_Panic(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(c *service.Config) { c.Access = broken{c.Access} })
	if a := o.request(t, "GET", "/accounts", ""); a.status != http.StatusInternalServerError || strings.Contains(a.body, "spoilt") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := o.request(t, "GET", "/accounts/user-pro", ""); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
}

type broken struct{ access.Store }

func (broken) List(context.Context) ([]access.Account, error) { panic("spoilt") }
