package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"filings/reindexer/web"
)

const (
	// batchRows and batchBytes end a batch of rows, of which up to batchesAhead are read before
	// they are wanted.
	batchRows, batchBytes, batchesAhead = 256, 256 << 10, 2
	// maxPage is the longest response of a portal that is read.
	maxPage = 256 << 20
)

// errTransient is wrapped by what a portal says in a response, and another try may mend.
var errTransient = errors.New("for now")

// rowsOf reads all rows of a dataset, and gives each to emit as JSON.
type rowsOf func(ctx context.Context, emit func(row []byte) error) error

// paged are rows that are read in parts, beside what is done with them.
type paged struct {
	batches chan []string
	batch   []string
	rows    jsonRows
	number  int
	err     error // there when batches is closed
}

// openPaged reads rows with do. The Reader ends with ctx.
func openPaged(ctx context.Context, do rowsOf) *Reader {
	ctx, cancel := context.WithCancel(ctx)
	p, done := &paged{batches: make(chan []string, batchesAhead), rows: newJSONRows(Form{})}, make(chan struct{})
	go func() {
		defer close(done)
		defer close(p.batches)
		var batch []string
		size := 0
		send := func() error {
			select {
			case p.batches <- batch:
				batch, size = make([]string, 0, batchRows), 0
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		p.err = do(ctx, func(row []byte) error {
			batch, size = append(batch, string(row)), size+len(row)
			if len(batch) < batchRows && size < batchBytes {
				return nil
			}
			return send()
		})
		if failed := send(); p.err == nil {
			p.err = failed
		}
	}()
	return &Reader{records: p, close: func() {
		cancel()
		<-done
	}}
}

func (p *paged) Line() int { return p.number }

func (p *paged) Next() (Row, error) {
	for len(p.batch) == 0 {
		batch, more := <-p.batches
		if !more && p.err != nil {
			return Row{}, p.err
		}
		if !more {
			return Row{}, io.EOF
		}
		p.batch = batch
	}
	text := p.batch[0]
	p.batch = p.batch[1:]
	p.number++
	return p.rows.row(text, p.number, false)
}

// portal is a server of datasets.
type portal struct {
	c      *web.Client
	user   *url.Userinfo
	header http.Header
	read   *atomic.Int64
}

// request is what is sent to a portal: with a form by POST.
type request struct {
	address *url.URL
	form    url.Values
}

// ask sends the request that next returns, and gives take the JSON of its response. What broke off,
// or was refused for now, is sent again: next then returns what is yet to be read. failed is as in
// web.Client.
func (p portal) ask(ctx context.Context, failed *int, next func() request, take func(*jsontext.Decoder) error) error {
	for {
		of := next()
		if of.address == nil {
			return nil // all was read before it broke off
		}
		response, err := p.c.Send(ctx, failed, func(ctx context.Context) (*http.Request, error) { return p.build(ctx, of) })
		if err != nil {
			return err
		}
		switch response.StatusCode {
		case http.StatusOK:
			body := &io.LimitedReader{R: &counted{ctx: ctx, r: response.Body, n: p.read}, N: maxPage}
			// Rows are checked as records.
			d := jsontext.NewDecoder(body, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
			if err = take(d); body.N <= 0 {
				err = fmt.Errorf("a response is longer than %d MiB", maxPage>>20)
			}
		case http.StatusAccepted: // it is still working on it
			err = fmt.Errorf("%w (%w)", web.Status(response), errTransient)
		default:
			err = web.Status(response)
		}
		response.Body.Close()
		if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
			err = fmt.Errorf("%w: the response is cut off", web.ErrBroken)
		}
		syntax := new(jsontext.SyntacticError)
		if !errors.Is(err, web.ErrBroken) && errors.As(err, &syntax) { // such as a page that says why there are no rows
			err = fmt.Errorf("the response is not what such a server responds with: near byte %d it is no JSON",
				syntax.ByteOffset+1)
		}
		if !errors.Is(err, web.ErrBroken) && !errors.Is(err, errTransient) {
			return err
		}
		if err := p.c.Again(ctx, failed, err, response.Header.Get("Retry-After")); err != nil {
			return err
		}
	}
}

func (p portal) build(ctx context.Context, of request) (*http.Request, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if of.form != nil {
		method, body = http.MethodPost, strings.NewReader(of.form.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, of.address.String(), body)
	if err != nil {
		return nil, errors.New("the address is not well-formed")
	}
	r.Header = p.header.Clone()
	if of.form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if p.user != nil {
		password, _ := p.user.Password()
		r.SetBasicAuth(p.user.Username(), password)
	}
	return r, nil
}

// filterOf returns the one parameter that the address of a dataset may have.
func filterOf(u *url.URL, name string) (string, error) {
	query, err := url.ParseQuery(u.RawQuery)
	where := query.Get(name)
	delete(query, name)
	if err != nil || len(query) > 0 || u.Fragment != "" {
		return "", fmt.Errorf("%w: the address %s may have %s=… after the ?, and nothing else; tokens are settings",
			ErrUsage, web.Public(u), name)
	}
	return where, nil
}

// isLoopback reports whether a host is this machine, so that nobody listens on the way.
func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// elements calls do before each element of an array, which do reads.
func elements(d *jsontext.Decoder, do func() error) error {
	if err := opens(d, '[', "array"); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := do(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// members calls do with the name of each member of an object, before its value, which do reads.
func members(d *jsontext.Decoder, do func(name string) error) error {
	if err := opens(d, '{', "object"); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err == nil {
			err = do(name.String())
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func opens(d *jsontext.Decoder, kind jsontext.Kind, what string) error {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != kind {
		err = fmt.Errorf("the response is not what such a server responds with: no %s of JSON", what)
	}
	return err
}

// member returns a member of a JSON object, as it is written; nil for none.
func member(object []byte, name string) (value jsontext.Value) {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_ = members(d, func(of string) error {
		v, err := d.ReadValue()
		if of == name {
			value = bytes.Clone(v)
			return io.EOF
		}
		return err
	})
	return value
}

// checkRows returns ErrChanged if so many rows were read of those that there were before.
func checkRows(read, rows int64) error {
	if read != rows {
		return fmt.Errorf("%w (%d rows were read, of %d)", ErrChanged, read, rows)
	}
	return nil
}
