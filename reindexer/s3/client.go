// Package s3 lists, reads and writes objects of S3 and compatible servers. It owns addresses
// s3://bucket/key and signatures. It refuses an object that changes while it is read, and doesn't
// depend on the contents of objects.
//
// # By hand
//
// minio-go v7.4.1 would add four modules and 39 lines of go.sum, raise seven other modules, and
// take 12 s of two cores to build (`go get github.com/minio/minio-go/v7; go build` of its New).
// Signing is 60 lines here.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"filings/reindexer/web"
)

// Kinds of errors.
var (
	// ErrNotFound: there is no such object.
	ErrNotFound = errors.New("there is no such object")
	// ErrAddress: a text is no address s3://bucket/key.
	ErrAddress = errors.New("an address of S3 is s3://BUCKET/KEY, with a bucket of 3 to 63 lower-case letters, " +
		"digits, dots and hyphens")
)

// Config says where objects are and who reads them, as the usual variables AWS_… do.
type Config struct {
	Endpoint        string // http:// or https:// address of a server that speaks S3; "" for Amazon's
	Region          string // "" for us-east-1
	AccessKeyID     string // "" for requests without a signature, as public buckets allow them
	SecretAccessKey string
	SessionToken    string
}

// Client sends requests to S3.
type Client struct {
	Config
	*web.Client
}

// New returns a Client. It logs requests that are sent again.
func New(c Config, log *slog.Logger) *Client {
	c.Region = cmp.Or(c.Region, "us-east-1")
	client := web.New(log, "s3")
	client.Transport = &signer{Config: c, next: client.Transport, now: time.Now}
	return &Client{Config: c, Client: client}
}

// Fresh returns a Client for another source, which may wait as long for its server.
func (c *Client) Fresh() *Client { return &Client{c.Config, c.Client.Fresh()} }

// Object is an object of a bucket, in a state that its ETag names.
type Object struct {
	Bucket string
	Key    string
	Size   int64
	ETag   string
	// Modified is when it was written, in seconds of Unix time; 0: the server does not say so.
	Modified int64
}

// String returns the object's address.
func (o Object) String() string { return "s3://" + o.Bucket + "/" + o.Key }

// signed is a parameter by which addresses of https:// let read who has them.
var signed = regexp.MustCompile(`(?i)[?&](x-(amz|goog)-[a-z-]*|awsaccesskeyid|googleaccessid|` +
	`signature|sig|[a-z_-]*(token|secret|password|key))=`)

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// ParseAddress returns the bucket and the key of s3://bucket/key. Neither is decoded: a key may
// have any character. ErrAddress does not repeat the address, in which a password may stand.
func ParseAddress(address string) (Object, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(address, "s3://"), "/")
	if !strings.HasPrefix(address, "s3://") || !bucketName.MatchString(bucket) {
		return Object{}, ErrAddress
	}
	if signed.MatchString(key) {
		return Object{}, fmt.Errorf("%w, without parameters; an address that is signed begins with https://", ErrAddress)
	}
	return Object{Bucket: bucket, Key: key}, nil
}

// address returns where an object is. Amazon's certificates are for buckets without dots.
func (c *Client) address(bucket, key string, query url.Values) *url.URL {
	u := &url.URL{Scheme: "https", Host: bucket + ".s3." + c.Region + ".amazonaws.com", Path: "/" + key}
	if endpoint, err := url.Parse(c.Endpoint); err == nil && endpoint.Host != "" {
		u = &url.URL{Scheme: endpoint.Scheme, Host: endpoint.Host, Path: "/" + bucket + "/" + key}
	} else if strings.Contains(bucket, ".") {
		u.Host, u.Path = strings.TrimPrefix(u.Host, bucket+"."), "/"+bucket+u.Path
	}
	u.RawPath, u.RawQuery = escaped(u.Path), strings.ReplaceAll(query.Encode(), "+", "%20")
	return u
}

// request returns a request for an object, or with "" as its key for a bucket.
func (c *Client) request(ctx context.Context, method string, o Object, query url.Values, body []byte) *http.Request {
	u := c.address(o.Bucket, o.Key, query)
	r, _ := http.NewRequestWithContext(ctx, method, "", bytes.NewReader(body)) // with a method of this package
	r.URL, r.Host = u, u.Host
	return r
}

// send sends a request and returns a response with the status 2xx; ErrNotFound for 404.
func (c *Client) send(r *http.Request) (*http.Response, error) {
	response, err := c.Send(r)
	if err != nil || response.StatusCode/100 == 2 {
		return response, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound && r.Method == http.MethodHead {
		return nil, ErrNotFound
	}
	return nil, c.refused(response)
}

// maxRefusal is how much is read of a response that says why a request was refused.
const maxRefusal = 64 << 10

// refused says why a request was refused, by the code of the response alone: its texts repeat the
// signed request.
func (c *Client) refused(response *http.Response) error {
	var fault struct{ Code string }
	err := web.Status(response)
	if xml.NewDecoder(io.LimitReader(response.Body, maxRefusal)).Decode(&fault) == nil && fault.Code != "" {
		err = fmt.Errorf("%w (%.100s)", err, fault.Code)
	}
	switch region := response.Header.Get("x-amz-bucket-region"); {
	case region != "" && region != c.Region:
		err = fmt.Errorf("%w: the bucket is in %.30q, and AWS_REGION says %q", err, region, c.Region)
	case c.AccessKeyID == "" && response.StatusCode == http.StatusForbidden:
		err = fmt.Errorf("%w: the request had no signature, since AWS_ACCESS_KEY_ID is not set", err)
	}
	if response.StatusCode == http.StatusNotFound {
		err = fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}
