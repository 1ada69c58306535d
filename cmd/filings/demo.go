package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"filings/cmd/filings/certificate"
	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/index/synthetic"
	"filings/reindexer"
	"filings/reindexer/source"
	"filings/service/access"
)

const (
	demoFilings = 20_000
	demoSeed    = 1
	demoUser    = "demo"
)

func (p *program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "Generates 20,000 filings, loads them, prints a key and curl commands, and serves, for a first look",
		Long:    help("demo"),
		Example: "  filings demo\n  FILINGS_LISTEN=0.0.0.0:8443 filings demo   # for other machines, too",
		Args:    noArguments,
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, _ []string) error {
			return p.demo(ctx, ofDemo(s))
		}),
	}
}

// ofDemo returns the settings of a demo: both stores are files of a folder of its own.
func ofDemo(s settings.Settings) settings.Settings {
	s.ElasticsearchURL, s.RedisURL = nil, ""
	s.DataDir = filepath.Join(s.DataDir, "demo")
	s.Listen, s.RedirectListen = local(s.Listen), local(s.RedirectListen)
	s.OperationsListen = local(s.OperationsListen)
	return s
}

// local returns an address without a host as one of this machine alone, and any other as it is.
func local(address string) string {
	if strings.HasPrefix(address, ":") {
		return "127.0.0.1" + address
	}
	return address
}

// demo takes the ports first: where it cannot have them it changes nothing.
func (p *program) demo(ctx context.Context, s settings.Settings) error {
	l, err := listen(s)
	var taken takenError
	if errors.As(err, &taken) && demoRuns(ctx, s) {
		return fmt.Errorf(
			"a demo runs already at %s: its terminal shows the key. For a second one set FILINGS_DATA_DIR, "+
				"FILINGS_LISTEN, FILINGS_REDIRECT_LISTEN and FILINGS_OPERATIONS_LISTEN", demoURL(s))
	}
	if err != nil {
		return err
	}
	defer l.close()
	if err := p.loadDemo(ctx, s); err != nil {
		return err
	}
	key, err := demoKey(ctx, s)
	if err != nil {
		return err
	}
	return p.serve(ctx, s, l, nil, func() { p.writeDemo(l, key) })
}

// demoTimeout is more than a demo that has just taken its ports needs until it serves.
const demoTimeout = 10 * time.Second

// demoRuns reports whether a demo with the data folder of s serves at the address of s: only that has the key of the
// folder's certificate.
func demoRuns(ctx context.Context, s settings.Settings) bool {
	trust := x509.NewCertPool()
	text, err := os.ReadFile(certificate.FilesOf(s).Cert)
	if err != nil || !trust.AppendCertsFromPEM(text) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, demoTimeout)
	defer cancel()
	config := &tls.Config{RootCAs: trust, ServerName: "localhost"}
	res, err := check.Get(ctx, config, "https", s.Listen, "/openapi.json")
	return err == nil && res.StatusCode == http.StatusOK
}

// demoURL is where the demo is reached on this machine.
func demoURL(s settings.Settings) string {
	host, port, _ := net.SplitHostPort(s.Listen) // a taken address could be parsed
	if ip := net.ParseIP(host); host == "" || ip.IsLoopback() || ip.IsUnspecified() {
		host = "localhost"
	}
	return "https://" + net.JoinHostPort(host, port)
}

// loadDemo loads synthetic filings that end today, so that the last days and months have some.
func (p *program) loadDemo(ctx context.Context, s settings.Settings) error {
	r, w := io.Pipe()
	go func() {
		w.CloseWithError(synthetic.Write(w, demoFilings, synthetic.NewUntil(demoSeed, time.Now())))
	}()
	defer r.Close()
	quiet := &program{streams{r, io.Discard, p.err}, p.environment}
	cfg := reindexer.Config{Inputs: []reindexer.Input{{Input: source.Input{Name: "-"}}}, Stdin: r, MaxShrink: 100}
	return quiet.load(ctx, s, cfg, true, reindexer.Run)
}

// demoKey returns the key of the demo's account: the one that an earlier demo left in the data
// folder, if it still is. The store knows only a key's hash.
func demoKey(ctx context.Context, s settings.Settings) (key string, err error) {
	keys, err := openKeys(s, nil, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	file := filepath.Join(s.DataDir, "demo.key")
	if kept, err := os.ReadFile(file); err == nil {
		a, err := keys.Admit(ctx, access.Key(string(kept)), 0)
		if err == nil && a.Verdict != access.UnknownKey && a.User == demoUser {
			return string(kept), nil
		}
	}
	key, err = keys.Create(ctx, demoUser, access.Enterprise, "demo")
	if errors.Is(err, access.ErrHasKey) {
		key, err = keys.Rotate(ctx, demoUser, 0)
	}
	if err != nil {
		return "", err
	}
	return key, os.WriteFile(file, []byte(key), 0o600)
}

// demoRequests are the demo's suggestions; each of them finds something.
var demoRequests = []string{
	"/v1/filings?limit=2",
	"/v1/filings?county=Orange&min_amount=10000&categories=residential,land&limit=3",
	"/v1/filings?bounds_north=29&bounds_south=28&bounds_east=-81&bounds_west=-82&limit=3",
	"/v1/filings/search?q=trust&sort_by=filing_amount&limit=3",
	"/v1/filings/1",
	"/v1/stats",
	"/v1/counties",
	"/v1/me",
}

// writeDemo prints a newcomer's next steps. Nothing in it depends on the folder that they are in.
func (p *program) writeDemo(l listeners, key string) {
	url := fmt.Sprintf("https://localhost:%d", l.port())
	fmt.Fprintf(p.output, "\n%d synthetic filings are served. Your key, of an enterprise account:\n\n  %s\n\n",
		demoFilings, key)
	fmt.Fprintf(p.output, "In a browser (it warns of the self-signed certificate; type the key there):\n\n"+
		"  %[1]s/docs     the API, to read and to try\n  %[1]s/explore  the filings on a map\n\nIn a terminal:\n\n",
		url)
	trust := ""
	if l.certificate.SelfSigned {
		trust = "--cacert " + quote(l.certificate.Cert) + " "
	}
	for _, request := range demoRequests {
		fmt.Fprintf(p.output, "  curl %s-H 'X-API-Key: %s' '%s%s'\n", trust, key, url, request)
	}
	fmt.Fprintf(p.output, "\nStop with Ctrl-C.\n\n")
}

// quote returns text as one word for a shell.
func quote(text string) string {
	if regexp.MustCompile(`^[\w./:@%+,-]+$`).MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
