package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"filings/reindexer/web"
)

const (
	// maxPage is the longest response of a portal that is read. It is decoded as a whole.
	maxPage = 64 << 20
	// pageRows is how many rows are requested at once: few enough that a page which breaks off is
	// soon requested again.
	pageRows = 2_000
)

// dataset is a portal's data at an address.
type dataset interface {
	// state returns the state, and how many rows there are.
	state(ctx context.Context) (state string, rows int64, err error)
	// updated returns when the dataset says, in state, that it was updated last: seconds of Unix
	// time, 0 where it does not.
	updated() int64
	// pages reads page after page, and gives the rows of each to emit, as JSON.
	pages(ctx context.Context, emit func(page []jsontext.Value) error) error
}

// pagedSource returns the source of the dataset at an address. connect returns one for a reading,
// which adds the bytes of responses to read.
func pagedSource(u *url.URL, format string, connect func(read *atomic.Int64) dataset) Source {
	s := Source{Name: web.Public(u), unit: "row", format: format}
	s.state = func(ctx context.Context) (string, error) {
		state, _, err := connect(new(atomic.Int64)).state(ctx)
		return state, err
	}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		d := connect(read)
		state, rows, err := d.state(ctx)
		if err != nil {
			return nil, err
		}
		r := openPaged(ctx, d, rows)
		r.opened, r.current, r.Updated = state, s.state, d.updated()
		return r, nil
	}
	return s
}

// paged are the rows of pages.
type paged struct {
	pages  chan []jsontext.Value
	page   []jsontext.Value // its rows that are not read yet
	rows   jsonRows
	number int
	err    error // there when pages is closed
}

// openPaged reads a dataset of so many rows, each page while the rows of the one before it are
// read: the times of portal and load would add up otherwise. The Reader ends with ctx.
func openPaged(ctx context.Context, d dataset, rows int64) *Reader {
	ctx, cancel := context.WithCancel(ctx)
	p := &paged{pages: make(chan []jsontext.Value), rows: newJSONRows(Form{})}
	go func() {
		defer close(p.pages)
		sent := int64(0)
		p.err = d.pages(ctx, func(page []jsontext.Value) error {
			if sent += int64(len(page)); sent > rows { // or there would be no end of them
				return fmt.Errorf("%w (there were %d rows, and more are read)", ErrChanged, rows)
			}
			select {
			case p.pages <- page:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if p.err == nil && sent != rows {
			p.err = fmt.Errorf("%w (%d rows were read, of %d)", ErrChanged, sent, rows)
		}
	}()
	return &Reader{records: p, close: func() {
		cancel()
		for range p.pages { // until it ended
		}
	}}
}

func (p *paged) Line() int { return p.number }

func (p *paged) Next() (Row, error) {
	for len(p.page) == 0 {
		page, more := <-p.pages
		if !more {
			return Row{}, cmp.Or(p.err, io.EOF)
		}
		p.page = page
	}
	text := string(p.page[0])
	p.page = p.page[1:]
	p.number++
	return p.rows.row(text, p.number, false)
}

// portal is a server of datasets, and the one that is read.
type portal struct {
	c       *web.Client
	header  http.Header
	read    *atomic.Int64
	address *url.URL
	filter  string
}

// responseOf requests an address with values, in the body of a POST. It decodes the JSON of the
// response and checks it. It sends the request again where the response breaks off or is cut off,
// and where the server refuses it for now.
func responseOf[T any](
	ctx context.Context, p portal, method string, address *url.URL, values url.Values, check func(*T) error,
) (decoded T, err error) {
	request, err := p.request(ctx, method, address, values)
	if err != nil {
		return decoded, err
	}
	err = p.c.Whole(request, maxPage, func(response *http.Response, body []byte) error {
		p.read.Add(int64(len(body)))
		switch response.StatusCode {
		case http.StatusOK:
		case http.StatusAccepted: // it is still working on it
			return fmt.Errorf("%w (%w)", web.Status(response), web.ErrTransient)
		default:
			return web.Status(response)
		}
		decoded = *new(T)
		// Rows are checked as records.
		err := json.Unmarshal(body, &decoded, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		syntax := new(jsontext.SyntacticError)
		switch {
		case err == nil:
			return check(&decoded)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%w: the response is cut off", web.ErrBroken)
		case errors.As(err, &syntax): // such as a page that says why there are no rows
			return fmt.Errorf("%w: near byte %d it is no JSON", errForeign, syntax.ByteOffset+1)
		}
		return errForeign
	})
	return decoded, err
}

var errForeign = errors.New("the response is not what such a server responds with")

func (p portal) request(
	ctx context.Context, method string, address *url.URL, values url.Values,
) (*http.Request, error) {
	u, body := *address, ""
	if method == http.MethodPost {
		body = values.Encode()
	} else {
		u.RawQuery = values.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, errors.New("the address is not well-formed")
	}
	r.Header = p.header.Clone()
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, nil
}

// filterOf returns the one parameter that the address of a dataset may have.
func filterOf(u *url.URL, name string) (string, error) {
	query, err := url.ParseQuery(u.RawQuery)
	filter := query.Get(name)
	delete(query, name)
	if err != nil || len(query) > 0 || u.Fragment != "" {
		return "", fmt.Errorf("%w: the address %s may have %s=… after the ?, and nothing else; tokens are settings",
			ErrUsage, web.Public(u), name)
	}
	return filter, nil
}

// isLoopback reports whether a host is this machine, so that nobody listens on the way.
func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// member returns a member of an object of JSON; nil for none.
func member(object jsontext.Value, name string) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewBuffer(object),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != '}' {
		var token jsontext.Token
		var value jsontext.Value
		if token, err = d.ReadToken(); err == nil {
			found := token.String() == name
			if value, err = d.ReadValue(); found {
				return value
			}
		}
	}
	return nil
}
