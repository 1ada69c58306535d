package source

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"filings/reindexer/web"
)

var (
	socrataPath = regexp.MustCompile(`^/([a-z0-9]{4}-[a-z0-9]{4})/?$`)
	socrataID   = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)
)

// socrata is a dataset of Socrata.
type socrata struct {
	portal
	latest string // when a row was changed last
}

// socrataSource returns the rows of the dataset at socrata://HOST/ID. They are JSON with the names
// of the API's fields, and with the key `:id`.
func socrataSource(c *web.Client, u *url.URL, token string) (Source, error) {
	id := socrataPath.FindStringSubmatch(u.Path)
	if id == nil {
		return Source{}, fmt.Errorf("%w: the address of a dataset is socrata://HOST/ID, such as "+
			"socrata://data.example.gov/abcd-1234", ErrUsage)
	}
	filter, err := filterOf(u, "$where")
	if err != nil {
		return Source{}, err
	}
	d := socrata{portal: portal{c: c, header: http.Header{}, filter: filter}}
	d.address = &url.URL{Scheme: "https", User: u.User, Host: u.Host, Path: "/resource/" + id[1] + ".json"}
	if isLoopback(u.Hostname()) {
		d.address.Scheme = "http"
	}
	if token != "" {
		d.header.Set("X-App-Token", token)
	}
	return pagedSource(u, "socrata", func(read *atomic.Int64) dataset {
		d := d
		d.read = read
		return &d
	}), nil
}

// socrataResponse requests the selected columns of the rows with a key after one; "" for all.
func socrataResponse[T any](ctx context.Context, d *socrata, key string, values url.Values) ([]T, error) {
	filter := d.filter
	if key != "" {
		filter = fmt.Sprintf(":id > '%s'", key)
		if d.filter != "" {
			filter = "(" + d.filter + ") AND " + filter
		}
	}
	if filter != "" {
		values.Set("$where", filter)
	}
	return responseOf(ctx, d.portal, http.MethodGet, d.address, values, func(*[]T) error { return nil })
}

// state implements dataset: how many rows there are, and when the latest of them changed. A change
// of the dataset changes either.
func (d *socrata) state(ctx context.Context) (state string, rows int64, err error) {
	type sums struct {
		N      string `json:"n"`
		Latest string `json:"latest"`
	}
	totals, err := socrataResponse[sums](ctx, d, "", url.Values{"$select": {"count(*) as n, max(:updated_at) as latest"}})
	if err == nil && len(totals) == 1 {
		rows, err = strconv.ParseInt(totals[0].N, 10, 64)
	}
	if err == nil && (len(totals) != 1 || rows < 0 || rows > 0 && totals[0].Latest == "") {
		err = errors.New("the server does not say how many rows there are, and when they changed")
	}
	if err != nil {
		return "", 0, err
	}
	d.latest = totals[0].Latest
	return fmt.Sprintf("%d rows, changed %.40s", rows, d.latest), rows, nil
}

// updated implements dataset.
func (d *socrata) updated() int64 { return unixTime(time.Parse(time.RFC3339, d.latest)) }

// pages implements dataset. Pages by offset lose and double rows; these go by key. A page that is
// short is not the last one: an empty one is.
func (d *socrata) pages(ctx context.Context, emit func([]jsontext.Value) error) error {
	for last := ""; ; {
		page, err := socrataResponse[jsontext.Value](ctx, d, last,
			url.Values{"$select": {":id, *"}, "$order": {":id"}, "$limit": {strconv.Itoa(pageRows)}})
		if err != nil || len(page) == 0 {
			return err
		}
		if err := emit(page); err != nil {
			return err
		}
		key, invalid := strconv.Unquote(string(member(page[len(page)-1], ":id")))
		if last = key; invalid != nil || !socrataID.MatchString(key) {
			return errors.New("a row has no key :id")
		}
	}
}
