package apitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"

	"filings/index"
	"filings/index/indextest"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// site is a service under test with an account of each tier, at the time now.
type site struct {
	*servicetest.Site
	clock  *indextest.Clock
	engine index.Engine
}

// newSite starts a service over engine. Options change its configuration first.
func newSite(t testing.TB, engine index.Engine, options ...func(*service.Config)) *site {
	t.Helper()
	return newSiteWith(t, engine, servicetest.Limits(), options...)
}

func newSiteWith(t testing.TB, engine index.Engine, l access.Limits, options ...func(*service.Config)) *site {
	t.Helper()
	clock := indextest.NewClock(now)
	o := servicetest.Options{Limits: l, Now: clock.Now, Configure: options}
	if _, ok := engine.(caching); ok {
		o.CacheBytes = cacheBytes
	}
	return &site{servicetest.New(t, engine, o), clock, engine}
}

// caching is an engine that a site puts a cache in front of, as in production.
type caching struct{ index.Engine }

// used returns how many requests count for user, once every refund is done.
func (s *site) used(t testing.TB, user string) int64 {
	t.Helper()
	if err := s.Service.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	account, err := s.Store.Show(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return account.Used
}

// response is what a client got.
type response struct {
	status int
	header http.Header
	body   string
}

// get sends a GET for target as an account of tier; "" for no key. More headers follow as name, value.
func (s *site) get(t testing.TB, tier access.Tier, target string, headers ...string) response {
	t.Helper()
	return s.do(t, http.MethodGet, tier, target, headers...)
}

func (s *site) do(t testing.TB, method string, tier access.Tier, target string, headers ...string) response {
	t.Helper()
	if tier != "" {
		headers = append(headers, "X-API-Key", s.Keys[tier])
	}
	return send(t, s.App, method, target, headers...)
}

func send(t testing.TB, app *fiber.App, method, target string, headers ...string) response {
	t.Helper()
	req := httptest.NewRequest(method, "/", http.NoBody)
	req.RequestURI = target // as it is: a URL would not hold what does not decode
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := app.Test(req, -1)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return response{res.StatusCode, res.Header, string(body)}
}

// document is the envelope as a client reads it.
type document struct {
	Success    *bool
	Data       json.RawMessage
	Pagination *struct {
		Total, Limit, Offset int64
		HasMore              bool `json:"has_more"`
	}
	Meta *struct {
		RequestID string `json:"request_id"`
		Tier      string
		Remaining *int64 `json:"rate_limit_remaining"`
	}
	Error *struct{ Code, Message, Parameter string }
}

func (a response) document(t testing.TB) document {
	t.Helper()
	var d document
	if err := json.Unmarshal([]byte(a.body), &d); err != nil {
		t.Fatalf("%d %q: %v", a.status, a.body, err)
	}
	return d
}

// ids returns the ids of a response's filings, in order.
func (a response) ids(t testing.TB) []int64 {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	var filings []struct{ ID int64 }
	if err := json.Unmarshal(a.document(t).Data, &filings); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	ids := []int64{}
	for _, f := range filings {
		ids = append(ids, f.ID)
	}
	return ids
}

// oracle returns an engine that serves filings by plain loops.
func oracle(filings []*index.Filing) index.Engine {
	return servicetest.Still{Reader: indextest.NewOracle(oracleName, filings)}
}

const oracleName = "filings-20260315-000000.000000-v1"

// grown is oracle, with changes since the day before, when there were no filings yet.
func grown(filings []*index.Filing) index.Engine {
	var h indextest.History
	h.Promote("filings-20260314-000000.000000-v1", nil, oracleName, filings)
	return servicetest.Still{Reader: indextest.NewOracle(oracleName, filings), Past: &h}
}
