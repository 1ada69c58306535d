package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/mappings"
)

// testClient returns a client of the real Elasticsearch.
func testClient(t testing.TB) *client {
	t.Helper()
	cfg := Config{Addresses: []string{servers.Elasticsearch(t)}, Index: "filings", Shards: 1}
	c, err := newClient(cfg, func(rt http.RoundTripper) http.RoundTripper { return rt })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testReader returns a reader of a new index with filings, made without the help of Store: what reading does must not
// depend on how well loading works.
func testReader(t testing.TB, shards int, filings []*index.Filing) *reader {
	t.Helper()
	c := testClient(t)
	name := "reading-" + strconv.FormatUint(rand.Uint64(), 36)
	t.Cleanup(func() {
		if _, err := c.do(context.Background(), http.MethodDelete, "/"+name, nil, nil); err != nil {
			t.Error(err)
		}
	})
	body, err := mappings.Body(map[string]any{
		"number_of_shards": shards, "number_of_replicas": 0, "refresh_interval": "-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	must(t, c, http.MethodPut, "/"+name, nil, body)
	load(t, c, name, filings)

	r := newReader(c, name)
	owners, err := r.countOwners(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := json.Marshal(object{"_meta": meta{Sealed: true, Generation: name, Owners: owners}})
	if err != nil {
		t.Fatal(err)
	}
	must(t, c, http.MethodPut, "/"+name+"/_mapping", nil, sealed)
	return r
}

func load(t testing.TB, c *client, name string, filings []*index.Filing) {
	t.Helper()
	var bulk []byte
	for i, f := range filings {
		bulk = fmt.Appendf(bulk, `{"index":{"_id":"%d"}}`+"\n", f.ID)
		bulk = append(appendDocument(bulk, f), '\n')
		if len(bulk) > 4<<20 || i == len(filings)-1 {
			answer := must(t, c, http.MethodPost, "/"+name+"/_bulk", url.Values{"filter_path": {"errors,items.*.error"}}, bulk)
			if !bytes.Contains(answer, []byte(`"errors":false`)) {
				t.Fatalf("loading: %.500s", answer)
			}
			bulk = bulk[:0]
		}
	}
	must(t, c, http.MethodPost, "/"+name+"/_refresh", nil, nil)
}

func must(t testing.TB, c *client, method, path string, query url.Values, body []byte) []byte {
	t.Helper()
	answer, err := c.do(t.Context(), method, path, query, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// made returns n made-up filings, the same ones each time: with many equal values, so that ties have to be broken, and
// with every field missing now and then.
func made(n int) []*index.Filing {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	filings := make([]*index.Filing, n)
	for i := range filings {
		f := &index.Filing{ID: int64(i + 1)}
		some := func(field index.Field, values ...string) {
			if k := rnd.IntN(len(values) + 1); k < len(values) {
				f.SetText(field, values[k])
			}
		}
		f.SetText(index.County, []string{"Orange, FL", "Orange, CA", "ORANGE, FL", "Şile, TX", "Lake, FL"}[rnd.IntN(5)])
		some(index.Owner, "ALDER TRUST", "Alder Trust", "alden, b", "Žofie Ĺ", "EST OF DOE", "A", "東京 太郎", "Doe \u2028 \"\\ \x01😀")
		some(index.PropertyAddress, "1 Elm St, Ocoee, FL 34761", "2 Elm St", "3  Oak\tAve, Lake, CA")
		some(index.CaseNumber, "2024-"+strconv.Itoa(i), "X_%*?", "9")
		some(index.FilingType, "Tax Lien", "TAX LIEN", "Municipal Lien")
		some(index.FilingDate, "2024-01-31", "2024-02-01", "1999-12-31", fmt.Sprintf("20%02d-03-%02d", rnd.IntN(25), 1+rnd.IntN(28)))
		some(index.DateRange, "2024-01-01 to 2024-01-31", "2023-01-01 to 2024-01-31")
		some(index.PropertyClassification, "residential", "Land")
		some(index.ForeclosureStatus, "Auction", "lis pendens")
		if rnd.IntN(4) > 0 {
			f.SetNumber(index.FilingAmount, []float64{0, 0.1, 12345678.91, -5.25, float64(rnd.IntN(1e6)) / 100}[rnd.IntN(5)])
			f.SetNumber(index.CurrentAmount, float64(rnd.IntN(400)-200)*1.25)
		}
		if rnd.IntN(3) > 0 {
			f.SetNumber(index.Latitude, 28+float64(rnd.IntN(1000))/1000)
			f.SetNumber(index.Longitude, []float64{-180, 180, -81.5 + float64(rnd.IntN(1000))/1000}[rnd.IntN(3)])
		}
		if rnd.IntN(2) > 0 {
			f.SetNumber(index.EstimatedValue, float64(rnd.IntN(5)))
			f.SetNumber(index.HomeEquityEstimate, 1)
			f.SetNumber(index.LotSizeAcres, float64(rnd.IntN(100))/10_000)
			f.Categories = index.CategoryValues[rnd.IntN(3) : rnd.IntN(2)+3]
		}
		f.CreatedAt = time.Date(2024, 5, 1, 0, 0, rnd.IntN(4)*40_000, rnd.IntN(2)*1000, time.UTC)
		filings[i] = f
	}
	return filings
}
