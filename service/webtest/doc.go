// Package webtest is for tests from a reader's side: a service on a TLS listener, with synthetic
// filings (Start) or over an engine of the test (StartOver), and a real browser that looks at its
// pages (Open, or Browser for several tests). The content of a page is the tests' own.
package webtest
