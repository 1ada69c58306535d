package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/service/access"
	"filings/service/servicetest"
	"filings/service/tokens"

	"filings/service"
)

// TestX32_Command: `filings tokens create` prints a token that the service takes, and says what is wrong with its arguments.
func TestX32_Command(t *testing.T) {
	t.Parallel()
	secrets := []string{strings.Repeat("s", 32)}
	f := newFixture(t)
	key := strings.TrimSpace(f.must(t, "", "keys", "create", "--user", "u1", "--tier", "enterprise"))
	f.must(t, "", "keys", "create", "--user", "u2", "--tier", "free")
	f.must(t, "", "keys", "create", "--user", "u3", "--tier", "pro")
	f.must(t, "", "keys", "revoke", "--user", "u3")
	create := func(args ...string) (code int, out, errs string) {
		return f.run(t.Context(), "", append([]string{"tokens", "create"}, args...)...)
	}
	const page = "origin=https://maps.example.com"
	if code, _, errs := create("--user", "u1", page); code != exitUsage || !strings.Contains(errs, "FILINGS_TOKEN_SECRETS is not set") {
		t.Errorf("%d %q", code, errs)
	}
	f.settings.TokenSecrets = secrets
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "no command: must be create", nil},
		{exitUsage, `required flag(s) "user" not set`, []string{"create", page}},
		{exitUsage, "origin must be given", []string{"create", "--user", "u1"}},
		{exitUsage, "county must not be empty", []string{"create", "--user", "u1", page, "county="}},
		{exitUsage, "unknown parameter countys; did you mean county?", []string{"create", "--user", "u1", page, "countys=Lee"}},
		{exitUsage, "fields must not have ownerPhonePrimary with a token", []string{"create", "--user", "u1", page, "fields=ownerPhonePrimary"}},
		{exitUsage, `"Lee": must be NAME=VALUE`, []string{"create", "--user", "u1", page, "Lee"}},
		{exitUsage, `"expires_in=60": must be NAME=VALUE, a parameter of GET /v1/tokens, but --expires-in`, []string{"create", "--user", "u1", page, "expires_in=60"}},
		{exitUsage, "--expires-in 8785h0m0s: must be from 1m to 8784h", []string{"create", "--user", "u1", page, "--expires-in", "8785h"}},
		{exitUsage, "--expires-in 8785h0m0s: must be from 1m to 8784h", []string{"create", "--user", "u1", strings.Replace(page, "=", "[]=", 1), "--expires-in", "8785h"}},
		{exitUsage, "--expires-in 9601h0m0s: must be from 1m to 9600h, which is 400 days", []string{"create", "--user", "u1", "endpoints=export", "--expires-in", "9601h"}},
		{exitUsage, "endpoints must not have export with origin", []string{"create", "--user", "u1", page, "endpoints=export"}},
		{exitFailed, "an account of the free tier has no tokens", []string{"create", "--user", "u2", page}},
		{exitFailed, "no active key", []string{"create", "--user", "u3", page}},
		{exitFailed, "no such account", []string{"create", "--user", "u4", page}},
	} {
		if code, out, errs := f.run(t.Context(), "", append([]string{"tokens"}, tt.args...)...); code != tt.code || !strings.Contains(errs, tt.want) || out != "" {
			t.Errorf("%q: %d %q %q, want %d %q", tt.args, code, out, errs, tt.code, tt.want)
		}
	}

	const lacking = `county must be what some filing has, not "Orange, FL"`
	if code, out, errs := create("--user", "u1", page, "county=Orange, FL"); code != exitUsage || !strings.Contains(errs, lacking) || out != "" {
		t.Errorf("without filings: %d %q %q", code, out, errs)
	}
	f.must(t, f.must(t, "", "generate", "--count", "100"), "reindex", "--format", "ndjson", "-")
	const misspelled = `exclude_counties must be what some filing has, not "Orenge, FL"; the nearest are Orange, FL;`
	if code, out, errs := create("--user", "u1", page, "exclude_counties=Orenge, FL"); code != exitUsage || !strings.Contains(errs, misspelled) || out != "" {
		t.Errorf("misspelled: %d %q %q", code, out, errs)
	}
	token := strings.TrimSpace(f.must(t, "", "tokens", "create", "--user", "u1", "--expires-in", "8784h", page, "county=Orange, FL", "endpoints=list,one"))
	p, ok := tokens.Secrets(secrets).Verify(token)
	left := time.Until(time.Unix(p.Expires, 0))
	if !ok || p.Key != access.HashKey(key) || p.Filter != "county=Orange%2C+FL" || p.Burst != 5 || left > maxLife || left < maxLife-time.Minute ||
		!slices.Equal(p.Endpoints, []string{"list", "one"}) {
		t.Errorf("%v %+v", ok, p)
	}
	link := strings.TrimSpace(f.must(t, "", "tokens", "create", "--user", "u1", "--expires-in", "9600h", "endpoints=export,changes", "label=Acme"))
	p, ok = tokens.Secrets(secrets).Verify(link)
	left = time.Until(time.Unix(p.Expires, 0))
	if !ok || !p.Link() || p.Label != "Acme" || left > maxLinkLife || left < maxLinkLife-time.Minute || !slices.Equal(p.Endpoints, []string{"export", "changes"}) {
		t.Errorf("%v %+v", ok, p)
	}
	store, err := openKeys(f.settings, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	s := servicetest.New(t, someOfDemo(100), servicetest.Options{Configure: []func(*service.Config){func(c *service.Config) {
		c.Access, c.TokenSecrets = store, secrets
	}}})
	request := httptest.NewRequest(http.MethodGet, "/v1/filings?token="+token, http.NoBody)
	request.Header.Set("Origin", "https://maps.example.com")
	response, err := s.App.Test(request, -1)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Access-Control-Allow-Origin") != "https://maps.example.com" {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
}
