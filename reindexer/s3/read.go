package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// ErrChanged: an object is not any more what it was when its reading began.
var ErrChanged = errors.New("the object was changed while it was read")

// Head returns an object with its size and ETag, or ErrNotFound.
func (c *Client) Head(ctx context.Context, o Object) (Object, error) {
	response, err := c.send(ctx, new(int), http.MethodHead, c.address(o.Bucket, o.Key, nil), nil, nil, http.StatusOK)
	if err != nil {
		return o, err
	}
	defer response.Body.Close()
	o.Size, o.ETag = response.ContentLength, response.Header.Get("ETag")
	if o.Size < 0 || o.ETag == "" {
		return o, fmt.Errorf("%s says neither size nor ETag", o)
	}
	return o, nil
}

const (
	// maxList is the longest response to a list that is read: 1,000 objects, with keys of 1,024 bytes each written as three, have 4 MB.
	maxList = 16 << 20
	// maxObjects is how many objects and folders a folder may have, which are all held in memory.
	maxObjects = 100_000
)

// listed is a page of a list.
type listed struct {
	Contents []struct {
		Key  string
		Size int64
		ETag string
	}
	CommonPrefixes        []struct{ Prefix string }
	EncodingType          string // of keys; "" where the server ignores that they were asked for as url
	IsTruncated           bool
	NextContinuationToken string
}

// List returns the objects whose keys begin with that of o and have no slash after it, in the order of their keys; and how the keys of the
// others begin, up to that slash.
func (c *Client) List(ctx context.Context, o Object) (objects []Object, folders []string, err error) {
	query := url.Values{"list-type": {"2"}, "delimiter": {"/"}, "prefix": {o.Key}, "encoding-type": {"url"}}
	for failed := 0; ; {
		var page listed
		response, err := c.send(ctx, &failed, http.MethodGet, c.address(o.Bucket, "", query), nil, nil, http.StatusOK)
		if err != nil {
			return nil, nil, err
		}
		body := &io.LimitedReader{R: response.Body, N: maxList}
		err = xml.NewDecoder(body).Decode(&page)
		response.Body.Close()
		if err != nil && body.N == 0 {
			return nil, nil, fmt.Errorf("the list of objects: a response is longer than %d MiB", maxList>>20)
		}
		if err != nil {
			if err = c.Again(ctx, &failed, fmt.Errorf("the list of objects: %w", err), ""); err != nil {
				return nil, nil, err
			}
			continue
		}
		failed = 0
		for _, of := range page.Contents {
			key, err := of.Key, error(nil)
			if page.EncodingType == "url" {
				key, err = url.QueryUnescape(of.Key)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("the list of objects has the key %.200q", of.Key)
			}
			objects = append(objects, Object{o.Bucket, key, of.Size, of.ETag})
		}
		for _, of := range page.CommonPrefixes {
			folders = append(folders, of.Prefix)
		}
		switch {
		case len(objects)+len(folders) > maxObjects:
			return nil, nil, fmt.Errorf("the list of objects has more than %d: name a folder within", maxObjects)
		case !page.IsTruncated:
			return objects, folders, nil
		case page.NextContinuationToken == "" || page.NextContinuationToken == query.Get("continuation-token"):
			return nil, nil, errors.New("the list of objects does not say where it goes on")
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
}

// Get reads an object from its beginning to its end. After a connection broke it goes on where it was, as long as the object has the same
// ETag; else reading is ErrChanged.
func (c *Client) Get(ctx context.Context, o Object) io.ReadCloser {
	return &reader{c: c, ctx: ctx, o: o}
}

type reader struct {
	c      *Client
	ctx    context.Context
	o      Object
	body   io.ReadCloser // nil: none
	at     int64
	failed int
}

func (r *reader) Read(p []byte) (int, error) {
	for r.at < r.o.Size {
		if r.body == nil {
			if err := r.open(); err != nil {
				return 0, err
			}
		}
		n, err := r.body.Read(p)
		if n > 0 {
			r.at, r.failed = r.at+int64(n), 0
		}
		if err != nil {
			_ = r.Close()
		}
		if err == io.EOF && r.at < r.o.Size {
			err = io.ErrUnexpectedEOF
		}
		if n > 0 || err == nil {
			return n, nil // a failure is met by the next call
		}
		if err := r.c.Again(r.ctx, &r.failed, err, ""); err != nil {
			return 0, err
		}
	}
	if r.at > r.o.Size {
		return 0, ErrChanged
	}
	return 0, io.EOF
}

// open requests what is yet to be read.
func (r *reader) open() error {
	header, status := http.Header{"If-Match": {r.o.ETag}}, http.StatusOK
	if r.at > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", r.at))
		status = http.StatusPartialContent
	}
	response, err := r.c.send(r.ctx, &r.failed, http.MethodGet, r.c.address(r.o.Bucket, r.o.Key, nil), header, nil,
		status, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusNotFound)
	if err != nil {
		return err
	}
	part := fmt.Sprintf("bytes %d-%d/%d", r.at, r.o.Size-1, r.o.Size)
	switch etag := response.Header.Get("ETag"); {
	case response.StatusCode != status || etag != "" && strings.TrimPrefix(etag, "W/") != strings.TrimPrefix(r.o.ETag, "W/"):
		err = ErrChanged
	case r.at > 0 && response.Header.Get("Content-Range") != part:
		err = fmt.Errorf("the server does not send the part %q of the object, but %.200q", part, response.Header.Get("Content-Range"))
	}
	if err != nil {
		response.Body.Close()
		return err
	}
	r.body = response.Body
	return nil
}

func (r *reader) Close() (err error) {
	if r.body != nil {
		err = r.body.Close()
	}
	r.body = nil
	return err
}
