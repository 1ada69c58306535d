package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"filings/index/generation"
)

func (p *program) generationsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "generations",
		Short: "Lists the generations: name, time, filings, size, which one is live",
		Long: "Lists the generations, the newest first: name, time, filings, size, which one is live.\n" +
			"A load that is running, on whatever machine, and a last one that promoted nothing, are told of on standard error.",
		Example: "  filings generations\n  filings generations --json | jq -r '.[] | select(.live) | .name'",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an array of name, createdAt, filings, bytes, live")
	cmd.RunE = p.withStore(func(ctx context.Context, store generation.Store, _ []string) error {
		all, err := sealed(ctx, store)
		if err != nil {
			return err
		}
		if asJSON {
			return p.writeGenerationsJSON(all)
		}
		if err := p.writeGenerations(all); err != nil {
			return err
		}
		return p.tellRunning(ctx, store)
	})
	return cmd
}

func (p *program) rollbackCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollback [GENERATION]",
		Short: "Makes the generation before the live one (or the named one) live, in one step",
		Long: "Makes the generation before the live one live, or the named one, in one step, and prints its name.\n" +
			"Services answer from it within a second or two; no request fails because of it.",
		Example: "  filings rollback\n  filings rollback filings-20260131-020000.000000-v1",
		Args:    cobra.MaximumNArgs(1),

		ValidArgsFunction: p.completeGeneration,
	}
	cmd.RunE = p.withStore(func(ctx context.Context, store generation.Store, args []string) error {
		all, err := sealed(ctx, store)
		if err != nil {
			return err
		}
		from, to, err := rollbackTarget(all, args)
		if err != nil {
			return err
		}
		if err := store.Swap(ctx, from, to); err != nil {
			return fmt.Errorf("make %s live: %w", to, err)
		}
		_, err = fmt.Fprintln(p.out, to)
		return err
	})
	return cmd
}

// rollbackTarget returns the live generation and the one to go back to; all is sorted newest first.
func rollbackTarget(all []generation.Info, args []string) (live, target string, err error) {
	for _, g := range all {
		switch {
		case g.Live:
			live = g.Name
		case live != "" && target == "":
			target = g.Name
		}
	}
	if len(args) == 0 {
		switch {
		case live == "":
			return "", "", errors.New("no generation is live: name one (see `filings generations`)")
		case target == "":
			return "", "", fmt.Errorf("there is no generation before %s", live)
		}
		return live, target, nil
	}
	for _, g := range all {
		if g.Name == args[0] && g.Live {
			return "", "", fmt.Errorf("%s is live already", g.Name)
		} else if g.Name == args[0] {
			return live, g.Name, nil
		}
	}
	return "", "", fmt.Errorf("there is no generation %s: see `filings generations`", args[0])
}

// sealed lists the generations that can be served; one that is being built is not yet there for anybody.
func sealed(ctx context.Context, store generation.Store) ([]generation.Info, error) {
	all, err := store.Generations(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the generations: %w", err)
	}
	kept := []generation.Info{}
	for _, g := range all {
		if g.Sealed {
			kept = append(kept, g)
		}
	}
	return kept, nil
}

func (p *program) writeGenerationsJSON(all []generation.Info) error {
	type row struct {
		Name      string    `json:"name"`
		CreatedAt time.Time `json:"createdAt"`
		Filings   int64     `json:"filings"`
		Bytes     int64     `json:"bytes"`
		Live      bool      `json:"live"`
	}
	rows := []row{}
	for _, g := range all {
		rows = append(rows, row{g.Name, g.CreatedAt, g.Filings, g.Bytes, g.Live})
	}
	return json.NewEncoder(p.out).Encode(rows)
}

func (p *program) writeGenerations(all []generation.Info) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(p.err, "There are no generations yet: `filings reindex` makes one.")
		return err
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tCREATED\tFILINGS\tSIZE\tLIVE")
	for _, g := range all {
		live := ""
		if g.Live {
			live = "live"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", g.Name, g.CreatedAt.UTC().Format(time.DateTime), g.Filings, humanize.IBytes(uint64(g.Bytes)), live)
	}
	return w.Flush()
}

func (p *program) tellRunning(ctx context.Context, store generation.Store) error {
	run, err := store.Running(ctx)
	if err != nil {
		return err
	}
	if run == nil {
		return p.tellLast(ctx, store)
	}
	_, err = fmt.Fprintf(p.err, "A load is running: %s, since %s, phase %s, %d read, %d indexed, %d rejected.\n",
		run.Holder, run.Started.UTC().Format(time.DateTime), run.Phase, run.Read, run.Indexed, run.Rejected)
	return err
}

// tellLast tells how the last load ended, if it did not promote: whoever looks at the list then misses its generation.
func (p *program) tellLast(ctx context.Context, store generation.Store) error {
	run, err := store.LastRun(ctx)
	if err != nil || run == nil || run.Outcome == generation.OutcomePromoted {
		return err
	}
	how := "failed"
	if run.Outcome == "" {
		how = "died"
	}
	_, err = fmt.Fprintf(p.err, "The last load %s and promoted nothing: %s, since %s, last heard of %s in phase %s, %d read, %d indexed, %d rejected.\n",
		how, run.Holder, run.Started.UTC().Format(time.DateTime), run.Renewed.UTC().Format(time.DateTime), run.Phase, run.Read, run.Indexed, run.Rejected)
	return err
}
