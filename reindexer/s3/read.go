package s3

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"filings/reindexer/web"
)

// Head returns an object with its size and ETag, or ErrNotFound.
func (c *Client) Head(ctx context.Context, o Object) (Object, error) {
	response, err := c.send(c.request(ctx, http.MethodHead, o, nil, nil))
	if err != nil {
		return o, err
	}
	defer response.Body.Close()
	o.Size, o.ETag = response.ContentLength, response.Header.Get("ETag")
	if t, err := http.ParseTime(response.Header.Get("Last-Modified")); err == nil {
		o.Modified = t.Unix()
	}
	if o.Size < 0 || o.ETag == "" {
		return o, fmt.Errorf("%s says neither size nor ETag", o)
	}
	return o, nil
}

const (
	// maxList is the longest response to a list that is read: 1,000 objects, with keys of 1,024
	// bytes each written as three, have 4 MB.
	maxList = 16 << 20
	// maxObjects is how many objects and folders a folder may have, which are all kept in memory.
	maxObjects = 100_000
)

// listed is a page of a list.
type listed struct {
	Contents []struct {
		Key  string
		Size int64
		ETag string

		LastModified time.Time
	}
	CommonPrefixes        []struct{ Prefix string }
	EncodingType          string // of keys; "" where the server ignores that they were requested as url
	IsTruncated           bool
	NextContinuationToken string
}

// List returns the objects whose keys begin with that of o and have no slash after it, in the order
// of their keys; and how the keys of the others begin, up to that slash.
func (c *Client) List(ctx context.Context, o Object) (objects []Object, folders []string, err error) {
	query := url.Values{"list-type": {"2"}, "delimiter": {"/"}, "prefix": {o.Key}, "encoding-type": {"url"}}
	for {
		page, err := c.list(c.request(ctx, http.MethodGet, Object{Bucket: o.Bucket}, query, nil))
		if err != nil {
			return nil, nil, err
		}
		for _, object := range page.Contents {
			key, err := object.Key, error(nil)
			if page.EncodingType == "url" {
				key, err = url.QueryUnescape(object.Key)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("the list of objects has the key %.200q", object.Key)
			}
			objects = append(objects, Object{o.Bucket, key, object.Size, object.ETag, max(0, object.LastModified.Unix())})
		}
		for _, folder := range page.CommonPrefixes {
			folders = append(folders, folder.Prefix)
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

// list requests a page of a list.
func (c *Client) list(r *http.Request) (page listed, err error) {
	err = c.Whole(r, maxList, func(response *http.Response, body []byte) error {
		if response.StatusCode != http.StatusOK {
			return c.refused(response)
		}
		page = listed{}
		if err := xml.Unmarshal(body, &page); err != nil {
			return fmt.Errorf("the list of objects is damaged, %w: %w", web.ErrTransient, err)
		}
		return nil
	})
	return page, err
}

// Get reads an object from its beginning to its end, as long as it has the same ETag; else there,
// or while it is read, is web.ErrChanged.
func (c *Client) Get(ctx context.Context, o Object) (io.ReadCloser, error) {
	r := c.request(ctx, http.MethodGet, o, nil, nil)
	r.Header.Set("If-Match", o.ETag)
	response, err := c.Send(r)
	if err != nil {
		return nil, err
	}
	etag, length := cmp.Or(response.Header.Get("ETag"), o.ETag), response.ContentLength
	switch status := response.StatusCode; {
	case status == http.StatusNotFound, status == http.StatusPreconditionFailed,
		status == http.StatusOK && strings.TrimPrefix(etag, "W/") != strings.TrimPrefix(o.ETag, "W/"),
		status == http.StatusOK && length >= 0 && length != o.Size:
		err = web.ErrChanged
	case status != http.StatusOK:
		err = c.refused(response)
	default:
		return c.Resumed(response), nil
	}
	response.Body.Close()
	return nil, err
}
