package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// partSize is how much is sent at once, and held in memory. An object has up to 10,000 parts: 156
// GiB.
const partSize = 16 << 20

// part is a part of an object that was sent.
type part struct {
	PartNumber int
	ETag       string
}

// Put writes an object: all bytes of source. Nobody sees it before it is complete; if Put fails,
// the key's former object stays.
func (c *Client) Put(ctx context.Context, o Object, source io.Reader) error {
	buffer := make([]byte, partSize)
	n, err := io.ReadFull(source, buffer)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		_, err := c.put(ctx, o, nil, buffer[:n])
		return err
	}
	if err != nil {
		return err
	}
	var begun struct{ UploadId string }
	if err := c.post(ctx, o, url.Values{"uploads": {""}}, nil, &begun); err != nil {
		return err
	}
	upload := url.Values{"uploadId": {begun.UploadId}}
	parts, err := c.putParts(ctx, o, begun.UploadId, buffer, source)
	if err == nil {
		body, _ := xml.Marshal(struct { // of texts and numbers
			XMLName xml.Name `xml:"CompleteMultipartUpload"`
			Part    []part
		}{Part: parts})
		err = c.post(ctx, o, upload, body, &struct{ ETag string }{})
	}
	if err != nil {
		response, failed := c.send(c.request(context.WithoutCancel(ctx), http.MethodDelete, o, upload, nil))
		if failed == nil {
			failed = response.Body.Close()
		}
		return errors.Join(err, failed)
	}
	return nil
}

// putParts sends a full buffer and the bytes after it.
func (c *Client) putParts(
	ctx context.Context, o Object, upload string, buffer []byte, source io.Reader,
) (parts []part, err error) {
	for n := len(buffer); n > 0; {
		number := len(parts) + 1
		etag, err := c.put(ctx, o, url.Values{"partNumber": {strconv.Itoa(number)}, "uploadId": {upload}}, buffer[:n])
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{number, etag})
		if n, err = io.ReadFull(source, buffer); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return nil, err
		}
	}
	return parts, nil
}

func (c *Client) put(ctx context.Context, o Object, query url.Values, body []byte) (etag string, err error) {
	response, err := c.send(c.request(ctx, http.MethodPut, o, query, body))
	if err != nil {
		return "", err
	}
	return response.Header.Get("ETag"), response.Body.Close()
}

// post reads a result, which has another name where the request failed in spite of its status.
func (c *Client) post(ctx context.Context, o Object, query url.Values, body []byte, result any) error {
	response, err := c.send(c.request(ctx, http.MethodPost, o, query, body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	var fault struct {
		XMLName xml.Name
		Code    string
	}
	if err = xml.Unmarshal(text, &fault); err == nil && fault.XMLName.Local == "Error" {
		return fmt.Errorf("writing %s: %.100s", o, fault.Code)
	}
	if err == nil {
		err = xml.Unmarshal(text, result)
	}
	return err
}
