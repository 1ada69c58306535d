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
		target, previous := next.URL, sent[len(sent)-1].URL
		switch {
		case len(sent) > most:
			refused = fmt.Errorf("more than %d redirects, the last of them to %s", most, Public(target))
		case target.Scheme != "http" && target.Scheme != "https":
			refused = fmt.Errorf("%s redirects to nothing that is an address of HTTP", Public(previous))
		case previous.Scheme == "https" && target.Scheme == "http":
			refused = fmt.Errorf("%s redirects from https to http, which others on the path could change", Public(previous))
		case target.User == nil && target.Scheme == previous.Scheme && target.Host == previous.Host:
			target.User = previous.User
		}
		return refused
	}}
	response, err := client.Do(r)
	if err != nil { // of the library, which repeats addresses
		return nil, cmp.Or(t.err, refused, fmt.Errorf("%s redirects to nothing that is an address of HTTP", Public(r.URL)))
	}
	return response, nil
}
