package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/index/generation"
	"filings/reindexer"
	"filings/reindexer/plan"
	"filings/service/access"
)

func (p *program) checkCommand() *cobra.Command {
	var asJSON bool
	var file string
	var only []string
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Checks settings, servers, data folder, certificate and ports, and says what is wrong",
		Long:    help("check"),
		Example: "  filings check\n  filings check --json | jq '.[] | select(.result != \"ok\")'",
		Args:    noArguments,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an array of result, what, detail")
	cmd.Flags().StringVar(&file, "plan", "",
		"instead, try the first rows and the mapping of each county of this file (see load --plan)")
	cmd.Flags().StringArrayVar(&only, "only", nil, "county of the plan (may be repeated)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		do := p.check
		if file != "" {
			do = func(ctx context.Context) ([]check.Finding, error) { return p.checkPlan(ctx, file, only) }
		} else if only != nil {
			return usageError{errors.New("--only is about the counties of a --plan")}
		}
		found, err := do(cmd.Context())
		if asJSON {
			return errors.Join(err, json.NewEncoder(p.output).Encode(found))
		}
		for _, f := range found {
			fmt.Fprintf(p.output, "%-4s  %-14s  %s\n", f.Result, f.Subject, f.Detail)
		}
		return err
	}
	return cmd
}

// check checks the settings and, if they are right, the rest. Its error says that a finding is a failure.
func (p *program) check(ctx context.Context) (found []check.Finding, err error) {
	s, err := p.environment()
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			found = append(found, check.Finding{Result: check.Fail, Subject: "settings", Detail: line})
		}
		return found, usageError{errors.New("the settings are wrong")}
	}
	found = append(found, check.Finding{Result: check.OK, Subject: "settings", Detail: "all are known and well-formed"})
	found = append(found, check.Run(ctx, check.Config{
		Settings: s,
		OpenEngine: func(s settings.Settings) (generation.Store, io.Closer, error) {
			return openEngine(s, nil, slog.New(slog.DiscardHandler))
		},
		OpenKeys: func(s settings.Settings) (access.Store, error) { return openKeys(s, nil, nil) },
	})...)
	if check.Failed(found) {
		return found, errors.New("a check fails: see above")
	}
	return found, nil
}

// checkPlan tries the first rows and the mapping of each county of a plan.
func (p *program) checkPlan(ctx context.Context, file string, only []string) (found []check.Finding, err error) {
	s, err := p.environment()
	if err != nil {
		return nil, usageError{err}
	}
	counties, err := plan.Read(file)
	if err != nil {
		return nil, usageError{err}
	}
	tried, err := counties.Check(ctx, reindexer.Config{Servers: serversOf(s), Temporary: int64(s.Temporary),
		Log: p.logger(s)}, only)
	if err != nil {
		return nil, usageError{err}
	}
	for _, t := range tried {
		f := check.Finding{Result: check.OK, Subject: t.County}
		var rows, records int64
		for _, s := range t.Sources {
			rows, records = rows+s.Rows, records+s.Records
		}
		f.Detail = fmt.Sprintf("%d rows of %d sources make %d records", rows, len(t.Sources), records)
		first := ""
		for _, reason := range t.Reasons {
			first = max(first, reason.First)
		}
		if t.Rejected > 0 {
			f.Result, f.Detail = check.Warn,
				fmt.Sprintf("%s, of which %d are rejected, such as %s", f.Detail, t.Rejected, first)
		}
		for _, warning := range t.Warnings {
			f.Result, f.Detail = check.Warn, f.Detail+"; "+warning
		}
		if t.Err != nil {
			f.Result, f.Detail = check.Fail, strings.TrimSuffix(t.Err.Error()+": "+first, ": ")
		}
		found = append(found, f)
	}
	if check.Failed(found) {
		return found, errors.New("a county fails: see above")
	}
	return found, nil
}

// healthCommand is for containers without a shell: their health check runs the program itself.
func (p *program) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "health",
		Short:  "Checks whether the service on this machine is ready",
		Args:   noArguments,
		Hidden: true,
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, _ []string) error {
			if _, _, err := net.SplitHostPort(s.OperationsListen); err != nil {
				return usageError{fmt.Errorf("FILINGS_OPERATIONS_LISTEN=%s: must be an address for `filings health`",
					s.OperationsListen)}
			}
			return check.Ready(ctx, s)
		}),
	}
}
