package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
)

// lines are filings in no order: two of one day, one without a date, one without coordinates.
const lines = `{"id":1,"county":"Wayne, MI","owner":"Ann SMITH","filingAmount":100,"filingDate":"2020-01-01","geocodedLatitude":40.5,"geocodedLongitude":-80.5}
{"id":2,"county":"Wayne, MI","owner":"Goldsmithson","filingAmount":250.5,"filingDate":"2021-01-01","geocodedLatitude":41.5,"geocodedLongitude":-80.5}
{"id":3,"county":"Barry, MI","propertyAddress":"7 Smith St","filingAmount":300,"filingDate":"2021-01-01"}
{"id":4,"county":"Barry, MI","owner":"100%_O","caseNumber":"TS-77","geocodedLatitude":40.6,"geocodedLongitude":-80.6}
`

func writeLines(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "filings.ndjson")
	if err := os.WriteFile(name, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestService: both engines answer as the service would. A comparison with peers that find something else compares nothing.
func TestService(t *testing.T) {
	t.Parallel()
	mark := fmt.Sprint(time.Now().UnixNano())
	for name, open := range map[string]func(t *testing.T) (engine, error){
		"elasticsearch": func(t *testing.T) (engine, error) {
			return newElasticsearch(servers.Elasticsearch(t), "filings-twoday-test-"+mark), nil
		},
		"postgresql": func(t *testing.T) (engine, error) {
			return newPostgreSQL(t.Context(), servers.Postgres(t), "filings_twoday_test_"+mark)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options, err := redis.ParseURL(servers.Redis(t))
			if err != nil {
				t.Fatal(err)
			}
			e, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := e.end(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			}()
			if err := e.load(t.Context(), writeLines(t)); err != nil {
				t.Fatal(err)
			}
			s := &service{engine: e, redis: redis.NewClient(options)}
			if err := s.createKey(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkService(t, s.routes())
		})
	}
}

func checkService(t *testing.T, h http.Handler) {
	t.Helper()
	for path, want := range map[string]found{
		"/v1/filings":                                      {4, []int64{3, 2, 1, 4}},
		"/v1/filings?limit=2&offset=1":                     {4, []int64{2, 1}},
		"/v1/filings/search?q=SMITH":                       {3, []int64{3, 2, 1}},
		"/v1/filings/search?q=00%25_":                      {1, []int64{4}},
		"/v1/filings/search?q=smith&min_amount=250.5":      {2, []int64{3, 2}},
		"/v1/filings?county=Wayne%2C+MI&min_amount=100.01": {1, []int64{2}},
		"/v1/filings?bounds_north=41&bounds_south=40&bounds_east=-80&bounds_west=-81": {2, []int64{1, 4}},
	} {
		var page struct {
			Data       []struct{ ID int64 }
			Pagination struct{ Total int }
		}
		if status := get(t, h, path, apiKey, &page); status != http.StatusOK {
			t.Errorf("%s: status %d", path, status)
		}
		got := found{Total: page.Pagination.Total}
		for _, f := range page.Data {
			got.IDs = append(got.IDs, f.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	var one struct{ Data struct{ Owner string } }
	if status := get(t, h, "/v1/filings/2", apiKey, &one); status != http.StatusOK || one.Data.Owner != "Goldsmithson" {
		t.Errorf("one filing: status %d, %+v", status, one)
	}
	if status := get(t, h, "/v1/filings/5", apiKey, nil); status != http.StatusNotFound {
		t.Errorf("a filing that is not there: status %d", status)
	}
	if status := get(t, h, "/v1/filings", "ak_live_x", nil); status != http.StatusUnauthorized {
		t.Errorf("a wrong key: status %d", status)
	}
}

type found struct {
	Total int
	IDs   []int64
}

func get(t *testing.T, h http.Handler, path, key string, into any) (status int) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	req.Header.Set("X-API-Key", key)
	res := httptest.NewRecorder()
	h.ServeHTTP(res, req)
	if into != nil {
		if err := json.Unmarshal(res.Body.Bytes(), into); err != nil {
			t.Errorf("%s: %v: %s", path, err, res.Body)
		}
	}
	return res.Code
}

// TestMakeDatabase: Datasette sorts by place, and finds parts of texts.
func TestMakeDatabase(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "peer.db")
	if err := makeDatabase(t.Context(), name, writeLines(t)); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]string{
		"SELECT group_concat(id) FROM (SELECT id FROM filings ORDER BY place)":                                         "3,2,1,4",
		`SELECT group_concat(rowid) FROM (SELECT rowid FROM filings_fts WHERE filings_fts MATCH '"sMITh"' ORDER BY 1)`: "1,2,3",
	} {
		var got string
		if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, want %q (%v)", query, got, want, err)
		}
	}
}
