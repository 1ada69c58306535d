package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"filings/cmd/testservers/servers"
	"filings/index"
)

// twins are two services: of filings of which some are withheld, and of the others alone.
type twins struct {
	t              *testing.T
	withheld, rest *fixture
	at             [2]site
	client         [2]*http.Client
	key            [2]string
	owner          string   // who is withheld
	ids            []string // of the filings
	all, others    string   // records
}

// newTwins makes records of whom one owner has several, in two counties, and the two places for them.
func newTwins(t *testing.T, place func(f *fixture)) *twins {
	t.Helper()
	w := &twins{t: t, withheld: newFixture(t), rest: newFixture(t), owner: "BLANKETFLOWER, WREN Q"}
	for _, f := range []*fixture{w.withheld, w.rest} {
		f.settings.KeepChanges, f.settings.KeepGenerations, f.settings.ProBurst, f.settings.EnterpriseBurst = 30, 3, 1000, 1000
		f.settings.MCP, f.settings.MCPResult, f.settings.TokenSecrets = true, 24_000, []string{strings.Repeat("s", 32)}
		place(f)
	}
	for i, line := range strings.Split(strings.TrimSpace(w.withheld.must(t, "", "generate", "--count", "300")), "\n") {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		record["createdAt"] = "2026-01-02T03:04:05Z"
		if i%40 == 7 {
			record["owner"] = []string{w.owner, "Wren Q. Blanketflower"}[i%2]
			record["propertyAddress"] = fmt.Sprintf("%d Zanthorrhoea Ct, Orlando, FL 32801", i)
			w.ids = append(w.ids, fmt.Sprint(record["id"]))
		}
		text, _ := json.Marshal(record)
		if w.all += string(text) + "\n"; i%40 != 7 {
			w.others += string(text) + "\n"
		}
	}
	return w
}

// load loads records into both: all of them, and all but those that are withheld.
func (w *twins) load(args ...string) {
	w.t.Helper()
	args = append([]string{"reindex", "--format", "ndjson"}, append(args, "-")...)
	w.withheld.must(w.t, w.all, args...)
	w.rest.must(w.t, w.others, args...)
}

func (w *twins) serve() {
	w.t.Helper()
	for i, f := range []*fixture{w.withheld, w.rest} {
		w.key[i] = strings.TrimSpace(f.must(w.t, "", "keys", "create", "--user", "e", "--tier", "enterprise"))
		_, w.at[i], w.client[i], _ = serveLoaded(w.t, f)
	}
}

// unlike are what differs between two services of the same filings. Each begins with a text, by which it is found soon.
var unlike = []*regexp.Regexp{
	regexp.MustCompile(`20\d{6}-\d{6}\.\d{6}`), regexp.MustCompile(`req_[0-9a-f]{32}`),
	regexp.MustCompile(`rate_limit_remaining\\?":\d+`), regexp.MustCompile(`At":"[^"]*"`),
	regexp.MustCompile(`localhost:\d+`), regexp.MustCompile(`ak_pub_[^"&]*`), regexp.MustCompile(`"next_cursor":"[^"]*"`),
}

// response returns what one of them responds, without what may differ.
func (w *twins) response(i int, path, body string) (status int, text string) {
	w.t.Helper()
	status, text = w.raw(i, path, body)
	for _, u := range unlike {
		text = u.ReplaceAllString(text, "…")
	}
	return status, text
}

// raw returns what one of them responds.
func (w *twins) raw(i int, path, body string) (status int, text string) {
	w.t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.at[i].api+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if req.Header.Set("X-API-Key", w.key[i]); w.key[i] == "" { // path has a token
		req.Header.Del("X-API-Key")
		req.Header.Set("Origin", tokenOrigin)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	res, err := w.client[i].Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatalf("%s: %v", path, err)
	}
	return res.StatusCode, string(got)
}

// liveID returns the id of the generation that one of them serves.
func (w *twins) liveID(i int) string {
	req, _ := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.at[i].api+"/v1/stats", nil)
	req.Header.Set("X-API-Key", w.key[i])
	res, err := w.client[i].Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.Header.Get("X-Generation")
}

// alike compares what they respond to requests of every kind, and wants no name in it.
func (w *twins) alike(when string) {
	w.t.Helper()
	name := url.QueryEscape(w.owner)
	paths := []string{
		"/v1/filings?limit=1000", "/v1/filings?owner=" + name, "/v1/filings?ids=" + strings.Join(w.ids, ","), "/v1/filings?offset=280&limit=10",
		"/v1/filings/search?q=blanketflower", "/v1/filings/search?q=blanketflowr&typos=auto", "/v1/filings/search?q=zanthorrhoea", "/v1/filings/search?min_amount=1&limit=300",
		"/v1/owners?q=blanketf", "/v1/owners?limit=300", "/v1/owners?q=wren", "/v1/stats", "/v1/stats/counties", "/v1/counties", "/v1/fields",
		"/v1/filings/clusters?bounds_north=50&bounds_south=20&bounds_east=-60&bounds_west=-130&zoom=4", "/v1/tiles.json",
		"/v1/filings/export", "/v1/filings/export?format=csv", "/v1/filings/export?format=parquet", "/v1/liens?limit=300",
	}
	for _, by := range []string{"county", "state", "filing_type", "month", "year", "owner", "holder", "category", "city", "address"} {
		paths = append(paths, "/v1/filings/groups?by="+by)
	}
	for _, id := range w.ids {
		paths = append(paths, "/v1/filings/"+id, "/v1/liens/"+id)
	}
	for z, tiles := range map[int]int{0: 1, 2: 4, 4: 16} {
		for x := range tiles {
			for y := range tiles {
				paths = append(paths, fmt.Sprintf("/v1/tiles/LIVE/%d/%d/%d.mvt", z, x, y))
			}
		}
	}
	lives := [2]string{w.liveID(0), w.liveID(1)}
	for _, path := range paths {
		w.same(when, path, "", lives)
	}
	for _, tool := range []string{
		`"search_filings","arguments":{"q":"blanketflower"}`, `"get_filing","arguments":{"id":` + w.ids[0] + `}`,
		`"summarize_filings","arguments":{"by":["owner"]}`, `"search_filings","arguments":{"owner":"` + w.owner + `"}`,
	} {
		w.same(when, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+tool+`}}`, lives)
	}
}

func (w *twins) same(when, path, body string, lives [2]string) {
	w.t.Helper()
	status, got := w.response(0, strings.ReplaceAll(path, "LIVE", lives[0]), body)
	wanted, want := w.response(1, strings.ReplaceAll(path, "LIVE", lives[1]), body)
	if status != wanted || got != want {
		w.t.Errorf("%s: %s %s: %d, want %d (-want +got):\n%.2000s", when, path, body, status, wanted, cmp.Diff(want, got))
	}
	if text := strings.ToLower(got); strings.Contains(text, "blanketflower,") || strings.Contains(text, "zanthorrhoea ct") {
		w.t.Errorf("%s: %s %s has the name: %.500s", when, path, body, got)
	}
}

// TestX53_Everywhere: a service of which filings are withheld responds to each request as one that never had them, through ten loads and a
// rollback. What was pinned before is gone; changes say removed.
func TestX53_Everywhere(t *testing.T) {
	t.Parallel()
	for engine, place := range map[string]func(t *testing.T, f *fixture){
		"embedded":      func(*testing.T, *fixture) {},
		"elasticsearch": onTestElastic,
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newTwins(t, func(f *fixture) { place(t, f) })
			loads := 10
			if engine == "elasticsearch" || testing.Short() {
				loads = 3
			}
			w.load()
			w.load("--update")
			w.serve()
			old, oldRest := w.liveID(0), w.liveID(1)
			code, _, errs := w.withheld.run(t.Context(), "", "withhold", "add", "--owner", "Blanketflower, Wren Q.", "--reason", "order 7")
			if code != exitUsage || !strings.Contains(errs, "8 filings of ") || !strings.Contains(errs, "--yes") || strings.Contains(strings.ToLower(errs), "wren") {
				t.Fatalf("without a terminal: exit code %d, %s", code, errs)
			}
			out := w.withheld.must(t, "", "withhold", "add", "--owner", "Blanketflower, Wren Q.", "--reason", "order 7", "--yes")
			if strings.Contains(strings.ToLower(out), "blanketflower") || !strings.Contains(out, `"takenOut":8`) {
				t.Errorf("it printed %s", out)
			}
			w.rest.must(t, "", "reindex", "--update", "--format", "ndjson", "-")
			for _, path := range []string{
				"/v1/filings?generation=" + old, "/v1/filings/" + w.ids[0] + "?generation=" + old, "/v1/filings/export?generation=" + old,
				"/v1/tiles/" + old + "/0/0/0.mvt", "/v1/filings/changes?since=" + w.liveID(0) + "&until=" + old,
			} {
				if status, text := w.response(0, path, ""); status != http.StatusGone {
					t.Errorf("%s: %d %.300s", path, status, text)
				}
			}
			for i := range loads {
				when := fmt.Sprintf("after %d loads", i)
				if w.alike(when); i == loads-1 || t.Failed() {
					break
				}
				status, text := w.response(0, "/v1/filings/changes?limit=1000&since="+old, "")
				if n := strings.Count(text, `"op":"removed"`); status != http.StatusOK || n != len(w.ids) || strings.Contains(text, "lanketflower") {
					t.Errorf("%s: changes since %s: %d %.500s", when, old, status, text)
				}
				w.same(when, "/v1/filings/changes?limit=1000&since=OTHER&q=orlando", "", [2]string{old, oldRest})
				if i == 1 {
					w.withheld.must(t, "", "rollback")
					w.rest.must(t, "", "rollback")
				} else {
					w.load([]string{"--update"}[:i%2]...)
				}
				eventually(t, "both serve what was loaded", func() bool { return w.follows(0) && w.follows(1) })
			}
			noBytes(t, w.withheld.settings.DataDir, "blanketflower", "zanthorrhoea")
			if text := w.at[0].metrics(t); !strings.Contains(text, "filings_withheld 8\n") {
				_, text, _ = strings.Cut(text, "\nfilings_withheld")
				t.Errorf("/metrics does not say that 8 are withheld, but %.20s", text)
			}
			file := filepath.Join(t.TempDir(), "saved")
			w.withheld.must(t, "", "generations", "save", "live", file)
			archive, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if inBlocks(archive, "blanketflower") {
				t.Error("the archive has the name")
			}
		})
	}
}

// follows reports whether a service serves what is live.
func (w *twins) follows(i int) bool {
	f := []*fixture{w.withheld, w.rest}[i]
	var rows []struct {
		Name string
		Live bool
	}
	if err := json.Unmarshal([]byte(f.must(w.t, "", "generations", "--json")), &rows); err != nil {
		w.t.Fatal(err)
	}
	for _, g := range rows {
		if g.Live {
			return index.GenerationID(g.Name) == w.liveID(i)
		}
	}
	return false
}

// onTestElastic has a fixture use an index of its own.
func onTestElastic(t *testing.T, f *fixture) {
	address := servers.Elasticsearch(t)
	f.settings.ElasticsearchURL, f.settings.Index = []string{address}, fmt.Sprintf("withheld-%d", time.Now().UnixNano())
	name := f.settings.Index
	t.Cleanup(func() { servers.DeleteIndices(t, address, name) })
}

// noBytes wants texts in no file of a folder, in any case, also where the files are compressed.
func noBytes(t *testing.T, folder string, texts ...string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, text := range texts {
			if inBlocks(data, text) {
				t.Errorf("%s has %s", path, text)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// inBlocks reports whether a text is in data, or in what is compressed there.
func inBlocks(data []byte, text string) bool {
	if bytes.Contains(bytes.ToLower(data), []byte(text)) {
		return true
	}
	for rest := data; ; rest = rest[4:] {
		at := bytes.Index(rest, []byte{0x28, 0xb5, 0x2f, 0xfd})
		if at < 0 {
			return false
		}
		rest = rest[at:]
		d, err := zstd.NewReader(bytes.NewReader(rest), zstd.WithDecoderConcurrency(1))
		if err != nil {
			continue
		}
		raw, _ := io.ReadAll(d) // to where the block ends, or the next one does not begin
		d.Close()
		if bytes.Contains(bytes.ToLower(raw), []byte(text)) {
			return true
		}
	}
}

// TestX53_InBlocks: the search for a text that is left finds one.
func TestX53_InBlocks(t *testing.T) {
	t.Parallel()
	w := newTwins(t, func(*fixture) {})
	w.load()
	found := false
	_ = filepath.WalkDir(w.withheld.settings.DataDir, func(path string, d fs.DirEntry, err error) error {
		data, _ := os.ReadFile(path)
		found = found || inBlocks(data, "zanthorrhoea")
		return err
	})
	if !found {
		t.Error("it does not find the address of filings that are there")
	}
}

// TestX53_HTTP: the list over HTTP: a preview, a job, the list, the end of an entry.
func TestX53_HTTP(t *testing.T) {
	t.Parallel()
	w := newTwins(t, func(f *fixture) { f.settings.OperationsToken = strings.Repeat("t", 32) })
	w.load()
	w.serve()
	call := func(method, path, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, w.at[0].operations+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.withheld.settings.OperationsToken)
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	add := `{"owner":"` + w.owner + `","reason":"order 7"`
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/withheld", "", 200, "[]\n"},
		{"POST", "/withheld", `{"owner":"x"}`, 400, "say the reason"},
		{"POST", "/withheld", `{"id":"x","reason":"y"}`, 400, "id must be an integer"},
		{"POST", "/withheld", `{"name":"x"}`, 400, "is not known here"},
		{"POST", "/withheld", add + `}`, 200, `{"filings":8,"counties":{`},
		{"GET", "/withheld", "", 200, "[]\n"},
		{"DELETE", "/withheld/1", "", 404, "no such entry"},
		{"POST", "/withheld", add + `,"yes":"true"}`, 202, `{"filings":8,"counties":{`},
	} {
		if status, text := call(test.method, test.path, test.body); status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%s %s %s: %d %s", test.method, test.path, test.body, status, text)
		}
	}
	eventually(t, "the entry is complete", func() bool {
		_, text := call("GET", "/withheld", "")
		return strings.Contains(text, `"complete":true`) && strings.Contains(text, `"filings":8`)
	})
	if _, text := call("GET", "/withheld", ""); strings.Contains(strings.ToLower(text), "blanketflower") || strings.Contains(text, "sha256") {
		t.Errorf("the list: %s", text)
	}
	eventually(t, "its end", func() bool { // once the lock is released
		status, _ := call("DELETE", "/withheld/1", "")
		return status == http.StatusNoContent
	})
	req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, w.at[0].operations+"/withheld", nil)
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %v, %v", res, err)
	}
}
