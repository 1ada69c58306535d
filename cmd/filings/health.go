package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"
)

// healthCommand is for containers without a shell: their health check runs the program itself.
func (p *program) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "health",
		Short:  "Asks the service on this machine whether it is ready",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: p.withSettings(func(ctx context.Context, s settings, _ []string) error {
			address, err := dialable(s.OperationsListen)
			if err != nil {
				return usageError{fmt.Errorf("FILINGS_OPERATIONS_LISTEN=%s: no address to ask", s.OperationsListen)}
			}
			ctx, cancel := context.WithTimeout(ctx, s.RequestTimeout)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
			if err != nil {
				return err
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return fmt.Errorf("the service does not answer: %w", err)
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusOK {
				return fmt.Errorf("the service is not ready: %s", res.Status)
			}
			return nil
		}),
	}
}
