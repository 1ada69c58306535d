// Package webtest is for tests of what a reader meets: a service with synthetic filings on a TLS listener (Start), and a
// real browser that looks at its pages (Open). It refuses to know what is on a page: that is the tests' own.
package webtest
