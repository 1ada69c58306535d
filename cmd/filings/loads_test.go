package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/embedded"
	"filings/index/generation"
)

// operator requests a path of the operations listener with that token.
func (s site) operator(t *testing.T, path, token string, v any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.operations+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		if err := json.NewDecoder(res.Body).Decode(v); err != nil {
			t.Fatal(err)
		}
	}
	return res.StatusCode
}

// X47: an operator sees the last loads: one that promoted, one that failed and why, also before it read anything, and one that runs; and
// when each county was loaded last.
func TestX47_Loads(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		showLoads(t, f, openEmbedded(t, f.settings.DataDir))
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		f, address, name := newFixture(t), servers.Elasticsearch(t), fmt.Sprintf("loads-%d", time.Now().UnixNano())
		f.settings.ElasticsearchURL, f.settings.Index = []string{address}, name
		showLoads(t, f, openElastic(t, address, name))
	})
}

func showLoads(t *testing.T, f *fixture, open opener) {
	f.settings.OperationsToken = strings.Repeat("t", 32)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := file("first.ndjson", `{"id":1,"county":"Orange, FL"}`+"\n"+`{"id":2,"county":"Lake, FL"}`+"\n")
	f.must(t, "", "reindex", first)
	f.must(t, "", "reindex", "--update", "--max-rejects", "1", file("second.ndjson", `{"id":2,"county":"Lake, FL","owner":"A"}`+"\n"+`{"id":3}`+"\n"))
	for _, failing := range []string{file("third.ndjson", `{"id":3}`+"\n"), filepath.Join(dir, "none.ndjson")} {
		if code, _, errs := f.run(t.Context(), "", "reindex", failing); code != exitFailed {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	if _, _, errs := f.run(t.Context(), "", "generations"); !regexp.MustCompile(`^The last load failed and promoted nothing, .*: .*, since [-0-9]+ [:0-9]+, 0 read, 0 indexed, 0 rejected\.\n$`).MatchString(errs) {
		t.Errorf("generations says of a load that failed before its first phase: %s", errs)
	}
	_, at, _, _ := serveLoaded(t, f)
	var loads []struct {
		State, Generation, Source, Error           string
		StartedAt                                  time.Time
		Seconds                                    float64
		Read, Indexed, Rejected, Bytes, TotalBytes int64
	}
	if status := at.operator(t, "/loads", f.settings.OperationsToken, &loads); status != http.StatusOK || len(loads) != 4 {
		t.Fatalf("status %d: %+v", status, loads)
	}
	size, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	last := loads[3]
	if last.State != generation.OutcomePromoted || last.Read != 2 || last.Indexed != 2 || last.Bytes != size.Size() || last.TotalBytes != size.Size() ||
		last.Source != first || last.Generation == "" || last.Error != "" || last.StartedAt.IsZero() {
		t.Errorf("the first load: %+v", last)
	}
	if update := loads[2]; update.State != generation.OutcomePromoted || update.Indexed != 1 || update.Rejected != 1 {
		t.Errorf("the update: %+v", update)
	}
	if failed := loads[1]; failed.State != generation.OutcomeFailed || failed.Rejected != 1 || !strings.Contains(failed.Error, "too many rejected records: 1 of 1") {
		t.Errorf("the load with a reject: %+v", failed)
	}
	if missing := loads[0]; missing.State != generation.OutcomeFailed || !strings.Contains(missing.Error, "none.ndjson") {
		t.Errorf("the load without a source: %+v", missing)
	}
	var generations []generation.Info
	if status := at.operator(t, "/generations", f.settings.OperationsToken, &generations); status != http.StatusOK || len(generations) != 2 || !generations[0].Live {
		t.Errorf("status %d: %+v", status, generations)
	}
	for _, path := range []string{"/loads", "/generations", "/loads/1"} {
		if status := at.operator(t, path, "another", nil); status != http.StatusUnauthorized {
			t.Errorf("%s with another token: status %d", path, status)
		}
	}
	store, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := store.Fresh(t.Context())
	if err != nil || len(fresh) != 2 || fresh["Orange, FL"].Loaded != last.StartedAt.Unix() || fresh["Lake, FL"].Loaded != loads[2].StartedAt.Unix() {
		t.Errorf("error %v; counties are fresh as of %v", err, fresh)
	}
	lock, err := store.Lock(t.Context(), generation.Run{Holder: "a test", Started: time.Now(), Phase: "loading", Source: "a.csv"})
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release(t.Context())
	if at.operator(t, "/loads", f.settings.OperationsToken, &loads); len(loads) != 5 || loads[0].State != generation.OutcomeRunning || loads[0].Source != "a.csv" {
		t.Errorf("while a load runs: %+v", loads)
	}
}

// TestX68_ExitCodes: a script learns whether a person has to look at a load that promoted nothing, or whether it is to be run again.
func TestX68_ExitCodes(t *testing.T) {
	t.Parallel()
	f, dir := newFixture(t), t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	records := func(from int) (text string) {
		for id := range 20 {
			text += fmt.Sprintf(`{"id":%d,"county":"Orange, FL"}`+"\n", from+id)
		}
		return text
	}
	first := file("first.ndjson", records(1))
	f.must(t, "", "load", first)
	closed := httptest.NewServer(nil)
	closed.Close()
	counties := func(name string, sources ...string) string {
		text := "counties:\n"
		for i, source := range sources {
			text += fmt.Sprintf("- {county: '%s, FL', sources: ['%s'], format: ndjson}\n", []string{"Orange", "Lake"}[i], source)
		}
		return file(name, text)
	}
	gone := closed.URL + "/a.ndjson"
	away, mixed := counties("away.yaml", gone, gone+"?lake"), counties("mixed.yaml", gone, "none.ndjson")
	refused := counties("refused.yaml", file("other.ndjson", records(101)))
	for _, test := range []struct {
		code int
		args []string
	}{
		{exitFailed, []string{filepath.Join(dir, "none.ndjson")}},
		{exitFailed, []string{file("reject.ndjson", `{"id":3}`+"\n")}},
		{exitUsage, []string{"--allow", "changed=amount", first}},
		{exitUsage, []string{"--allow", "empty=none.csv", first}},
		{exitRefused, []string{file("empty.ndjson", "")}},
		{exitRefused, []string{file("other.ndjson", records(101))}},
		{exitRefused, []string{file("header.csv", "id,county\n")}},
		{exitRefused, []string{"--plan", refused}},
		{exitLater, []string{gone}},
		{exitLater, []string{"--plan", away}},
		{exitFailed, []string{"--plan", mixed}},
		{exitRefused, []string{"--force=false", file("other.ndjson", records(101))}},
		{exitUsage, []string{"--force=maybe", first}},
		{exitDone, []string{"--dry-run", file("other.ndjson", records(101))}},
		{exitDone, []string{"--allow", "renewed=Orange, FL", file("other.ndjson", records(101))}},
		{exitDone, []string{"--force", first}},
	} {
		if code, _, errs := f.run(t.Context(), "", append([]string{"load"}, test.args...)...); code != test.code {
			t.Errorf("%q: exit code %d, want %d: %s", test.args, code, test.code, errs)
		}
	}
	store, err := embedded.Open(embedded.Config{Dir: f.settings.DataDir, Index: f.settings.Index})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := store.Lock(t.Context(), generation.Run{Holder: "another", Started: time.Now(), Renewed: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := f.run(t.Context(), "", "load", first); code != exitLater || !strings.Contains(errs, "another load is running") {
		t.Errorf("beside another load: exit code %d, %s", code, errs)
	}
	if err := errors.Join(lock.Release(t.Context()), store.Close()); err != nil {
		t.Error(err)
	}
	if code := (loadError{fmt.Errorf("no engine: %w", index.ErrUnavailable)}).code(); code != exitLater {
		t.Errorf("without an engine: exit code %d", code)
	}
}
