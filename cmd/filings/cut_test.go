package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"filings/cmd/filings/check"
	"filings/cmd/testservers/servers"
)

// sorting returns the address of a proxy of a search server that gives the members of every _source in the order of their
// names.
func sorting(t *testing.T, address string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header.Del("Accept-Encoding") // what comes back can be read
		},
		ModifyResponse: func(res *http.Response) error {
			body, err := io.ReadAll(res.Body)
			if err == nil {
				body, err = sortSources(body)
			}
			res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			res.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return err
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

func sortSources(body []byte) (sorted []byte, err error) {
	name := []byte(`"_source":`)
	for {
		before, after, found := bytes.Cut(body, name)
		if sorted = append(sorted, before...); !found {
			return sorted, nil
		}
		d := json.NewDecoder(bytes.NewReader(after))
		var source any
		d.UseNumber()
		if err := d.Decode(&source); err != nil {
			return nil, err
		}
		text, err := json.Marshal(source)
		if err != nil {
			return nil, err
		}
		sorted, body = append(append(sorted, name...), text...), after[d.InputOffset():]
	}
}

// TestX23_SearchServerThatSorts: a search server that gives members in another order is refused by `filings check`, at the
// start of `filings serve`, and by a load, which promotes nothing; each says what to do. Before the first load there is nothing
// to read.
func TestX23_SearchServerThatSorts(t *testing.T) {
	t.Parallel()
	f, direct := newFixture(t), servers.Elasticsearch(t)
	f.settings.Index = fmt.Sprintf("cut-%d", rand.Uint32())
	t.Cleanup(func() { servers.DeleteIndices(t, direct, f.settings.Index) })
	f.settings.RequestTimeout = 30e9 // beside other tests
	proxy := sorting(t, direct)
	filings := f.must(t, "", "generate", "--count", "20")

	f.settings.ElasticsearchURL = []string{proxy}
	if _, found, _ := f.checked(t); !slices.Contains(results(found), "warn generation") {
		t.Errorf("before the first load: %v", found)
	}
	refused := func(what, says string, code int, errs string) {
		t.Helper()
		for _, part := range []string{says, "missing, extra or reordered fields", "_source as it was written"} {
			if code != exitFailed || !strings.Contains(errs, part) {
				t.Errorf("%s: exit code %d, no %q in %s", what, code, part, errs)
			}
		}
	}
	code, _, errs := f.run(t.Context(), filings, "reindex", "--format", "ndjson", "-")
	refused("the first load", "not what was read", code, errs)
	if out := f.must(t, "", "generations"); strings.Contains(out, f.settings.Index) {
		t.Errorf("after the first load:\n%s", out)
	}

	f.settings.ElasticsearchURL = []string{direct}
	f.must(t, filings, "reindex", "--format", "ndjson", "-")
	// Elasticsearch merges an index when it likes, and its size is another one then.
	stored := func() string {
		return regexp.MustCompile(` \d+ KiB +`).ReplaceAllString(f.must(t, "", "generations"), "")
	}
	before := stored()
	f.settings.ElasticsearchURL = []string{proxy}
	code, found, _ := f.checked(t)
	i := slices.IndexFunc(found, func(f check.Finding) bool { return f.Result == check.Fail && f.Subject == "generation" })
	if i < 0 {
		t.Fatalf("check: %v", found)
	}
	refused("check", "a page of", code, found[i].Detail)
	code, _, errs = f.run(t.Context(), "", "serve")
	refused("serve", "a page of", code, errs)
	code, _, errs = f.run(t.Context(), filings, "reindex", "--format", "ndjson", "-")
	refused("a load", "not what was read", code, errs)
	if after := stored(); after != before {
		t.Errorf("a load that was refused left\n%s\nof\n%s", after, before)
	}
}
