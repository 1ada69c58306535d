package source

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestX56_Updated: a portal says when its data were updated, each in its own form; what says nothing else is not believed.
func TestX56_Updated(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 27, 18, 30, 5, 0, time.UTC)
	for _, tt := range []struct {
		name, kind, says string
		want             int64
	}{
		{"socrata", "socrata", `[{"n":"0","latest":"2026-02-27T18:30:05.123Z"}]`, at.Unix()},
		{"socrata, an offset", "socrata", `[{"n":"0","latest":"2026-02-27T13:30:05-05:00"}]`, at.Unix()},
		{"socrata, empty", "socrata", `[{"n":"0"}]`, 0},
		{"socrata, no time", "socrata", `[{"n":"0","latest":"yesterday"}]`, 0},
		{"arcgis", "arcgis", `{"count":0,"objectIds":[],"editingInfo":{"lastEditDate":1772217005123}}`, at.Unix()},
		{"arcgis, of the data", "arcgis", `{"count":0,"objectIds":[],"editingInfo":{"lastEditDate":1772300000000,"dataLastEditDate":1772217005123}}`, at.Unix()},
		{"arcgis, no data's own", "arcgis", `{"count":0,"objectIds":[],"editingInfo":{"lastEditDate":1772217005123,"dataLastEditDate":null}}`, at.Unix()},
		{"arcgis, before 1970", "arcgis", `{"count":0,"objectIds":[],"editingInfo":{"lastEditDate":-1}}`, 0},
		{"web", "web", "Fri, 27 Feb 2026 18:30:05 GMT", at.Unix()},
		{"web, no time", "web", "today", 0},
		{"web, none", "web", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case tt.kind == "web":
					w.Header().Set("Last-Modified", tt.says)
					fmt.Fprintln(w, `{}`)
				case strings.Contains(r.URL.RawQuery, "order"):
					fmt.Fprint(w, "[]")
				default:
					fmt.Fprint(w, tt.says)
				}
			}))
			t.Cleanup(server.Close)
			address := server.URL + "/a.ndjson"
			if tt.kind != "web" {
				address = ""
			}
			s := sourceOf(t, tt.kind, server.URL, address)
			in, err := s.Open(t.Context(), new(atomic.Int64))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			if in.Updated != tt.want {
				t.Errorf("%d, want %d", in.Updated, tt.want)
			}
		})
	}
}

// sourceOf returns the source of a kind of portal at a server, or at an address.
func sourceOf(t *testing.T, kind, server, address string) Source {
	t.Helper()
	if address == "" {
		return portalSource(t, kind, server)
	}
	all, err := Find(t.Context(), []Input{{Name: address}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}
