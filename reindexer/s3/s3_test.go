package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/reindexer/web"
)

// TestX45_Signatures has the examples of Amazon's page "Signature Calculations for the Authorization Header".
func TestX45_Signatures(t *testing.T) {
	t.Parallel()
	c := Config{Region: "us-east-1", AccessKeyID: "AKIAIOSFODNN7EXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	tests := []struct {
		method, key, query string
		header             http.Header
		body, want         string
	}{
		{"GET", "test.txt", "", http.Header{"Range": {"bytes=0-9"}}, "", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"PUT", "test$file.text", "", http.Header{"Date": {"Fri, 24 May 2013 00:00:00 GMT"}, "X-Amz-Storage-Class": {"REDUCED_REDUNDANCY"}},
			"Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		{"GET", "", "lifecycle", nil, "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"GET", "", "prefix=J&max-keys=2", nil, "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	}
	for _, test := range tests {
		query, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Request{Method: test.method, Header: http.Header{}, URL: (&Client{Config: c}).address("examplebucket", test.key, query)}
		r.URL.Host = "examplebucket.s3.amazonaws.com" // as the page has it, without the region
		for name, values := range test.header {
			r.Header[name] = values
		}
		c.sign(r, digest(strings.NewReader(test.body)), time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC))
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, ",Signature="+test.want) {
			t.Errorf("%s /%s?%s: %s, want %s", test.method, test.key, test.query, got, test.want)
		}
	}
}

// client returns a Client of an address that does not wait.
func client(c Config) *Client {
	all := New(c, slog.New(slog.DiscardHandler))
	all.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return all
}

// get reads an object.
func get(t *testing.T, c *Client, o Object) ([]byte, error) {
	t.Helper()
	body, err := c.Get(t.Context(), o)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

func bytesOf(n int) []byte {
	source, all := rand.NewChaCha8([32]byte{1}), make([]byte, n)
	_, _ = source.Read(all)
	return all
}

func TestX45_ObjectsOfAServer(t *testing.T) {
	t.Parallel()
	address, id, secret := servers.S3(t)
	c := client(Config{Endpoint: address, AccessKeyID: id, SecretAccessKey: secret})
	bucket := Object{Bucket: "counties"}
	keys := []string{"liens/2 b.ndjson", "liens/a+b.csv", "liens/empty.csv", "liens/sub/x.csv", "liens/é%41=&;~.csv", "other.csv", "parts.csv"}
	sizes := map[string]int{"liens/empty.csv": 0, "parts.csv": 2*partSize + 5}
	for i, key := range keys {
		o, size := Object{Bucket: bucket.Bucket, Key: key}, i+1
		if n, special := sizes[key]; special {
			size = n
		}
		content := bytesOf(size)
		if err := c.Put(t.Context(), o, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		o, err := c.Head(t.Context(), o)
		if err != nil || o.Size != int64(size) {
			t.Fatalf("%v, size %d, want %d", err, o.Size, size)
		}
		got, err := get(t, c, o)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: error %v, %d bytes, want the %d that were written", key, err, len(got), size)
		}
	}
	bucket.Key = "liens/"
	objects, folders, err := c.List(t.Context(), bucket)
	var names []string
	for _, o := range objects {
		names = append(names, o.Key)
	}
	if diff := cmp.Diff(keys[:3], names[:3]); diff != "" || err != nil || len(names) != 4 || names[3] != keys[4] || len(folders) != 1 || folders[0] != "liens/sub/" {
		t.Errorf("error %v, objects %q, folders %q", err, names, folders)
	}
	if _, err := c.Head(t.Context(), Object{Bucket: "counties", Key: "none"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
	_, _, err = client(Config{Endpoint: address, AccessKeyID: id, SecretAccessKey: "hunter2"}).List(t.Context(), bucket)
	if err == nil || !strings.Contains(err.Error(), "403 Forbidden (SignatureDoesNotMatch)") {
		t.Errorf("another secret: error %v", err)
	}
	for _, hidden := range []string{id, secret, "hunter2", "ignature="} {
		if err != nil && strings.Contains(err.Error(), hidden) {
			t.Errorf("the error shows %q: %v", hidden, err)
		}
	}
}

// TestX45_ObjectsOverABrokenNetwork reads through a proxy that breaks off, refuses and cuts, and while objects change: it reads all bytes
// of one state, or fails.
func TestX45_ObjectsOverABrokenNetwork(t *testing.T) {
	t.Parallel()
	address, id, secret := servers.S3(t)
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	direct := client(Config{Endpoint: address, AccessKeyID: id, SecretAccessKey: secret})
	moves, whole, changed := rand.New(rand.NewPCG(1, 2)), 0, 0
	var change func()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method != http.MethodGet {
				return nil
			}
			move := moves.IntN(6)
			if move == 0 {
				return errors.New("no response")
			}
			if move == 1 {
				change()
			}
			if move < 5 {
				r.Body = io.NopCloser(io.LimitReader(r.Body, moves.Int64N(300_000)))
			}
			return nil
		},
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	// The signature is of the proxy's name, which it passes on.
	c := client(Config{Endpoint: server.URL, AccessKeyID: id, SecretAccessKey: secret})
	for run := range 60 {
		states := [][]byte{bytesOf(1_000_000), bytesOf(1_000_000)}
		states[1][500_000]++
		o := Object{Bucket: "counties", Key: fmt.Sprint(run)}
		write := func(state int) {
			if err := direct.Put(context.Background(), o, bytes.NewReader(states[state])); err != nil {
				t.Error(err)
			}
		}
		write(0)
		if change = func() {}; run%3 == 0 {
			change = func() { write(1) }
		}
		o, err := direct.Head(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := get(t, c, o)
		switch {
		case errors.Is(err, web.ErrChanged):
			changed++
		case err != nil:
			t.Errorf("run %d: %v", run, err)
		case !bytes.Equal(got, states[0]):
			t.Fatalf("run %d: %d bytes that are no state of the object", run, len(got))
		default:
			whole++
		}
	}
	if whole == 0 || changed == 0 {
		t.Errorf("%d objects were read whole, %d were changed meanwhile: the test shows nothing", whole, changed)
	}
	t.Logf("%d whole, %d changed", whole, changed)
}

// TestX45_Waits: the waits between tries are what the server wants, else 1 s, doubled up to a minute, and there are ten tries.
func TestX45_Waits(t *testing.T) {
	t.Parallel()
	for after, want := range map[string][]time.Duration{
		"":     {1, 2, 4, 8, 16, 32, 60, 60, 60},
		"7":    {7, 7, 7, 7, 7, 7, 7, 7, 7},
		"5000": nil,
	} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if requests++; r.Header.Get("Authorization") != "" {
				t.Error("a request without a key has a signature")
			}
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		t.Cleanup(server.Close)
		c, waits := client(Config{Endpoint: server.URL}), []time.Duration(nil)
		c.Sleep = func(_ context.Context, d time.Duration) error {
			waits = append(waits, d/time.Second)
			return nil
		}
		_, err := c.Head(t.Context(), Object{Bucket: "counties", Key: "a"})
		if diff := cmp.Diff(want, waits); diff != "" || err == nil || requests != len(want)+1 {
			t.Errorf("Retry-After %q: error %v, %d requests, waits (-want +got):\n%s", after, err, requests, diff)
		}
	}
}

func TestX45_Addresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ endpoint, bucket, key, want string }{
		{"", "counties", "a b/c+d.csv", "https://counties.s3.us-east-1.amazonaws.com/a%20b/c%2Bd.csv"},
		{"", "my.counties", "a.csv", "https://s3.us-east-1.amazonaws.com/my.counties/a.csv"},
		{"http://127.0.0.1:9000", "counties", "//a?#.csv", "http://127.0.0.1:9000/counties///a%3F%23.csv"},
	} {
		c := New(Config{Endpoint: test.endpoint}, nil)
		if got := c.address(test.bucket, test.key, nil).String(); got != test.want {
			t.Errorf("%s/%s: %s, want %s", test.bucket, test.key, got, test.want)
		}
	}
	for address, want := range map[string]Object{
		"s3://counties/a/b?.csv": {Bucket: "counties", Key: "a/b?.csv"}, "s3://counties": {Bucket: "counties"},
		"s3://me:hunter2@counties/a": {}, "s3://C/a": {}, "http://counties/a": {},
	} {
		got, err := ParseAddress(address)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want.Bucket != "") || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v (-want +got):\n%s", address, err, diff)
		}
	}
}

// TestX45_KeysAsTheyAre: a server that ignores how keys are asked for has them as they are, as the list says.
func TestX45_KeysAsTheyAre(t *testing.T) {
	t.Parallel()
	for encoding, key := range map[string]string{"": "a+b %41.csv", "<EncodingType>url</EncodingType>": "a b A.csv"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `<ListBucketResult>%s<Contents><Key>a+b %%41.csv</Key><Size>1</Size><ETag>"x"</ETag></Contents></ListBucketResult>`, encoding)
		}))
		objects, _, err := client(Config{Endpoint: server.URL}).List(t.Context(), Object{Bucket: "counties"})
		server.Close()
		if err != nil || len(objects) != 1 || objects[0].Key != key {
			t.Errorf("%q: error %v, %+v, want %q", encoding, err, objects, key)
		}
	}
}

// TestX74_Lists: a list whose response never ends, which has no end, or has keys without end, and a refusal that never ends, are errors
// after a bounded number of bytes, and the former are not requested again.
func TestX74_Lists(t *testing.T) {
	t.Parallel()
	objects := strings.Repeat("<Contents><Key>a.csv</Key><Size>1</Size></Contents>", 1000)
	for name, test := range map[string]struct {
		begin, more, end string
		status           int
		want             string
	}{
		"objects":   {"<ListBucketResult>", objects, "", 200, "a response is longer than 16 MiB"},
		"elements":  {"<ListBucketResult>", strings.Repeat("<a>", 5) + strings.Repeat("</a>", 5), "", 200, "a response is longer than 16 MiB"},
		"a key":     {"<ListBucketResult><Contents><Key>", strings.Repeat("k", 1000), "", 200, "a response is longer than 16 MiB"},
		"blanks":    {"", strings.Repeat(" ", 1000), "", 200, "a response is longer than 16 MiB"},
		"a comment": {"<!--", strings.Repeat("c", 1000), "", 200, "a response is longer than 16 MiB"},
		"a refusal": {"<Error><Message>", strings.Repeat("m", 1000), "", 403, "403 Forbidden"},
		"pages":     {"<ListBucketResult>", "", objects + "<IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken></ListBucketResult>", 200, "more than 100000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests, sent atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				requests.Add(1)
				_, err := io.WriteString(w, test.begin)
				for err == nil && test.more != "" && sent.Load() < 1<<30 {
					var n int
					n, err = io.WriteString(w, test.more)
					sent.Add(int64(n))
				}
				if test.end != "" {
					fmt.Fprintf(w, test.end, requests.Load())
				}
			}))
			defer server.Close()
			_, _, err := client(Config{Endpoint: server.URL, AccessKeyID: "id", SecretAccessKey: "s"}).List(t.Context(), Object{Bucket: "counties"})
			if err == nil || !strings.Contains(err.Error(), test.want) || sent.Load() > 64<<20 || test.end == "" && requests.Load() != 1 {
				t.Errorf("error %v after %d bytes of %d responses, want %s", err, sent.Load(), requests.Load(), test.want)
			}
		})
	}
}
