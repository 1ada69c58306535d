package web

import (
	"cmp"
	"fmt"
	"net/http"
)

// Follow sends a request as Send does, and follows up to so many redirects. Only the same server
// gets the user and password again, and none the parameters of the address before.
func (c *Client) Follow(r *http.Request, most int) (*http.Response, error) {
	t, refused := &retrier{Client: c}, error(nil)
	client := http.Client{Transport: t, CheckRedirect: func(next *http.Request, sent []*http.Request) error {
		t.failed = 0
		next.Header.Del("Referer")
		to, from := next.URL, sent[len(sent)-1].URL
		switch {
		case len(sent) > most:
			refused = fmt.Errorf("more than %d redirects, the last of them to %s", most, Public(to))
		case to.Scheme != "http" && to.Scheme != "https":
			refused = fmt.Errorf("%s redirects to nothing that is an address of HTTP", Public(from))
		case from.Scheme == "https" && to.Scheme == "http":
			refused = fmt.Errorf("%s redirects from https to http, which others on the path could change", Public(from))
		case to.User == nil && to.Scheme == from.Scheme && to.Host == from.Host:
			to.User = from.User
		}
		return refused
	}}
	response, err := client.Do(r)
	if err != nil { // of the library, which repeats addresses
		return nil, cmp.Or(t.err, refused, fmt.Errorf("%s redirects to nothing that is an address of HTTP", Public(r.URL)))
	}
	return response, nil
}
