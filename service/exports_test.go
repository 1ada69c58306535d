package service_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"filings/index/indextest"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestX8_Others: what exports give way to are all requests but exports, until a tenth of a second behind the latest.
func TestX8_Others(t *testing.T) {
	t.Parallel()
	clock := indextest.NewClock(time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC))
	engine := servicetest.Still{Reader: indextest.NewOracle("filings-20260315-000000.000000-v1", nil)}
	s := servicetest.New(t, engine, servicetest.Options{Now: clock.Now})
	get := func(path string) {
		req := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		req.Header.Set("X-API-Key", s.Keys[access.Pro])
		res, err := s.App.Test(req, -1)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	}
	get("/v1/filings/export")
	if s.Service.Others() {
		t.Error("an export counts")
	}
	for _, path := range []string{"/v1/filings", "/v1/nothing"} {
		get(path)
		clock.Advance(99 * time.Millisecond)
		if !s.Service.Others() {
			t.Errorf("%s was forgotten too soon", path)
		}
		clock.Advance(time.Millisecond)
		if s.Service.Others() {
			t.Errorf("%s still counts", path)
		}
	}
}
