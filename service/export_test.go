package service_test

import (
	"testing"

	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service/access"
	"filings/service/servicetest"
)

func TestX5_Smoke(t *testing.T) {
	t.Parallel()
	s := newSite(t, servicetest.Still{Reader: indextest.NewOracle("filings-20261122-051422.061847-1", edges.Fuzzed(500, 3))})
	a := s.get(t, access.Free, "/v1/filings/export")
	t.Log(a.status, a.header, len(a.body), s.used(t, "user-free"))
	t.Log(s.Log.String())
	a = s.do(t, "HEAD", access.Free, "/v1/filings/export")
	t.Log(a.status, a.header, len(a.body), s.used(t, "user-free"))
	a = s.get(t, access.Free, "/v1/filings/export?format=xml")
	t.Log(a.status, a.header, a.body, s.used(t, "user-free"))
}
