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
	"filings/service/access"
)

func (p *program) checkCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Checks settings, servers, data folder, certificate and ports, and says what is wrong",
		Long:    help("check"),
		Example: "  filings check\n  filings check --json | jq '.[] | select(.result != \"ok\")'",
		Args:    noArguments,
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

// check checks the settings and, if they are right, the rest. Its error says that a finding is a failure.
func (p *program) check(ctx context.Context) (found []check.Finding, err error) {
	s, err := p.environment()
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			found = append(found, check.Finding{Result: check.Fail, What: "settings", Detail: line})
		}
		return found, usageError{errors.New("the settings are wrong")}
	}
	found = append(found, check.Finding{Result: check.OK, What: "settings", Detail: "all are known and well-formed"})
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

// healthCommand is for containers without a shell: their health check runs the program itself.
func (p *program) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "health",
		Short:  "Checks whether the service on this machine is ready",
		Args:   noArguments,
		Hidden: true,
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, _ []string) error {
			if _, _, err := net.SplitHostPort(s.OperationsListen); err != nil {
				return usageError{fmt.Errorf("FILINGS_OPERATIONS_LISTEN=%s: must be an address for `filings health`", s.OperationsListen)}
			}
			return check.Ready(ctx, s)
		}),
	}
}
