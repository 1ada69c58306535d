package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"filings/reindexer/web"
)

// socrataRows is how many rows are asked for at once. A page that breaks off is gone on with where
// it broke.
const socrataRows = 10_000

var (
	socrataPath = regexp.MustCompile(`^/([a-z0-9]{4}-[a-z0-9]{4})/?$`)
	socrataID   = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)
)

// dataset is a dataset of Socrata.
type dataset struct {
	portal
	address *url.URL
	where   string
}

// socrataSource returns the rows of the dataset at socrata://HOST/ID. They are JSON with the names
// of the API's fields, and with the key `:id`.
func socrataSource(c *web.Client, u *url.URL, token string) (Source, error) {
	id := socrataPath.FindStringSubmatch(u.Path)
	if id == nil {
		return Source{}, fmt.Errorf("%w: the address of a dataset is socrata://HOST/ID, such as "+
			"socrata://data.example.gov/abcd-1234", ErrUsage)
	}
	where, err := filterOf(u, "$where")
	if err != nil {
		return Source{}, err
	}
	d := dataset{where: where, portal: portal{c: c, user: u.User, header: http.Header{}, read: new(atomic.Int64)}}
	d.address = &url.URL{Scheme: "https", Host: u.Host, Path: "/resource/" + id[1] + ".json"}
	if isLoopback(u.Hostname()) {
		d.address.Scheme = "http"
	}
	if token != "" {
		d.header.Set("X-App-Token", token)
	}
	s := Source{Name: web.Public(u), unit: "row", format: "socrata"}
	s.state = func(ctx context.Context) (string, error) {
		state, _, err := d.state(ctx)
		return state, err
	}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		d := d
		d.read = read
		state, rows, err := d.state(ctx)
		if err != nil {
			return nil, err
		}
		r := openPaged(ctx, func(ctx context.Context, emit func([]byte) error) error { return d.rows(ctx, rows, emit) })
		r.before, r.now = state, s.state
		return r, nil
	}
	return s, nil
}

// query returns a request of the dataset, of the rows behind the one with a key; "" for all.
func (d *dataset) query(selected, behind string, more url.Values) request {
	values, where := url.Values{"$select": {selected}}, d.where
	if behind != "" {
		where = fmt.Sprintf(":id > '%s'", behind)
		if d.where != "" {
			where = "(" + d.where + ") AND " + where
		}
	}
	if where != "" {
		values.Set("$where", where)
	}
	for name, value := range more {
		values[name] = value
	}
	u := *d.address
	u.RawQuery = values.Encode()
	return request{address: &u}
}

// state returns how many rows the dataset has and when the latest of them changed. A change of it
// changes either.
func (d *dataset) state(ctx context.Context) (state string, rows int64, err error) {
	sums := func() request { return d.query("count(*) as n, max(:updated_at) as latest", "", nil) }
	err = d.ask(ctx, new(int), sums, func(in *jsontext.Decoder) error {
		text, err := in.ReadValue()
		if err != nil {
			return err
		}
		var all []struct{ N, Latest string }
		if err = json.Unmarshal(text, &all); err == nil && len(all) == 1 {
			rows, err = strconv.ParseInt(all[0].N, 10, 64)
		}
		if err != nil || len(all) != 1 || rows < 0 || rows > 0 && all[0].Latest == "" {
			return errors.New("the server does not say how many rows there are, and when they changed")
		}
		state = fmt.Sprintf("%d rows, changed %.40s", rows, all[0].Latest)
		return nil
	})
	return state, rows, err
}

// rows is a rowsOf. Pages by offset lose and double rows; these go by key. A page that is short is
// not the last one: an empty one is.
func (d *dataset) rows(ctx context.Context, rows int64, emit func([]byte) error) error {
	var read int64
	behind, failed, page := "", 0, url.Values{"$order": {":id"}, "$limit": {strconv.Itoa(socrataRows)}}
	for more := true; more && read <= rows; {
		more = false
		next := func() request { return d.query(":id, *", behind, page) }
		err := d.ask(ctx, &failed, next, func(in *jsontext.Decoder) error {
			var last []byte
			err := elements(in, func() error {
				row, err := in.ReadValue()
				if err != nil {
					return err
				}
				last, failed, more, read = append(last[:0], row...), 0, true, read+1
				return emit(row)
			})
			if last == nil {
				return err
			}
			id, invalid := strconv.Unquote(string(member(last, ":id")))
			if invalid != nil || !socrataID.MatchString(id) {
				return errors.New("a row has no key :id")
			}
			behind = id
			return err
		})
		if err != nil {
			return err
		}
	}
	return checkRows(read, rows)
}
