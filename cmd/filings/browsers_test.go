package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index/indextest"
	"filings/service/access"
	"filings/service/servicetest"
	"filings/service/tokens"
	"filings/service/webtest"
)

const browsersDocument = "docs/api/browsers.md"

// TestX32_Documents: the back ends of the documents hand out tokens with which a page of that origin sees its filings.
func TestX32_Documents(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	for name, language := range map[string]struct{ info, file, command string }{
		"python": {"python", "tokens.py", "python3"},
		"go":     {"go", "tokens.go", "go run"},
		"js":     {"js", "tokens.js", "node"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := strings.Fields(language.command)
			servers.Program(t, command[0])
			s := servicetest.New(t, someOfDemo(200), servicetest.Options{})
			l := servicetest.ListenTLS(t, s.App)
			free := freeAddress(t)
			_, port, _ := net.SplitHostPort(free)
			program := strings.NewReplacer("localhost:8443", l.Address, "127.0.0.1:3000", free, "3000", port).Replace(sampleOf(t, browsersDocument, language.info, "3000"))
			folder := t.TempDir()
			file := filepath.Join(folder, language.file)
			writeFile(t, file, program, 0o600)
			if name == "go" { // built, since `go run` does not pass signals on
				built := filepath.Join(folder, "tokens")
				if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", built, file).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				command, file = []string{built}, ""
			}
			c := exec.CommandContext(t.Context(), command[0], file)
			c.Env = append(os.Environ(), "KEY="+s.Keys[access.Enterprise], "SSL_CERT_FILE="+l.Certificate, "NODE_EXTRA_CA_CERTS="+l.Certificate)
			var errs bytes.Buffer
			c.Stderr = &errs
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = c.Process.Kill()
				_ = c.Wait()
			})
			var body []byte
			servicetest.Until(t, "the back end responds", func() bool {
				response, err := http.Get("http://" + free + "/token")
				if err != nil {
					return false
				}
				defer response.Body.Close()
				body, _ = io.ReadAll(response.Body)
				return response.Header.Get("Cache-Control") == "no-store"
			})
			var made struct {
				Data struct{ Token, Filter string }
			}
			if err := json.Unmarshal(body, &made); err != nil || made.Data.Filter != "county=Orange%2C+FL" {
				t.Fatalf("%v %s\n%s", err, body, errs.Bytes())
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Address+"/v1/filings?limit=100&token="+made.Data.Token, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Origin", "https://maps.example.com")
			response, err := l.Client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			page, err := io.ReadAll(response.Body)
			if counties := bytes.Count(page, []byte(`"county":"Orange, FL"`)); err != nil || response.StatusCode != http.StatusOK || counties == 0 ||
				counties != bytes.Count(page, []byte(`"county":`)) || bytes.Contains(page, []byte("ownerPhone")) {
				t.Errorf("%d %v %s", response.StatusCode, err, page)
			}
		})
	}
}

// TestX32_Verifiers: the verifiers of the documents accept what ours accepts, and nothing else.
func TestX32_Verifiers(t *testing.T) {
	t.Parallel()
	secrets := tokens.Secrets{strings.Repeat("é", 16), strings.Repeat("b", 32)}
	type test struct {
		Token string
		Now   int64
	}
	var tests []test
	var want []bool
	add := func(token string, now int64) {
		p, ok := secrets.Verify(token)
		tests, want = append(tests, test{token, now}), append(want, ok && !p.Expired(time.Unix(now, 0)))
	}
	for i, by := range []tokens.Secrets{secrets, secrets[1:], {strings.Repeat("c", 32)}} {
		token, err := by.Sign(tokens.Payload{Key: strings.Repeat("5f", 32), Expires: 1000, Origins: []string{"https://maps.example.com"}, Endpoints: []string{"list"},
			Filter: fmt.Sprint("county=Orange%2C+FL&owner=", strings.Repeat("é<", i)), Burst: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, now := range []int64{0, 999, 1000, 1001} {
			add(token, now)
		}
		for at := range token {
			for bit := range 7 { // the eighth makes no text
				flipped := []byte(token)
				flipped[at] ^= 1 << bit
				add(string(flipped), 0)
			}
			add(token[:at]+"\n"+token[at:], 0)
			add(token[:at]+"="+token[at:], 0)
			add(token[:at]+token[at+1:], 0)
		}
		add(token+"A", 0)
		add(token+"=", 0)
		add(token+" ", 0)
	}
	for _, other := range []string{"", "ak_pub_", "ak_pub_.", "ak_pub_e30.", "ak_pub_\x00.", "x", "ak_live_0123456789abcdef0123456789abcdef", "é"} {
		add(other, 0)
	}
	accepted := 0
	for _, ok := range want {
		if ok {
			accepted++
		}
	}
	if accepted != 4 {
		t.Fatalf("ours accepts %d of %d", accepted, len(want))
	}
	input, err := json.Marshal(map[string]any{"secrets": secrets, "tests": tests})
	if err != nil {
		t.Fatal(err)
	}
	for name, language := range map[string]struct{ command, file, run string }{
		"python": {"python3", "verify.py", "import sys\nall = json.load(sys.stdin)\nprint(json.dumps([verify(t['Token'], all['secrets'], t['Now']) is not None for t in all['tests']]))\n"},
		"js": {"node", "verify.js", "const all = JSON.parse(require('node:fs').readFileSync(0));\n" +
			"console.log(JSON.stringify(all.tests.map((t) => verify(t.Token, all.secrets, t.Now) !== null)));\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers.Program(t, language.command)
			verifier := sampleOf(t, browsersDocument, name, "filings-token-1")
			if lines := strings.Count(verifier, "\n"); lines > 24 {
				t.Errorf("it has %d lines", lines)
			}
			file := filepath.Join(t.TempDir(), language.file)
			writeFile(t, file, verifier+"\n"+language.run, 0o600)
			c := exec.CommandContext(t.Context(), language.command, file)
			c.Stdin = bytes.NewReader(input)
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
			}
			var got []bool
			if err := json.Unmarshal(out, &got); err != nil || len(got) != len(want) {
				t.Fatalf("%v: %d of %d", err, len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%q at %d: %v, ours says %v", tests[i].Token, tests[i].Now, got[i], want[i])
				}
			}
		})
	}
}

// TestX33_Page: the page of the documents, in a real browser on another origin, sends no preflight, and gets its next token before the
// one that it has expires.
func TestX33_Page(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	servers.Program(t, servers.Browser)
	clock := indextest.NewClock(time.Now())
	s := servicetest.New(t, someOfDemo(200), servicetest.Options{Now: clock.Now})
	l := servicetest.ListenTLS(t, s.App)
	var handedOut atomic.Int64
	var backEnd *httptest.Server
	backEnd = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><title>Map</title><link rel=icon href=data:,><script>%s</script>",
				strings.ReplaceAll(sampleOf(t, browsersDocument, "js", "async function filings"), "localhost:8443", l.Address))
			return
		}
		handedOut.Add(1)
		request := httptest.NewRequest(http.MethodGet, "/v1/tokens?visitor_burst=25&county=Orange,%20FL&origin="+backEnd.URL, http.NoBody)
		request.Header.Set("X-API-Key", s.Keys[access.Pro])
		response, err := s.App.Test(request, -1)
		if err != nil {
			t.Error(err)
			return
		}
		defer response.Body.Close()
		_, _ = io.Copy(w, response.Body)
	}))
	t.Cleanup(backEnd.Close)
	p := webtest.Open(t, backEnd.URL)
	for i, after := range []time.Duration{0, time.Minute, 57 * time.Minute, 2 * time.Minute, 55 * time.Minute, 4 * time.Minute} {
		clock.Advance(after)
		p.Value(fmt.Sprintf("(Date.now = () => %d) && ''", clock.Now().UnixMilli()))
		got := p.Value(`filings("/v1/filings?limit=3").then((page) => page.data.map((filing) => filing.county).join(";"), (error) => "failed: " + error)`)
		if got != "Orange, FL;Orange, FL;Orange, FL" {
			t.Errorf("request %d: %s", i, got)
		}
		if want := []int64{1, 1, 1, 2, 2, 3}[i]; handedOut.Load() != want {
			t.Errorf("request %d: %d tokens, want %d", i, handedOut.Load(), want)
		}
	}
	if got := p.Value(`filings("/v1/filings/search?q=a").then((page) => page.success + "")`); got != "true" {
		t.Error(got)
	}
	log := s.Log.String()
	if strings.Contains(log, "OPTIONS") || strings.Contains(log, "preflight") || strings.Contains(log, `"status":401`) || strings.Contains(log, "ak_pub_") {
		t.Errorf("a preflight, a 401 or a token:\n%s", log)
	}
	if n := strings.Count(log, `"route":"/v1/filings"`); n != 6 {
		t.Errorf("%d requests of lists", n)
	}
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
	sent := slices.DeleteFunc(p.Requests(), func(address string) bool { return !strings.Contains(address, l.Address) })
	if len(sent) != 7 {
		t.Errorf("the browser sent %d requests to the service: %q", len(sent), sent)
	}
	p.Value(fmt.Sprintf(`fetch("https://%s/v1/filings", {headers: {"X-API-Key": token.token}}).catch(() => "")`, l.Address))
	if !strings.Contains(s.Log.String(), `"method":"OPTIONS"`) {
		t.Error("a token in a header takes a preflight, and this test does not see it")
	}
}
