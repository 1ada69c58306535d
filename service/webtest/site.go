package webtest

import (
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
	"filings/index/synthetic"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// Filings is how many filings Synthetic returns: enough for every filter to find something, few enough for plain loops.
const Filings = 3000

// Site is a running service.
type Site struct {
	Address     string // https://127.0.0.1:port
	Key         string // of an enterprise account
	Certificate string // PEM file of the certificate that clients must trust
}

// Synthetic returns synthetic filings, which end today.
func Synthetic() []*index.Filing {
	g := synthetic.NewUntil(1, time.Now())
	filings := make([]*index.Filing, Filings)
	for i := range filings {
		filings[i] = &index.Filing{}
		g.Next(filings[i])
	}
	return filings
}

// Start runs a service with synthetic filings until the test ends: two more than the day before, and one less.
func Start(t testing.TB) Site {
	t.Helper()
	const live = "filings-20260315-000000.000000-v1"
	filings, past := Synthetic(), &indextest.History{}
	past.Promote("filings-20260314-000000.000000-v1", filings[2:], live, filings[:len(filings)-1])
	return StartOver(t, servicetest.Still{Reader: indextest.NewOracle(live, filings), Past: past})
}

// StartOver runs a service over engine until the test ends. Options change its configuration first.
func StartOver(t testing.TB, engine index.Engine, options ...func(*service.Config)) Site {
	t.Helper()
	unhurried := func(c *service.Config) { c.RequestTimeout = 30 * time.Second }
	s := servicetest.New(t, engine, servicetest.Options{Configure: append([]func(*service.Config){unhurried}, options...)})
	l := servicetest.ListenTLS(t, s.App)
	return Site{"https://" + l.Address, s.Keys[access.Enterprise], l.Certificate}
}
