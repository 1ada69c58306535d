package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// finding is one line of `filings check`.
type finding struct {
	Result string `json:"result"` // ok, warn or fail
	What   string `json:"what"`
	Detail string `json:"detail"` // what was found, and after a colon what to do
}

const (
	resultOK   = "ok"
	resultWarn = "warn"
	resultFail = "fail"
)

// checkup looks at everything that a service needs. It changes nothing on any server, and finds no secrets worth
// telling.
type checkup struct {
	s     settings
	now   func() time.Time
	found []finding
}

func (c *checkup) add(result, what, format string, args ...any) {
	c.found = append(c.found, finding{result, what, fmt.Sprintf(format, args...)})
}

func (c *checkup) ok(what, format string, args ...any)   { c.add(resultOK, what, format, args...) }
func (c *checkup) warn(what, format string, args ...any) { c.add(resultWarn, what, format, args...) }
func (c *checkup) fail(what, format string, args ...any) { c.add(resultFail, what, format, args...) }

func (p *program) checkCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Looks at settings, servers, data folder, certificate and ports, and says what is wrong",
		Long: "Looks at everything that the service needs, and prints a line for each thing: ok, warn or fail, what it is, and what to\n" +
			"do about it. It reaches the servers as the service would, and changes nothing on them; in a data folder that is there\n" +
			"it makes a file for a moment, and it listens on each address for a moment.\n\n" +
			"Exit codes: 0 nothing fails (there may be warnings), 1 something fails, 2 wrong usage or settings.",
		Example: "  filings check\n  filings check --json | jq '.[] | select(.result != \"ok\")'",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an array of result, what, detail")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		found, err := p.check(cmd.Context())
		if asJSON {
			return errors.Join(err, json.NewEncoder(p.out).Encode(found))
		}
		for _, f := range found {
			fmt.Fprintf(p.out, "%-4s  %-14s  %s\n", f.Result, f.What, f.Detail)
		}
		return err
	}
	return cmd
}

// check looks at everything, in the order in which a service needs it. Its error says that something fails.
func (p *program) check(ctx context.Context) ([]finding, error) {
	s, err := p.environment()
	c := &checkup{s: s, now: time.Now}
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			c.fail("settings", "%s", line)
		}
		return c.found, usageError{errors.New("the settings are wrong")}
	}
	c.ok("settings", "all are known and well-formed")
	c.folder()
	c.certificate()
	c.engine(ctx)
	c.keyStore(ctx)
	c.ports(ctx)
	if slices.ContainsFunc(c.found, func(f finding) bool { return f.Result == resultFail }) {
		return c.found, errors.New("something fails: see above")
	}
	return c.found, nil
}
