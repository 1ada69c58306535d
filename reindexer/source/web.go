package source

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"filings/reindexer/web"
)

// maxRedirects is enough for http to https to a storage service, and ends a circle.
const maxRedirects = 5

// webSource returns the source at u, whose format is known by its name, else by its media type.
func webSource(c *web.Client, u *url.URL, f Form) Source {
	f = f.named(u.Path)
	s := Source{Name: web.Public(u), unit: f.unit(), format: f.Format}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		response, format, err := openWeb(ctx, c, u, f.Format)
		if err != nil {
			return nil, err
		}
		f := f
		f.Format = format
		r, err := open(ctx, c.Resumed(response), f, read)
		if err == nil {
			r.opened, r.Updated = webState(response), unixTime(http.ParseTime(response.Header.Get("Last-Modified")))
		}
		return r, err
	}
	s.state = func(ctx context.Context) (string, error) {
		response, err := getWeb(ctx, c, http.MethodHead, u)
		if err != nil {
			return "", nil // GET may say more
		}
		defer response.Body.Close()
		return webState(response), nil
	}
	return s
}

// webState returns the state that an ETag names. A weak one may be that of two states.
func webState(response *http.Response) string {
	if etag := response.Header.Get("ETag"); strings.HasPrefix(etag, `"`) {
		return "web " + etag
	}
	return ""
}

// unixTime returns a time that was read in seconds of Unix time; 0 for one that was not.
func unixTime(t time.Time, err error) int64 {
	if err != nil {
		return 0
	}
	return max(0, t.Unix())
}

// openWeb requests u.
func openWeb(ctx context.Context, c *web.Client, u *url.URL, format string) (*http.Response, string, error) {
	response, err := getWeb(ctx, c, http.MethodGet, u)
	if err != nil {
		return nil, "", err
	}
	if format == "" {
		format = formatOfMedia(response.Header.Get("Content-Type"))
	}
	switch {
	case format == "":
		err = errors.New("neither its name nor its Content-Type says the format: give --format")
	case response.ProtoMajor == 1 && response.ContentLength < 0 && len(response.TransferEncoding) == 0:
		err = errors.New("the server does not announce how long its response is, so that a cut connection would look like " +
			"the end: fetch it to a file first")
	}
	if err != nil {
		response.Body.Close()
	}
	return response, format, err
}

// getWeb requests u, follows redirects, and returns a response with the status 200.
func getWeb(ctx context.Context, c *web.Client, method string, u *url.URL) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, errors.New("the address is not well-formed")
	}
	response, err := c.Follow(r, maxRedirects)
	if err == nil && response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, web.Status(response)
	}
	return response, err
}

// formatOfMedia returns the format that a Content-Type says, "" if it says none.
func formatOfMedia(contentType string) string {
	media, _, _ := mime.ParseMediaType(contentType) // a wrong parameter leaves the type
	switch media {
	case "application/x-ndjson":
		return NDJSON
	case "text/csv", "text/tab-separated-values":
		return CSV
	case "application/json", "application/geo+json":
		return JSON
	case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
		return XLSX
	case "application/vnd.apache.parquet":
		return Parquet
	case "application/zip", "application/x-zip-compressed":
		return Zip
	}
	return ""
}
