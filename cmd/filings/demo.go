package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"filings/cmd/filings/settings"
	"filings/index/synthetic"
	"filings/reindexer"
	"filings/service/access"
)

const (
	demoFilings = 20_000
	demoSeed    = 1
	demoUser    = "demo"
)

func (p *program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "For a first look: makes 20,000 filings, loads them, prints a key and curl lines, serves",
		Long: "For a first look: makes 20,000 filings, loads them, creates an enterprise account, prints its key and curl lines\n" +
			"that work as they stand, and serves. It always uses the embedded engine and store, in the folder demo of\n" +
			"FILINGS_DATA_DIR: whatever else is set up stays as it is.",
		Example: "  filings demo",
		Args:    cobra.NoArgs,
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, _ []string) error {
			s.ElasticsearchURL, s.RedisURL = nil, ""
			s.DataDir = filepath.Join(s.DataDir, "demo")
			if err := p.loadDemo(ctx, s); err != nil {
				return err
			}
			key, err := demoKey(ctx, s)
			if err != nil {
				return err
			}
			return p.serve(ctx, s, p.logger(s), func(l listeners) { p.writeCurlLines(l, key) })
		}),
	}
}

// loadDemo loads synthetic filings that end today, so that the last days and months have some.
func (p *program) loadDemo(ctx context.Context, s settings.Settings) error {
	in, out := io.Pipe()
	go func() {
		out.CloseWithError(synthetic.Write(out, demoFilings, synthetic.NewUntil(demoSeed, time.Now())))
	}()
	defer in.Close()
	quiet := &program{streams{in, io.Discard, p.err}, p.environment}
	return quiet.reindex(ctx, s, reindexer.Config{Sources: []string{"-"}, Stdin: in, Format: "ndjson", MaxShrink: 100})
}

// demoKey returns a new key of the demo's account.
func demoKey(ctx context.Context, s settings.Settings) (key string, err error) {
	keys, err := openKeys(s, nil, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	key, err = keys.Create(ctx, demoUser, access.Enterprise, "demo")
	if errors.Is(err, access.ErrHasKey) {
		return keys.Rotate(ctx, demoUser)
	}
	return key, err
}

// demoRequests are what the demo suggests to try; each of them finds something.
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

func (p *program) writeCurlLines(l listeners, key string) {
	fmt.Fprintf(p.out, "\n%d synthetic filings are served. Your key, of an enterprise account:\n\n  %s\n\nTry:\n\n", demoFilings, key)
	for _, request := range demoRequests {
		fmt.Fprintf(p.out, "  curl --cacert %s -H 'X-API-Key: %s' 'https://localhost:%d%s'\n", l.trust, key, l.port(), request)
	}
	fmt.Fprintf(p.out, "\nStop with Ctrl-C.\n\n")
}
