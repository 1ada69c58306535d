package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service/access"
	"filings/service/servicetest"
)

// spoiling is an engine that gives records and changes as a search server could that does not give back what it was sent.
type spoiling struct {
	index.Engine
	spoil func(index.Record) index.Record
}

// randomly spoils records in all ways there are.
func randomly(seed uint64) func(index.Record) index.Record {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(23, seed))
	return func(r index.Record) index.Record {
		mu.Lock()
		defer mu.Unlock()
		if len(r) == 0 {
			return r
		}
		r, err := indextest.Spoil(r, random)
		if err != nil {
			panic(err)
		}
		return r
	}
}

// byName gives members in the order of their names.
func byName(r index.Record) index.Record {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(r, &members); err != nil {
		panic(err)
	}
	sorted, _ := json.Marshal(members) // which was JSON before
	return sorted
}

func (e spoiling) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return spoilingReader{r, e.spoil}, err
}

func (e spoiling) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return spoilingReader{r, e.spoil}, err
}

func (e spoiling) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	page, err := e.Engine.Changes(ctx, q)
	page.Changes = slices.Clone(page.Changes)
	for i, c := range page.Changes {
		page.Changes[i].Later.Record, page.Changes[i].Earlier.Record = e.spoil(c.Later.Record), e.spoil(c.Earlier.Record)
	}
	return page, err
}

type spoilingReader struct {
	index.Reader
	spoil func(index.Record) index.Record
}

func (r spoilingReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	page, err := r.Reader.Rows(ctx, q)
	page.Records = slices.Clone(page.Records)
	for i, record := range page.Records {
		page.Records[i] = r.spoil(record)
	}
	return page, err
}

func (r spoilingReader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	records, err := r.Reader.Filings(ctx, ids)
	for i, record := range records {
		if record != nil {
			records[i] = r.spoil(record)
		}
	}
	return records, err
}

// telling are filings whose texts and numbers say of which field they are.
func telling(n int) (all []*index.Filing) {
	for id := range n {
		v := edges.Values{index.County: "Orange, FL", index.FilingDate: "2026-03-14", index.ForeclosureStatus: "Active"}
		for _, f := range index.Fields()[1:index.NumReturned] {
			switch kind := f.Info().Kind; {
			case kind == index.KindText && f != index.ForeclosureStatus, kind == index.KindLongText:
				v[f] = "only " + f.String()
			case kind == index.KindAmount, kind == index.KindNumber:
				v[f] = 7_700_000 + float64(f)
			}
		}
		all = append(all, edges.Filing(int64(id+1), v))
	}
	return all
}

// fetch reads a response to its end; err is how it broke off.
func (s *site) fetch(t *testing.T, l *servicetest.Listener, tier access.Tier, target string) (status int, body string, err error) {
	t.Helper()
	target, accept, _ := strings.Cut(target, " as ")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Address+target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("X-API-Key", s.Keys[tier])
	res, err := l.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	return res.StatusCode, string(all), err
}

// leaks returns the first field that body shows although its reader sees tier's alone; "" for none.
func leaks(body string, tier index.Tier) string {
	for _, f := range index.Fields()[1:index.NumReturned] {
		if !f.Returned(tier) && (strings.Contains(body, "only "+f.String()) || strings.Contains(body, fmt.Sprint(7_700_000+int(f)))) {
			return f.String()
		}
	}
	return ""
}

// TestX23_EveryWayOut: on every path that a record leaves by, spoiled records never show a field above the tier. What is not
// sent is a 500 and an ERROR line, which shows nothing of a record; an export in progress is cut.
func TestX23_EveryWayOut(t *testing.T) {
	t.Parallel()
	filings := telling(40)
	tiers := map[access.Tier]index.Tier{
		access.Free: index.Free, access.Starter: index.Free, access.Pro: index.Pro, access.Enterprise: index.Enterprise,
	}
	targets := []string{
		"/v1/filings?limit=1", "/v1/filings?limit=2&offset=%d", "/v1/filings?cursor=*&limit=1", "/v1/filings?limit=1&fields=owner,filingAmount", "/v1/filings?fields=id",
		"/v1/filings?limit=1 as " + geoJSON, "/v1/filings/search?q=only&limit=1&fields=id,owner as " + geoJSON,
		"/v1/filings/search?q=only&limit=1", "/v1/filings/%d", "/v1/filings/%d?fields=county,owner", "/v1/liens?limit=1", "/v1/liens/%d",
		"/v1/filings/export?ids=%d", "/v1/filings/export?ids=%d&format=csv", "/v1/filings/export?ids=%d&format=parquet",
		"/v1/filings/export?ids=%d&fields=owner,filingAmount", "/v1/filings/changes?since=20260314-000000.000000&limit=1",
	}
	for _, cached := range []bool{false, true} {
		t.Run(fmt.Sprintf("cached %t", cached), func(t *testing.T) {
			t.Parallel()
			var e index.Engine = spoiling{grown(filings), randomly(1)}
			if cached {
				e = caching{e}
			}
			s := newSite(t, e)
			l := servicetest.ListenTLS(t, s.App)
			failed, served := 0, 0
			for round := range 12 {
				for _, target := range targets {
					if strings.Contains(target, "%d") {
						target = fmt.Sprintf(target, 1+round%len(filings))
					}
					for tier, sees := range tiers {
						status, body, err := s.fetch(t, l, tier, target)
						switch {
						case status == http.StatusOK && err == nil:
							served++
						case status == http.StatusInternalServerError || err != nil:
							failed++
						default:
							t.Fatalf("%s, %s: %d %s", tier, target, status, body)
						}
						if field := leaks(body, sees); field != "" {
							t.Fatalf("%s, %s: %s in %s", tier, target, field, body)
						}
					}
				}
			}
			log := s.Log.String()
			if strings.Contains(log, "only ") {
				t.Error("the log shows what is in a record")
			}
			if n := strings.Count(log, `"level":"ERROR"`); n != failed || failed == 0 || served == 0 {
				t.Errorf("%d served, %d failed, %d ERROR lines", served, failed, n)
			}
		})
	}
}

// TestX23_Ready: an engine that gives members in another order is not ready, and a response of 500 has nothing by which it
// could be kept.
func TestX23_Ready(t *testing.T) {
	t.Parallel()
	s := newSite(t, spoiling{oracle(telling(3)), byName})
	a := s.get(t, access.Free, "/v1/filings?generation=20260315-000000.000000")
	if a.status != http.StatusInternalServerError || a.header.Get("ETag") != "" || strings.Contains(a.header.Get("Cache-Control"), "max-age") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	if a := send(t, s.Service.Operations(), http.MethodGet, "/readyz"); a.status != http.StatusServiceUnavailable {
		t.Errorf("ready: %d %s", a.status, a.body)
	}
}
