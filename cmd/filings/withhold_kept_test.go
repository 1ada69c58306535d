package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/service/access"
)

// tokenOrigin is where a page with a token is from.
const tokenOrigin = "https://maps.example.com"

// TestX53_Kept: what clients and operators hold from before filings were withheld, cursors, tokens, ids of generations and archives, gets
// none of them: a service with them is as one that never had them, in changes between all pairs of generations too, for each tier.
func TestX53_Kept(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"embedded", "elasticsearch"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if engine == "elasticsearch" {
				servers.Nightly(t, "kills")
			}
			w := newTwins(t, func(f *fixture) {
				f.settings.FreeLifetimeQuota, f.settings.FreeBurst, f.settings.StarterBurst = 100_000, 1000, 1000
				if engine == "elasticsearch" {
					onTestElastic(t, f)
				}
			})
			w.load()
			w.change(1, "before")
			w.serve()
			held := w.hold()
			old := w.liveID(0)
			var saved [2]string
			for i, f := range w.both() {
				saved[i] = filepath.Join(t.TempDir(), "saved")
				f.must(t, "", "generations", "save", "live", saved[i])
			}
			w.withheld.must(t, "", "withhold", "add", "--owner", w.owner, "--reason", "order 7", "--yes")
			w.rest.must(t, "", "reindex", "--update", "--format", "ndjson", "-")
			w.wantHeld(held)
			since := []([2]string){{w.liveID(0), w.liveID(1)}}
			for i, n := range []int{40, 3, 17} {
				if engine == "elasticsearch" && i > 0 {
					break
				}
				w.change(n, fmt.Sprint("load ", i))
				since = append(since, [2]string{w.liveID(0), w.liveID(1)})
			}
			w.pairs(since, old)
			for i, f := range w.both() { // the archive of before; 8 of 300 are gone
				out := f.must(t, "", "generations", "restore", saved[i])
				if want := fmt.Sprintf(`"withheld":%d`, []int{8, 0}[i]); !strings.Contains(out, want+",") {
					t.Errorf("restored: %s, want %s", out, want)
				}
			}
			w.followed()
			w.alike("restored what was saved before")
			for i, f := range w.both() {
				f.must(t, "", "generations", "save", "live", saved[i])
			}
			for _, i := range []int{0, 1} { // each the other's: what is saved has none
				out := w.both()[i].must(t, "", "generations", "restore", saved[1-i])
				if !strings.Contains(out, `"withheld":0,`) {
					t.Errorf("restored: %s", out)
				}
			}
			w.followed()
			w.alike("restored what was saved after")
			w.wantHeld(held)
		})
	}
}

func (w *twins) both() []*fixture { return []*fixture{w.withheld, w.rest} }

// followed waits until both services serve what is live.
func (w *twins) followed() {
	w.t.Helper()
	eventually(w.t, "both serve what was loaded", func() bool { return w.follows(0) && w.follows(1) })
}

// change loads an update of the first n records of others, and of the owner's.
func (w *twins) change(n int, owner string) {
	w.t.Helper()
	for i, f := range w.both() {
		lines := strings.SplitAfter([]string{w.all, w.others}[i], "\n")
		text := ""
		for _, line := range lines[:len(lines)-1] {
			var record map[string]any
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				w.t.Fatal(err)
			}
			id := fmt.Sprint(record["id"])
			mine := strings.Contains(line, "lanketflower") || strings.Contains(line, "LANKETFLOWER")
			if mine {
				record["filingHolder"] = owner
			} else if record["owner"] = owner + id; strings.Count(w.others[:strings.Index(w.others, line)], "\n") >= n {
				continue
			}
			changed, _ := json.Marshal(record)
			text += string(changed) + "\n"
		}
		f.must(w.t, text, "reindex", "--update", "--format", "ndjson", "-")
	}
	if w.key[0] != "" {
		w.followed()
	}
}

// hold returns requests of clients that began before: cursors and a token of each service.
func (w *twins) hold() (held [2][]string) {
	w.t.Helper()
	for i := range held {
		for _, path := range []string{"/v1/filings?", "/v1/filings/search?q=e&", "/v1/owners?"} {
			_, text := w.raw(i, path+"limit=10&cursor=*", "")
			var page struct {
				Pagination struct {
					NextCursor string `json:"next_cursor"`
				}
			}
			if err := json.Unmarshal([]byte(text), &page); err != nil || page.Pagination.NextCursor == "" {
				w.t.Fatalf("%s: %v, %.300s", path, err, text)
			}
			held[i] = append(held[i], strings.TrimSuffix(path, "q=e&")+"cursor="+page.Pagination.NextCursor)
		}
		var made struct{ Data struct{ Token string } }
		_, text := w.raw(i, "/v1/tokens?origin="+tokenOrigin, "")
		if err := json.Unmarshal([]byte(text), &made); err != nil || made.Data.Token == "" {
			w.t.Fatalf("a token: %v, %.300s", err, text)
		}
		held[i] = append(held[i], made.Data.Token)
	}
	return held
}

// wantHeld wants cursors of before to be gone, and a token to show what one of the other service does.
func (w *twins) wantHeld(held [2][]string) {
	w.t.Helper()
	last := len(held[0]) - 1
	for _, path := range held[0][:last] {
		if status, text := w.response(0, path, ""); status != http.StatusGone || strings.Contains(strings.ToLower(text), "blanketflower") {
			w.t.Errorf("%s: %d %.300s", path, status, text)
		}
	}
	keys := w.key
	defer func() { w.key = keys }()
	w.key = [2]string{}
	for _, path := range []string{"/v1/filings?limit=1000", "/v1/filings/search?q=blanketflower", "/v1/owners?q=blanketf", "/v1/filings/" + w.ids[0], "/v1/filings/groups?by=owner"} {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		status, got := w.response(0, path+separator+"token="+held[0][last], "")
		wanted, want := w.response(1, path+separator+"token="+held[1][last], "")
		if status != wanted || got != want || status == http.StatusUnauthorized {
			w.t.Errorf("%s with a token: %d %.500s\nwant %d %.500s", path, status, got, wanted, want)
		}
	}
}

// pairs compares changes between all pairs of these generations, in both directions, for each tier. Since one of before, they say that
// the filings are removed, and nothing of them.
func (w *twins) pairs(generations [][2]string, old string) {
	w.t.Helper()
	keys := w.key
	defer func() { w.key = keys }()
	for _, tier := range []string{"starter", "pro", "enterprise"} {
		for i, f := range w.both() {
			w.key[i] = strings.TrimSpace(f.must(w.t, "", "keys", "create", "--user", "of "+tier, "--tier", string(access.Tier(tier))))
		}
		for i := range generations {
			for j := range generations {
				for _, where := range []string{"", "&q=orlando", "&county=Orange,%20FL", "&owner=Blanketflower,%20Wren%20Q"} {
					var paths [2]string
					for k := range paths {
						paths[k] = "/v1/filings/changes?limit=1000&since=" + generations[i][k] + "&until=" + generations[j][k] + where
					}
					status, got := w.response(0, paths[0], "")
					wanted, want := w.response(1, paths[1], "")
					if status != wanted || got != want || strings.Contains(strings.ToLower(got), "blanketflower") || wanted != http.StatusOK {
						w.t.Errorf("%s, changes from %d to %d%s: %d %.500s\nwant %d %.500s", tier, i, j, where, status, got, wanted, want)
					}
				}
			}
			status, text := w.response(0, "/v1/filings/changes?limit=1000&since="+old+"&until="+generations[i][0], "")
			if n := strings.Count(text, `"op":"removed"`); status != http.StatusOK || n != len(w.ids) || strings.Contains(strings.ToLower(text), "blanketflower") {
				w.t.Errorf("%s, since the one of before until %d: %d, %d removed: %.500s", tier, i, status, n, text)
			}
			if status, text := w.response(0, "/v1/filings/changes?since="+generations[i][0]+"&until="+old, ""); status != http.StatusGone {
				w.t.Errorf("%s, until the one of before: %d %.300s", tier, status, text)
			}
		}
	}
}
