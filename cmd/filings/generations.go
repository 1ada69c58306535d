package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"filings/cmd/filings/check"
	"filings/index"
	"filings/index/generation"
)

func (p *program) generationsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "generations",
		Short:   "Lists the generations: name, time, filings, changes, size, which one is live",
		Long:    help("generations"),
		Example: "  filings generations\n  filings generations --json | jq -r '.[] | select(.live) | .name'",
		Args:    noArguments,
	}
	cmd.AddCommand(p.saveCommand(), p.restoreCommand())
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"an array of name, createdAt, filings, bytes, live, changes (added, changed, removed, since; or null)")
	cmd.RunE = p.withEngine(func(ctx context.Context, store generation.Store, _ []string) error {
		generations, err := sealed(ctx, store)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(p.output).Encode(generations)
		}
		if err := p.writeGenerations(generations); err != nil {
			return err
		}
		return p.writeLoad(ctx, store, generations)
	})
	return cmd
}

func (p *program) rollbackCommand() *cobra.Command {
	var hold bool
	var reason string
	cmd := &cobra.Command{
		Use:   "rollback [GENERATION]",
		Short: "Makes the previous generation (or the named one) live",
		Long:  help("rollback"),
		Example: "  filings rollback --hold --reason 'Orange is wrong'\n" +
			"  filings rollback filings-20260131-020000.000000-v1",
		Args: cobra.MaximumNArgs(1),

		ValidArgsFunction: p.completeGeneration,
	}
	cmd.Flags().BoolVar(&hold, "hold", false,
		"loads are refused until `filings release`; otherwise the next one undoes the rollback")
	cmd.Flags().StringVar(&reason, "reason", "", "with --hold: what refused loads say, at most 500 bytes")
	cmd.RunE = p.withEngine(func(ctx context.Context, store generation.Store, args []string) error {
		if reason != "" && !hold || len(reason) > maxReason || strings.ContainsFunc(reason, unicode.IsControl) {
			return usageError{fmt.Errorf("--reason: must be a text of at most %d bytes in one line, with --hold",
				maxReason)}
		}
		generations, err := sealed(ctx, store)
		if err != nil {
			return err
		}
		changesets, err := store.Changesets(ctx)
		if err != nil {
			return fmt.Errorf("list what changed: %w", err)
		}
		live, target, err := rollbackTarget(generations, changesets, args)
		if err != nil {
			return err
		}
		searching, cancel := context.WithTimeout(ctx, searchTime)
		defer cancel()
		if err := check.Searchable(searching, store, target); err != nil {
			return fmt.Errorf("%s cannot be searched, and was not made live: %w", target, err)
		}
		if hold {
			err = store.SwapAndHold(ctx, live, target, reason)
		} else {
			err = store.Swap(ctx, live, target)
		}
		if err != nil {
			return fmt.Errorf("make %s live: %w", target, err)
		}
		if held, err := store.Hold(ctx); err == nil && held == nil {
			fmt.Fprintln(p.err,
				"The next load undoes this: `filings rollback --hold` refuses loads until `filings release`.")
		}
		_, err = fmt.Fprintln(p.output, target)
		return err
	})
	return cmd
}

// maxReason bounds the catalog's text of why loads are held, which each look at it reads.
const maxReason = 500

func (p *program) releaseCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "release",
		Short:   "Lets loads load again after `filings rollback --hold`",
		Example: "  filings release",
		Args:    noArguments,
		RunE: p.withEngine(func(ctx context.Context, store generation.Store, _ []string) error {
			hold, err := store.Release(ctx)
			switch {
			case err != nil:
				return fmt.Errorf("release loads: %w", err)
			case hold == nil:
				_, err = fmt.Fprintln(p.err, "No load is held.")
			default:
				_, err = fmt.Fprintf(p.err, "Loads were held since %s. The next one may load.\n",
					hold.Since.UTC().Format(time.DateTime))
			}
			return err
		}),
	}
}

// searchTime bounds the search that a generation must answer before a rollback to it.
const searchTime = 10 * time.Second

// rollbackTarget returns the live generation and the one to go back to: the one that was live when
// it was loaded, which is not the next older one after a rollback and another load. Where that is
// not known, or not kept, it is the next older one; generations are sorted newest first.
func rollbackTarget(
	generations []generation.Info, changesets []index.Changeset, args []string,
) (live, target string, err error) {
	place := slices.IndexFunc(generations, func(g generation.Info) bool { return g.Live })
	if place >= 0 {
		live = generations[place].Name
	}
	previous := slices.IndexFunc(generations, func(g generation.Info) bool {
		return slices.ContainsFunc(changesets,
			func(c index.Changeset) bool { return c.Generation == live && c.Parent == g.Name })
	})
	if previous < 0 {
		previous = place + 1
	}
	switch {
	case len(args) > 0:
		named, err := find(generations, args[0])
		if err == nil && named.Live {
			err = fmt.Errorf("%s is live already", live)
		}
		return live, named.Name, err
	case len(generations) == 0:
		return "", "", errors.New("there are no generations yet: `filings load` makes one")
	case place < 0:
		return "", "", errors.New("no generation is live: name one (see `filings generations`)")
	case previous == len(generations):
		return "", "", fmt.Errorf("there is no generation before %s", live)
	}
	return live, generations[previous].Name, nil
}

// find returns the generation that name, its id or "live" means.
func find(generations []generation.Info, name string) (generation.Info, error) {
	place := slices.IndexFunc(generations, func(g generation.Info) bool {
		return name == g.Name || name == index.GenerationID(g.Name) || name == "live" && g.Live
	})
	if place < 0 {
		return generation.Info{}, fmt.Errorf("there is no generation %s: see `filings generations`", name)
	}
	return generations[place], nil
}

// sealed lists the generations that can be served.
func sealed(ctx context.Context, store generation.Store) ([]generation.Info, error) {
	generations, err := store.Generations(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the generations: %w", err)
	}
	return generation.Served(generations), nil
}

func (p *program) writeGenerations(generations []generation.Info) error {
	if len(generations) == 0 {
		_, err := fmt.Fprintln(p.err, "There are no generations yet: `filings load` makes one.")
		return err
	}
	w := tabwriter.NewWriter(p.output, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tCREATED\tFILINGS\tADDED\tCHANGED\tREMOVED\tSIZE\tLIVE")
	for _, g := range generations {
		live := ""
		if g.Live {
			live = "live"
		}
		if g.Damaged != nil {
			fmt.Fprintf(p.err, "%s is damaged: %v\n", g.Name, g.Damaged)
		}
		changed := "-\t-\t-"
		if c := g.Changes; c != nil {
			changed = fmt.Sprintf("%d\t%d\t%d", c.Added, c.Changed, c.Removed)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", g.Name, g.CreatedAt.UTC().Format(time.DateTime), g.Filings, changed,
			humanize.IBytes(uint64(g.Bytes)), live)
	}
	return w.Flush()
}

// writeLoad says that a load is running, or how the last one ended, unless it reported that it
// promoted; generations are the sealed ones.
func (p *program) writeLoad(ctx context.Context, store generation.Store, generations []generation.Info) error {
	loads, err := store.Loads(ctx)
	if loads = generation.OnlyLoads(loads); err != nil || len(loads) == 0 {
		return err
	}
	run, state := loads[0], "A load is running"
	switch run.Outcome {
	case generation.OutcomePromoted, generation.OutcomeUnchanged:
		return nil
	case generation.OutcomeFailed, generation.OutcomeDied:
		state = endOf(run, generations)
	}
	phase := ""
	if run.Phase != "" { // else it failed before the first one
		phase = "phase " + run.Phase + ", "
	}
	_, err = fmt.Fprintf(p.err, "%s: %s, since %s, %s%d read, %d indexed, %d rejected.\n",
		state, run.Holder, run.Started.UTC().Format(time.DateTime), phase, run.Read, run.Indexed, run.Rejected)
	return err
}

// endOf describes the end of a load that did not report that it promoted. It may have promoted, and
// died before the report, or lost its connection: then its generation is there.
func endOf(run generation.Run, generations []generation.Info) string {
	how := "failed"
	died := run.Outcome == generation.OutcomeDied
	if died {
		how = "died"
	}
	outcome := "promoted nothing"
	place := slices.IndexFunc(generations, func(g generation.Info) bool { return g.Name == run.Generation })
	switch {
	case place >= 0 && generations[place].Live:
		how, outcome = "did not report its end", "promoted "+run.Generation+", which is live"
	case place >= 0 && died:
		how, outcome = "did not report its end", "left "+run.Generation+", which is complete and not live"
	}
	return fmt.Sprintf("The last load %s and %s, last seen %s", how, outcome, run.Renewed.UTC().Format(time.DateTime))
}

// completionTimeout is how long a shell may wait for names from a server.
const completionTimeout = 2 * time.Second

// completeGeneration completes the name of a generation to go back to, the newest first. Errors
// complete nothing: a shell shows none.
func (p *program) completeGeneration(
	cmd *cobra.Command, args []string, _ string,
) (names []string, _ cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	cmd.SetContext(ctx)
	quiet := &program{streams{p.input, io.Discard, io.Discard}, p.environment}
	list := quiet.withEngine(func(ctx context.Context, store generation.Store, _ []string) error {
		generations, err := sealed(ctx, store)
		for _, g := range generations {
			if !g.Live {
				names = append(names, g.Name)
			}
		}
		return err
	})
	if len(args) == 0 {
		_ = list(cmd, args)
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
