package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/reindexer/web"
)

// webClient returns a client with a transport, which waits so long for a byte and not at all between tries.
func webClient(transport http.RoundTripper, stall time.Duration) *web.Client {
	c := web.New(nil, "")
	c.Transport, c.Stall, c.Sleep = transport, stall, func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c
}

// serve starts a web server and returns its address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestL1_HTTP(t *testing.T) {
	t.Parallel()
	two := filing(1) + filing(2)
	csv := "id,county\n1,\"Orange, FL\"\n2,\"Orange, FL\"\n"
	tests := []struct {
		rule, path, media, content, format string
	}{
		{"format by the name", "/a.csv", "application/octet-stream", csv, ""},
		{"the name before the media type", "/a.ndjson", "text/csv", two, ""},
		{"format by the media type of NDJSON", "/export?x=.csv", "application/x-ndjson", two, ""},
		{"format by the media type of CSV", "/export", "text/csv; charset=utf-8", csv, ""},
		{"format given", "/a.ndjson", "text/plain", csv, "csv"},
		{"gzip", "/a.ndjson.gz", "", gzipped(t, two), ""},
		{"gzip by its bytes", "/export", "text/csv", gzipped(t, csv), ""},
		{"zstd", "/a.csv.zst", "", zstandard(t, csv), ""},
	}
	for _, test := range tests {
		t.Run("L1 "+test.rule, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.media)
				fmt.Fprint(w, test.content)
			})
			ids, err := readAll(t, []Input{{address + test.path, Form{Format: test.format}}}, Options{})
			if diff := cmp.Diff([]int64{1, 2}, ids); diff != "" || err != nil {
				t.Errorf("error %v, ids (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestL1_SourcesMix reads a file and a response that comes in chunks.
func TestL1_SourcesMix(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, filing(2))
		w.(http.Flusher).Flush()
		fmt.Fprint(w, filing(3))
	})
	ids, err := readAll(t, []Input{{Name: write(t, "a.ndjson", filing(1))}, {Name: address + "/b.ndjson"}}, Options{})
	if diff := cmp.Diff([]int64{1, 2, 3}, ids); diff != "" || err != nil {
		t.Errorf("error %v, ids (-want +got):\n%s", err, diff)
	}
}

// TestHTTP_Secrets sends a password and a signature and finds them in no message.
func TestHTTP_Secrets(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case user != "me" || password != "hun:ter2" || r.URL.Query().Get("signature") != "s3cret":
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Path == "/circle":
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		case r.URL.Path == "/astray":
			w.Header().Set("Location", "http://[s3cret")
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/cut.ndjson":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, filing(1))
		default:
			http.NotFound(w, r)
		}
	})
	host := strings.TrimPrefix(address, "http://")
	for path, want := range map[string]string{
		"/b.ndjson":   "http://" + host + "/b.ndjson responds with status 404 Not Found",
		"/circle":     "more than 5 redirects",
		"/astray":     "redirects to nothing that is an address of HTTP",
		"/cut.ndjson": "the connection broke off after 31 of 100 bytes",
	} {
		_, err := readAll(t, []Input{{Name: "http://me:hun%3Ater2@" + host + path + "?signature=s3cret"}}, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
			continue
		}
		noSecrets(t, err)
	}
	all, err := Find(t.Context(), []Input{{Name: "http://me:hun%3Ater2@" + host + "/a.ndjson?signature=s3cret"}}, Options{})
	if err != nil || all[0].Name != "http://"+host+"/a.ndjson" {
		t.Errorf("error %v, the name of the source, which rejects show, is %v", err, all)
	}
}

func noSecrets(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{"hun", "ter2", "me:", "s3cret"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q is shown: %v", secret, err)
		}
	}
}

// TestHTTP_Redirects sends the password to the same server only, and the parameters to none.
func TestHTTP_Redirects(t *testing.T) {
	t.Parallel()
	response := func(w http.ResponseWriter, r *http.Request) {
		_, _, authorized := r.BasicAuth()
		fmt.Fprintf(w, `{"id":1,"county":"Orange, FL","authorized":%v,"referer":%q}`+"\n", authorized, r.Referer())
	}
	var address string
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			http.Redirect(w, r, address+"/there", http.StatusFound)
			return
		}
		response(w, r)
	})
	address = serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/back.ndjson":
			http.Redirect(w, r, other+"/back", http.StatusFound)
		case "/same.ndjson":
			http.Redirect(w, r, address+"/there?x=y", http.StatusFound)
		case "/here.ndjson":
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		case "/away.ndjson":
			http.Redirect(w, r, other+"/there", http.StatusTemporaryRedirect)
		default:
			response(w, r)
		}
	})
	for path, want := range map[string]string{
		"/here.ndjson": `{"id":1,"county":"Orange, FL","authorized":true,"referer":""}` + "\n",
		"/same.ndjson": `{"id":1,"county":"Orange, FL","authorized":true,"referer":""}` + "\n",
		"/away.ndjson": `{"id":1,"county":"Orange, FL","authorized":false,"referer":""}` + "\n",
		"/back.ndjson": `{"id":1,"county":"Orange, FL","authorized":false,"referer":""}` + "\n",
	} {
		u, err := url.Parse(strings.Replace(address, "//", "//me:hunter2@", 1) + path + "?signature=s3cret")
		if err != nil {
			t.Fatal(err)
		}
		response, _, err := openWeb(t.Context(), web.New(nil, ""), u, NDJSON)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", path, err, diff)
		}
		response.Body.Close()
	}
}

func TestHTTP_NoWayBackFromHTTPS(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, filing(1)) })
	server := httptest.NewTLSServer(http.RedirectHandler(plain+"/a.ndjson", http.StatusFound))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL + "/a.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = openWeb(t.Context(), webClient(server.Client().Transport, time.Minute), u, NDJSON)
	if err == nil || !strings.Contains(err.Error(), "redirects from https to http") {
		t.Errorf("error %v", err)
	}
}

// TestHTTP_CutResponses cuts responses at the end of a record, where the text alone looks complete.
func TestHTTP_CutResponses(t *testing.T) {
	t.Parallel()
	two := filing(1) + filing(2)
	packed := gzipped(t, two)
	tests := []struct {
		name, response, want string
	}{
		{"length", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(two)+1, two), "broke off after 62 of 63 bytes"},
		{"chunks", fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(two), two), "broke off after 62 bytes, before the last chunk"},
		{"gzip", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(packed), packed[:len(packed)-9]), "broke off after"},
		{"nothing announced", "\r\n" + two, "does not announce how long its response is"},
		{"no HTTP", "SSH-2.0", "malformed HTTP"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := "HTTP/1.1 200 OK\r\n" + test.response
			if test.name == "no HTTP" {
				response = "SSH-2.0-x\r\n\r\n"
			}
			address := respondOnce(t, response)
			_, err := readAll(t, []Input{{Name: address + "/a.ndjson"}}, Options{})
			if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// short is a response of which so many bytes are sent, before its connection breaks.
type short struct {
	http.ResponseWriter
	left int
}

func (s *short) Write(p []byte) (int, error) {
	if len(p) > s.left {
		_, _ = s.ResponseWriter.Write(p[:s.left])
		s.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	s.left -= len(p)
	return s.ResponseWriter.Write(p)
}

// TestX45_WebResumes: a file of a server that knows ranges and ETags is read whole over connections that break; where it changes
// meanwhile, that is an error.
func TestX45_WebResumes(t *testing.T) {
	t.Parallel()
	packed := gzipped(t, manyFilings(20_000))
	for _, changes := range []bool{false, true} {
		requests := 0
		address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			etag := `"1"`
			if changes && requests > 2 {
				etag = `"2"`
			}
			w.Header().Set("ETag", etag)
			broken := &short{w, len(packed)/5 + 1}
			http.ServeContent(broken, r, "a.ndjson.gz", time.Time{}, struct{ io.ReadSeeker }{strings.NewReader(packed)})
		})
		u, err := url.Parse(address + "/a.ndjson.gz")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readSource(webSource(webClient(http.DefaultTransport, time.Minute), u, Form{}))
		if changes && (!errors.Is(err, ErrChanged) || requests != 3) || !changes && (err != nil || len(rows) != 20_000) {
			t.Errorf("changes %t: %d rows, error %v, %d requests", changes, len(rows), err, requests)
		}
	}
}

// respondOnce starts a server that responds to one connection with raw bytes and ends it.
func respondOnce(t *testing.T, response string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		if _, err := http.ReadRequest(bufio.NewReader(connection)); err == nil {
			io.WriteString(connection, response)
		}
	}()
	return "http://" + listener.Addr().String()
}

// TestHTTP_Stall reads from a server that falls silent, and one that is cancelled meanwhile.
func TestHTTP_Stall(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, filing(1))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	u, err := url.Parse(address + "/a.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	in := webSource(webClient(http.DefaultTransport, 50*time.Millisecond), u, Form{})
	if _, err := readSource(in); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "no byte came for 50ms") {
		t.Errorf("error %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	response, _, err := openWeb(ctx, webClient(http.DefaultTransport, time.Hour), u, NDJSON)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	cancel()
	if _, err := io.ReadAll(response.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestAddresses_Refused never repeats what may be a secret.
func TestAddresses_Refused(t *testing.T) {
	t.Parallel()
	const sql = "SELECT 1"
	tests := []struct {
		source, query, want string
	}{
		{"s3://me:hunter2@bucket/a.ndjson", "", "S3 is s3://BUCKET/KEY"},
		{"http://me:hun/ter2@host/a.ndjson", "", "not well-formed"},
		{"http://me:1/hunter2@host/a.ndjson", "", "not well-formed"},
		{"http://me:1?hunter2@host/a.ndjson", "", "not well-formed"},
		{"http://me:1#hunter2@host/a.ndjson", "", "not well-formed"},
		{"http:///hunter2.ndjson", "", "names no host"},
		{"postgres://me:hun/ter2@host/db", sql, "not well-formed"},
		{"POSTGRES://me:hunter2@host/db?sslmode=hunter2", sql, "the address postgres://host/db or one of its parameters is not valid"},
		{"postgresql://me:hunter2@host/db", "", "needs --query"},
		{"http://me:hunter2@host/a.ndjson", sql, "--query is for a source postgres://"},
		{"http:/me:hunter2@host/a.ndjson", "", "is none, nor is there such a file"},
		{"HTTP:me:hunter2@host/a.ndjson", "", "is none, nor is there such a file"},
		{"https//me:hunter2@host/a.ndjson", "", "is none, nor is there such a file"},
		{"https:/host/a.ndjson?token=hunter2", "", "is none, nor is there such a file"},
		{"s3:/bucket/a.ndjson?X-Amz-Signature=hunter2", "", "is none, nor is there such a file"},
		{"S3:me:hunter2@bucket/a.ndjson", "", "is none, nor is there such a file"},
		{"socrata:/me:hunter2@host/abcd-1234", "", "is none, nor is there such a file"},
		{"arcgis+https:/me:hunter2@host/FeatureServer/0", "", "is none, nor is there such a file"},
		{"postgres:/me:hunter2@host/db", "", "is none, nor is there such a file"},
		{"postgresql:me:hunter2@host/db", "", "is none, nor is there such a file"},
		{"//me:hunter2@host/a.ndjson", "", "is none, nor is there such a file"},
		{"me:hunter2@host/a.ndjson", "", "is none, nor is there such a file"},
		{"htp:/me:hunter2@host/a.ndjson", "", "is none, nor is there such a file"},
		{"host/a.ndjson?signature=hunter2", "", "is none, nor is there such a file"},
		{"s3://bucket/a.ndjson?X-Amz-Signature=hunter2", "", "an address that is signed begins with https://"},
		{"s3://bucket/a.ndjson?x-amz-expires=9&x-amz-security-token=hunter2", "", "an address that is signed begins with https://"},
		{"s3://bucket/a.ndjson?versionId=1&Signature=hunter2", "", "an address that is signed begins with https://"},
		{"s3://bucket/liens/?api_key=hunter2", "", "an address that is signed begins with https://"},
	}
	for _, test := range tests {
		_, err := readAll(t, []Input{{Name: test.source}}, Options{Query: test.query})
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.source, err, test.want)
			continue
		}
		noSecrets(t, err)
	}
}

// TestHTTP_OwnLimitsAreErrorsOfTheSource: a limit of the client's is not taken for the end of the load's context.
func TestHTTP_OwnLimitsAreErrorsOfTheSource(t *testing.T) {
	t.Parallel()
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	u, err := url.Parse(address + "/a.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	_, err = readSource(webSource(webClient(&http.Transport{ResponseHeaderTimeout: 20 * time.Millisecond}, time.Minute), u, Form{}))
	if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "timeout awaiting response headers") {
		t.Errorf("error %v", err)
	}
}
