// Package webtest is for tests of what a client or a reader meets: a service with made-up filings on a TLS listener of
// the loopback interface (Start), and a real browser that looks at its pages (Open). It refuses to know what is on a
// page: that is the tests' own.
package webtest
