package apitest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/service/access"
)

// TestX56_Coverage: what the catalog learns of a county is in the next response, and has no part in its tag.
func TestX56_Coverage(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		lake, polk := &index.Filing{ID: 1}, &index.Filing{ID: 2}
		lake.SetText(index.County, "Lake, FL")
		polk.SetText(index.County, "Polk, FL")
		name, _ := k.load(t, []*index.Filing{lake, polk})
		wantBody := func(t *testing.T, a response, part string, times int) {
			t.Helper()
			if strings.Count(a.body, part) != times {
				t.Errorf("%d %s, want %d times %s", a.status, a.body, times, part)
			}
		}
		const path = "/v1/coverage"
		before := k.get(t, access.Free, path)
		none := `"lastFilingDate":null,"lastAddedAt":null,"checkedAt":null,"loadedAt":null,"sourceUpdatedAt":null,"source":null}`
		wantBody(t, before, none, 2)

		lock, err := k.store.Lock(t.Context(), generation.Run{Holder: "test", Started: time.Now().UTC()})
		if err != nil {
			t.Fatal(err)
		}
		err = lock.Refresh(t.Context(), name, map[string]index.Freshness{
			"Lake, FL": {Loaded: 1772427600, Checked: 1772514000, Updated: 1772217000, Source: "Clerk of Lake County"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		k.pass(2 * time.Second)
		after := k.get(t, access.Free, path)
		wantBody(t, after, `"checkedAt":"2026-03-03T05:00:00Z","loadedAt":"2026-03-02T05:00:00Z","sourceUpdatedAt":"2026-02-27T18:30:00Z",`+
			`"source":{"name":"Clerk of Lake County","attribution":null}}`, 1)
		wantBody(t, after, none, 1)
		if before.header.Get("ETag") != after.header.Get("ETag") {
			t.Errorf("tags %q, then %q", before.header.Get("ETag"), after.header.Get("ETag"))
		}
		if a := k.get(t, access.Free, path, "If-None-Match", before.header.Get("ETag")); a.status != http.StatusNotModified {
			t.Errorf("status %d", a.status)
		}
	})
}
