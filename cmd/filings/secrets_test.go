package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"filings/cmd/testservers/servers"
)

// secret is in every password, token and key of these tests, and nowhere else.
const secret = "5ecre7"

// nowhere is an address that refuses connections.
const nowhere = "127.0.0.1:9"

// No output of a command that fails shows a secret of its settings, at any level of the log.
func TestSecrets_Failures(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"Elasticsearch, malformed": {"FILINGS_ELASTICSEARCH_URL=u:" + secret + "@host"},
		"Elasticsearch, port":      {"FILINGS_ELASTICSEARCH_URL=http://u:" + secret + "@host:port"},
		"Elasticsearch, escape":    {"FILINGS_ELASTICSEARCH_URL=http://u:" + secret + "%zz@host"},
		"Elasticsearch, query":     {"FILINGS_ELASTICSEARCH_URL=http://host:9200?key=" + secret},
		"Elasticsearch, down":      {"FILINGS_ELASTICSEARCH_URL=http://u:" + secret + "@" + nowhere},
		"Elasticsearch, password":  {"FILINGS_ELASTICSEARCH_URL=http://" + nowhere, "FILINGS_ELASTICSEARCH_USERNAME=u", "FILINGS_ELASTICSEARCH_PASSWORD=" + secret},
		"Elasticsearch, no user":   {"FILINGS_ELASTICSEARCH_URL=http://" + nowhere, "FILINGS_ELASTICSEARCH_PASSWORD=" + secret},
		"Elasticsearch, API key":   {"FILINGS_ELASTICSEARCH_URL=http://" + nowhere, "FILINGS_ELASTICSEARCH_API_KEY=" + secret},
		"Redis, scheme":            {"FILINGS_REDIS_URL=http://:" + secret + "@host"},
		"Redis, escape":            {"FILINGS_REDIS_URL=redis://:" + secret + "%zz@host"},
		"Redis, port":              {"FILINGS_REDIS_URL=redis://:" + secret + "@host:port"},
		"Redis, option":            {"FILINGS_REDIS_URL=redis://:" + secret + "@host?nonsense=" + secret},
		"Redis, down":              {"FILINGS_REDIS_URL=redis://:" + secret + "@" + nowhere},
		"token, short":             {"FILINGS_OPERATIONS_TOKEN=" + secret},
		"token, no listener":       {"FILINGS_OPERATIONS_TOKEN=" + strings.Repeat(secret, 6), "FILINGS_OPERATIONS_LISTEN=off"},
		"S3, malformed":            {"FILINGS_S3_ENDPOINT=u:" + secret + "@host"},
		"ArcGIS, no host":          {"FILINGS_ARCGIS_TOKENS=" + secret},
		"unknown setting":          {"FILINGS_REDIS_PASSWORD=" + secret},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := append(settings, "FILINGS_DATA_DIR="+t.TempDir(), "FILINGS_LOG_LEVEL=debug", "FILINGS_LISTEN=127.0.0.1:bad")
			for _, args := range [][]string{{"serve"}, {"check"}, {"reindex", "-"}, {"generations"}, {"rollback"}, {"keys", "list"}, {"health"}} {
				cmd, out := programCommand(settings, args...), new(output)
				cmd.Stdout, cmd.Stderr = out, out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				eventually(t, "the end, or a request that will be sent again", func() bool {
					if strings.Contains(out.String(), "will be sent again") { // a load waits long for a server
						_ = cmd.Process.Kill()
					}
					return len(ended) > 0
				})
				if strings.Contains(out.String(), secret) {
					t.Errorf("filings %v shows a secret:\n%s", args, out)
				}
			}
		})
	}
}

// The password of a database comes from the environment, that of a web server may stand in its address: neither is shown.
func TestSecrets_Sources(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--query", "SELECT 1", "postgres://u@" + nowhere + "/db"},
		{"--query", "SELECT 1", "postgres://u:" + secret + "@" + nowhere + "/db"},
		{"--query", "SELECT 1", "postgres://u:" + secret + "%zz@" + nowhere + "/db"},
		{"http://u:" + secret + "@" + nowhere + "/filings.ndjson"},
		{"http://u:" + secret + "@" + nowhere + ":port/filings.ndjson"},
		{"http://" + nowhere + "/filings.ndjson?token=" + secret},
		{"s3://u:" + secret + "@counties/a.csv"},
		{"s3://counties/a.csv"},
		{"socrata://u:" + secret + "@" + nowhere + "/abcd-1234?$where=a='" + secret + "'"},
		{"socrata://" + nowhere + "/abcd-1234?$$app_token=" + secret},
		{"arcgis+http://u:" + secret + "@" + nowhere + "/FeatureServer/0?where=" + secret},
		{"arcgis+http://" + nowhere + "/FeatureServer/0?token=" + secret},
		{"--if-changed", "arcgis+http://" + nowhere + "/FeatureServer/0"},
	} {
		cmd := programCommand([]string{"PGPASSWORD=" + secret, "AWS_ACCESS_KEY_ID=" + secret, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN=" + secret,
			"FILINGS_S3_ENDPOINT=http://u:" + secret + "@" + nowhere, "FILINGS_SOCRATA_TOKENS=127.0.0.1=" + secret, "FILINGS_ARCGIS_TOKENS=127.0.0.1=" + secret,
			"FILINGS_DATA_DIR=" + t.TempDir(), "FILINGS_LOG_LEVEL=debug"}, append([]string{"reindex"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("reindex %v succeeded", args)
		}
		if strings.Contains(string(out), secret) {
			t.Errorf("reindex %v shows a secret:\n%s", args, out)
		}
	}
}

// A running service shows no key and no token: not in its log at level debug, metrics, refusals or list of processes, and
// not when a signal makes it dump its stacks in the middle of a request.
func TestSecrets_Running(t *testing.T) {
	t.Parallel()
	address, user, dir := servers.Redis(t), "secrets-"+rand.Text(), t.TempDir()
	t.Cleanup(func() { deleteUser(t, address, user) })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	gate, token := newGate(t, u.Host), strings.Repeat(secret, 6)
	u.Host = gate.address
	environment := []string{"FILINGS_DATA_DIR=" + dir, "FILINGS_REDIS_URL=" + u.String(), "FILINGS_OPERATIONS_TOKEN=" + token, "FILINGS_LOG_LEVEL=debug"}
	p := startProcess(t, environment...)
	f := &fleet{processes: []*process{p}, client: client(t, filepath.Join(dir, "cert.pem")), user: user}
	old := runProgram(t, environment, "keys", "create", "--user", user, "--tier", "pro")
	key := runProgram(t, environment, "keys", "rotate", "--user", user)
	f.key.Store(key)
	shown := p.requestEverything(t, f.client, token, key, old)

	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer gate.hold()()
	go func() { _, _ = f.send(context.Background(), 0, key) }() // gets no response
	p.inFlight(t, 1)
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if err := <-p.ended; err == nil || !strings.Contains(p.output.String(), "goroutine ") {
		t.Errorf("no stacks were dumped: %v", err)
	}
	for what, text := range map[string]string{"output": p.output.String(), "responses": shown, "arguments": string(cmdline)} {
		for _, hidden := range []string{secret, key, old, key[len("ak_live_"):]} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s: %s shows in\n%s", what, hidden, text)
			}
		}
	}
}

// requestEverything sends many wrong requests and one that is right, and returns the responses, headers included.
func (p *process) requestEverything(t *testing.T, c *http.Client, token, key, old string) string {
	t.Helper()
	var all strings.Builder
	for _, request := range []struct{ url, header, value string }{
		{p.api + "/v1/me", "X-API-Key", key},
		{p.api + "/v1/me", "X-API-Key", old},
		{p.api + "/v1/me", "X-API-Key", key + "x"},
		{p.api + "/v1/me", "Authorization", "Bearer " + key},
		{p.api + "/v1/" + key, "X-API-Key", key},
		{p.api + "/v1/filings?limit=" + "x", "X-API-Key", key},
		{p.api + "/v1/filings/search", "X-API-Key", key},
		{p.operations + "/accounts", "Authorization", "Bearer " + token},
		{p.operations + "/accounts", "Authorization", "Bearer " + token + "x"},
		{p.operations + "/accounts", "Authorization", token},
		{p.operations + "/accounts/nobody", "Authorization", "Bearer " + token},
		{p.operations + "/metrics", "X-API-Key", key},
		{p.operations + "/readyz", "X-API-Key", key},
	} {
		req, err := http.NewRequest(http.MethodGet, request.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(request.header, request.value)
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s\n%v\n%s\n", res.Status, res.Header, body)
	}
	return all.String()
}

// T1: TLS 1.2 or later with sound ciphers, and a header that tells browsers to stay with it.
func TestT1_Versions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startProcess(t, "FILINGS_DATA_DIR="+dir)
	c := client(t, filepath.Join(dir, "cert.pem"))
	handshake := func(set func(*tls.Config)) error {
		config := c.Transport.(*http.Transport).TLSClientConfig.Clone()
		set(config)
		conn, err := tls.Dial("tcp", strings.TrimPrefix(p.api, "https://"), config)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	for version, ok := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		err := handshake(func(c *tls.Config) { c.MinVersion, c.MaxVersion = version, version })
		if (err == nil) != ok {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
	}
	for _, suite := range tls.InsecureCipherSuites() {
		if err := handshake(func(c *tls.Config) { c.MaxVersion, c.CipherSuites = tls.VersionTLS12, []uint16{suite.ID} }); err == nil {
			t.Errorf("%s is accepted", suite.Name)
		}
	}
	res, err := c.Get(p.api + "/v1/me")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Header.Get("Strict-Transport-Security"); !strings.HasPrefix(got, "max-age=31536000") {
		t.Errorf("Strict-Transport-Security %q", got)
	}
}
