package source

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/reindexer/web"
)

// portalSource returns the source of a portal that does not wait between tries.
func portalSource(t *testing.T, kind, address string) Source {
	t.Helper()
	u, err := url.Parse(map[string]string{"socrata": "socrata://" + strings.TrimPrefix(address, "http://") + "/abcd-1234", "arcgis": "arcgis+" + address + "/rest/FeatureServer/0"}[kind])
	if err != nil {
		t.Fatal(err)
	}
	c := web.New(slog.New(slog.DiscardHandler), "")
	c.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	s, err := socrataSource(c, u, "")
	if kind == "arcgis" {
		s, err = arcgisSource(c, u, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readPortal reads a source as a load does, and returns the values of `n`, and the states that it says before, of what it read, and
// after.
func readPortal(t *testing.T, s Source) (values []string, states [3]string, err error) {
	t.Helper()
	if states[0], err = s.State(t.Context()); err != nil {
		return nil, states, err
	}
	in, err := s.Open(t.Context(), new(atomic.Int64))
	if err != nil {
		return nil, states, err
	}
	defer in.Close()
	for {
		record, err := in.Next()
		if err == io.EOF {
			if states[1], err = in.State(); err == nil {
				err = in.Unchanged(nil)
			}
			if err == nil {
				states[2], err = s.State(t.Context())
			}
			return values, states, err
		}
		if err != nil {
			return values, states, err
		}
		var row struct{ N string }
		if err := json.Unmarshal([]byte(record.Text()), &row); err != nil {
			t.Errorf("a row is no JSON: %v: %s", err, record.Text())
		}
		values = append(values, row.N)
	}
}

// TestX45_Portals reads datasets that change, over networks that break: each reading is of one state, or fails. Nothing is lost in
// silence. Where nothing changes, it does not fail.
func TestX45_Portals(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"socrata", "arcgis"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			whole, changed := 0, 0
			for seed := range uint64(1_000) {
				random := rand.New(rand.NewPCG(seed, 45))
				p := &servers.Portal{Random: random, Changing: seed%4 != 0, Most: 1 + random.IntN(20)}
				for range random.IntN(60) {
					p.Put(map[string]any{"n": fmt.Sprint("r", random.Uint64())})
				}
				p.Put()
				server := httptest.NewServer(p)
				server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
				rows, states, err := readPortal(t, portalSource(t, kind, server.URL))
				server.Close()
				switch {
				case err == nil && !p.Was(rows):
					t.Fatalf("seed %d: %d rows are of no state that there was", seed, len(rows))
				case err == nil:
					whole++
				case !p.Changing || !strings.Contains(err.Error(), "changed while it was read"):
					t.Fatalf("seed %d: %v", seed, err)
				default:
					changed++
				}
				if !p.Changing && (states[0] == "" || states[0] != states[1] || states[1] != states[2]) {
					t.Errorf("seed %d: nothing changed, and the states are %q", seed, states)
				}
				if err != nil && strings.Contains(err.Error(), "hunter2") {
					t.Errorf("seed %d: the error shows what the server says: %v", seed, err)
				}
			}
			if whole < 250 || changed < 250 {
				t.Errorf("%d whole, %d changed: the test shows little", whole, changed)
			}
			t.Logf("%d readings were whole, %d failed since the dataset changed", whole, changed)
		})
	}
}

// TestX45_PortalsThatLie: a server that loses or doubles a row of what it says to have.
func TestX45_PortalsThatLie(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"socrata", "arcgis"} {
		for _, p := range []*servers.Portal{{Loses: true, Most: 10}, {Doubles: true, Most: 10}} {
			for n := range 25 {
				p.Put(map[string]any{"n": fmt.Sprint(n)})
			}
			rows, _, err := readPortal(t, portalSource(t, kind, serve(t, p.ServeHTTP)))
			if err == nil || !strings.Contains(err.Error(), "changed while it was read") && !strings.Contains(err.Error(), "not requested, or twice") {
				t.Errorf("%s, loses %t: %d rows, error %v", kind, p.Loses, len(rows), err)
			}
		}
	}
}

// TestX45_BadRows: what is wrong with one row is a fault of that row, and not of its page.
func TestX45_BadRows(t *testing.T) {
	t.Parallel()
	rows := []string{`"n":"1"`, `"n":"1","n":"2"`, "\"n\":\"\xff\"", `"n":"\ud800"`, `"n":{"a":1,"a":2}`, `"n":"2"`}
	var socrata, arcgis []string
	for i, row := range rows {
		socrata = append(socrata, fmt.Sprintf(`{":id":"row-%d",%s}`, i, row))
		arcgis = append(arcgis, fmt.Sprintf(`{"attributes":{"FID":%d,%s},"geometry":{"x":"NaN","y":1}}`, i, row))
	}
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text := `{"objectIdField":"FID","maxRecordCount":9,"editingInfo":{"lastEditDate":1},"count":6,"objectIds":[0,1,2,3,4,5]}`
		switch form := r.URL.Query(); {
		case r.Method == http.MethodPost:
			text = `{"features":[` + strings.Join(arcgis, ",") + `]}`
		case strings.HasPrefix(form.Get("$select"), "count"):
			text = `[{"n":"6","latest":"1"}]`
		case strings.Contains(form.Get("$where"), "row-5"):
			text = `[]`
		case form.Has("$limit"):
			text = `[` + strings.Join(socrata, ",") + `]`
		}
		fmt.Fprint(w, text)
	})
	for kind, name := range map[string]string{"socrata": ":id", "arcgis": "FID"} {
		rows, err := readSource(portalSource(t, kind, address))
		var faulty []bool
		for _, row := range rows {
			faulty = append(faulty, row.Fault != nil)
			if !strings.HasPrefix(row.Text(), `{"`+name) || strings.Contains(row.Text(), "geometry") {
				t.Errorf("%s: %s", kind, row.Text())
			}
		}
		if diff := cmp.Diff([]bool{false, true, true, true, true, false}, faulty); diff != "" || err != nil {
			t.Errorf("%s: error %v, faults (-want +got):\n%s", kind, err, diff)
		}
	}
}

// TestX74_Pages: a dataset whose pages have no end, and a response that has none, are errors after a bounded number of bytes.
func TestX74_Pages(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"socrata", "arcgis"} {
		for _, endless := range []bool{false, true} {
			var requests, sent atomic.Int64
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				switch form := r.URL.Query(); {
				case r.Method == http.MethodGet && !form.Has("$limit"):
					text := `{"objectIdField":"FID","maxRecordCount":9,"editingInfo":{"lastEditDate":1},"count":9,"objectIds":[1,2,3]}`
					if form.Has("$select") {
						text = `[{"n":"9","latest":"1"}]`
					}
					fmt.Fprint(w, text)
				case endless:
					blanks := strings.Repeat(" ", 1<<20)
					for _, err := io.WriteString(w, "["); err == nil && sent.Load() < 1<<30; sent.Add(1 << 20) {
						_, err = io.WriteString(w, blanks)
					}
				case kind == "arcgis":
					fmt.Fprint(w, `{"features":[{"attributes":{"FID":1}}]}`) // and never another
				default:
					fmt.Fprint(w, `[{":id":"a"},{":id":"b"}]`) // the same ones again and again
				}
			})
			rows, err := readSource(portalSource(t, kind, address))
			want := map[bool]string{false: "", true: "a response is longer than 64 MiB"}[endless]
			if err == nil || !strings.Contains(err.Error(), want) || len(rows) > 9 || requests.Load() > 10 ||
				sent.Load() > 128<<20 {
				t.Errorf("%s, endless %t: %d rows, error %v, %d requests, %d bytes",
					kind, endless, len(rows), err, requests.Load(), sent.Load())
			}
		}
	}
}

// TestX45_PortalsSayNo: what no portal says, and tokens that are not right.
func TestX45_PortalsSayNo(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		`<!DOCTYPE html><html>hunter2</html>`:         "",
		`{"error":{"code":499,"message":"hunter2"}}`:  "",
		`{"error":true,"message":"hunter2"}`:          "",
		`[{"n":"-1"}]`:                                "does not say",
		`[]`:                                          "does not say",
		`{"maxRecordCount":10,"objectIdField":"FID"}`: "",
	}
	for _, kind := range []string{"socrata", "arcgis"} {
		for answer, want := range answers {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
			_, _, err := readPortal(t, portalSource(t, kind, server.URL))
			server.Close()
			if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "jsontext") || kind == "socrata" && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: error %v", kind, answer, err)
			}
		}
	}
}

// TestX45_Addresses: what an address may be, and that no error, name or log shows what is secret in it.
func TestX45_Addresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"socrata://data.example.gov/abcd-1234":                                        "",
		"socrata://u:hunter2@data.example.gov/abcd-1234?$where=a > 'b'":               "",
		"socrata://data.example.gov/liens":                                            "socrata://HOST/ID",
		"socrata://data.example.gov/abcd-1234?$limit=5":                               "nothing else",
		"socrata://data.example.gov/abcd-1234?$$app_token=hunter2":                    "nothing else",
		"arcgis+https://gis.example.gov/a/rest/services/Liens/FeatureServer/0":        "",
		"arcgis+https://gis.example.gov/a/FeatureServer/0?where=A%3D1&token=hunter2":  "nothing else",
		"arcgis+https://gis.example.gov/a/FeatureServer":                              "number of the layer",
		"arcgis+http://gis.example.gov/a/FeatureServer/0":                             "not sent over http",
		"s3://u:hunter2@counties/a.csv":                                               "s3://BUCKET/KEY",
		"s3://counties/a.bin":                                                         "does not say its format",
		"ftp://u:hunter2@example.org/a.csv":                                           "sources at addresses are",
		"arcgis+https://u:hunter2@gis.example.gov/a/FeatureServer/0?where=A='%zz'":    "nothing else",
		"arcgis+https://u:hunter2@gis.example.gov:port/a/FeatureServer/0?token=other": "not well-formed",
	} {
		all, err := Find(t.Context(), []Input{{Name: address}}, Options{Servers: Servers{ArcGISTokens: map[string]string{"gis.example.gov": "hunter2"}}})
		shown := fmt.Sprint(err, all)
		if (err == nil) != (want == "") || !strings.Contains(shown, want) || strings.Contains(shown, "hunter2") {
			t.Errorf("%s: %s, want %q", address, shown, want)
		}
	}
}

// TestX45_Tokens: a token reaches the server that it is for, and nothing else.
func TestX45_Tokens(t *testing.T) {
	t.Parallel()
	var logged strings.Builder
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p := &servers.Portal{Token: "hunter2"}
	p.Put(map[string]any{"n": "1"})
	address := strings.TrimPrefix(serve(t, p.ServeHTTP), "http://")
	names := []string{"socrata://" + address + "/abcd-1234", "arcgis+http://" + address + "/rest/FeatureServer/0"}
	for token, host := range map[string]string{"hunter2": "127.0.0.1", "hunter22": "127.0.0.1", "hunter2 ": "data.example.gov"} {
		for _, name := range names {
			tokens := map[string]string{host: strings.TrimSpace(token)}
			all, err := Find(t.Context(), []Input{{Name: name}}, Options{Log: log, Servers: Servers{SocrataTokens: tokens, ArcGISTokens: tokens}})
			if err != nil {
				t.Fatal(err)
			}
			rows, _, err := readPortal(t, all[0])
			if (err == nil) != (token == p.Token) || err == nil && len(rows) != 1 || err != nil && !strings.Contains(err.Error(), "403") {
				t.Errorf("%s: %d rows, error %v", name, len(rows), err)
			}
			if strings.Contains(logged.String()+all[0].Name+fmt.Sprint(err), "hunter2") {
				t.Errorf("%s: shows the token: %s %s %v", name, logged.String(), all[0].Name, err)
			}
		}
	}
}
