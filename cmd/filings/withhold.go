package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"filings/cmd/filings/settings"
	"filings/index"
	"filings/index/generation"
	"filings/reindexer"
	"filings/reindexer/sieve"
	"filings/service"
)

const (
	// followTime is when no service has the generation before any more: each looks once a second.
	followTime = 1500 * time.Millisecond
	// manyWithheld is from how many filings on a name may be that of several people.
	manyWithheld = 50
)

// withholder changes the list of withheld filings, for the command and over HTTP (rule X53).
type withholder struct {
	store  generation.Store
	config reindexer.Config
	settle time.Duration // followTime; tests wait less
}

func newWithholder(s settings.Settings, store generation.Store, log *slog.Logger) *withholder {
	return &withholder{store: store, settle: followTime, config: reindexer.Config{
		Store: store, Keep: s.KeepGenerations, KeepChanges: s.KeepChanges, MaxShrink: 10, Holder: holder(), Log: log,
	}}
}

// add adds an entry and takes its filings out of all that is kept, by all services.
func (w *withholder) add(ctx context.Context, entry sieve.Withhold) (reindexer.Report, error) {
	cfg := w.config
	cfg.Withhold = &entry
	report, err := reindexer.Run(ctx, cfg)
	if err == nil {
		select {
		case <-time.After(w.settle):
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	return report, err
}

// list returns the entries without their digests.
func (w *withholder) list(ctx context.Context) ([]generation.Withholding, error) {
	list, err := w.store.Withheld(ctx)
	entries := append([]generation.Withholding{}, list.Entries...)
	for i := range entries {
		entries[i].Keys = nil
	}
	return entries, err
}

func (w *withholder) remove(ctx context.Context, number int) error {
	return sieve.Remove(ctx, w.store, generation.Run{Holder: w.config.Holder, Started: time.Now()}, number)
}

// describeMatches counts the filings that an entry takes out, and says when that may be too much.
func describeMatches(m sieve.Matches) string {
	text := fmt.Sprintf("%d filings of %d counties", m.Filings, len(m.Counties))
	if m.Filings > manyWithheld || len(m.Counties) > 1 {
		text += ": many for one person or property; --county or an address narrows it"
	}
	return text
}

func (p *program) withholdCommand() *cobra.Command {
	group := commandGroup("withhold", "Withholds filings of a person, a property or an id, now and in each later load",
		help("withhold"), "  filings withhold add --owner 'Doe, Jane' --county 'Orange, FL' --reason 'order 2026-17'\n"+
			"  filings withhold list\n  filings withhold remove 3", "add, list or remove")
	group.AddCommand(p.withholdAddCommand(), p.withholdListCommand(), &cobra.Command{
		Use:   "remove NUMBER",
		Short: "Removes an entry of the list: the next load that has its records brings the filings back",
		Long:  help("withhold"), Example: "  filings withhold remove 3",
		Args: cobra.ExactArgs(1),
		RunE: p.withWithholder(func(ctx context.Context, w *withholder, args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return usageError{fmt.Errorf("%q: must be the number of an entry; see `filings withhold list`",
					args[0])}
			}
			return w.remove(ctx, number)
		}),
	})
	return group
}

// withWithholder opens the engine for do.
func (p *program) withWithholder(
	do func(ctx context.Context, w *withholder, args []string) error,
) func(*cobra.Command, []string) error {
	return p.withSettings(func(ctx context.Context, s settings.Settings, args []string) error {
		return onEngine(s, p.logger(s), func(store generation.Store) error {
			err := do(ctx, newWithholder(s, store, p.logger(s)), args)
			if errors.Is(err, sieve.ErrInvalid) {
				err = usageError{err}
			}
			return err
		})
	})
}

func (p *program) withholdAddCommand() *cobra.Command {
	var entry sieve.Withhold
	var yes bool
	cmd := &cobra.Command{
		Use:   "add (--owner NAME | --address TEXT | --id N) --reason TEXT",
		Short: "Shows the matching filings, asks, and removes them from everything that is kept",
		Long:  help("withhold"),
		Example: "  filings withhold add --address '12 Elm St, Orlando, FL 32801' --reason 'order 2026-17' " +
			"--until 2030-12-31\n" +
			"  filings withhold add --owner 'Doe, Jane' --contacts --yes --reason 'request 12'",
		Args: noArguments,
	}
	f := cmd.Flags()
	f.StringVar(&entry.Owner, "owner", "", "all filings of this owner, however the name is written")
	f.StringVar(&entry.Address, "address", "", "all filings of this property: house number, street and what else is named")
	f.Int64Var(&entry.ID, "id", 0, "the filing with this id")
	f.StringVar(&entry.County, "county", "", "only those of this county, such as \"Orange, FL\"")
	f.StringVar(&entry.Reason, "reason", "", "why, without the name: the list keeps it")
	f.StringVar(&entry.LastDay, "until", "", "the last day, YYYY-MM-DD; without it, for ever")
	f.BoolVar(&entry.Contacts, "contacts", false, "withhold only the owner's phone numbers and e-mail addresses")
	f.BoolVar(&yes, "yes", false, "do not ask")
	cmd.RunE = p.withWithholder(func(ctx context.Context, w *withholder, _ []string) error {
		m, err := sieve.Preview(ctx, w.store, entry)
		if err != nil {
			return err
		}
		fmt.Fprintln(p.err, describeMatches(m))
		if !yes {
			if err := p.confirm(m.Key); err != nil {
				return err
			}
		}
		report, err := w.add(ctx, entry)
		if err != nil {
			return err
		}
		return json.NewEncoder(p.output).Encode(report)
	})
	return cmd
}

// confirm asks whether that is meant, on a terminal.
func (p *program) confirm(key string) error {
	if f, ok := p.input.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return usageError{errors.New("nothing was withheld: --yes says that this is meant, where nobody can be asked")}
	}
	fmt.Fprintf(p.err, "%s. Withhold them? [y/N] ", key)
	answer, err := bufio.NewReader(p.input).ReadString('\n')
	if err == nil && !strings.EqualFold(strings.TrimSpace(answer), "y") {
		err = errors.New("nothing was withheld")
	}
	return err
}

func (p *program) withholdListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Lists the entries, and whether their removal is complete",
		Long:  help("withhold"), Args: noArguments,
		Example: "  filings withhold list\n  filings withhold list --json | jq '.[] | select(.complete | not)'",
	}
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"an array of number, kind, county, contacts, reason, until, madeAt, filings, complete")
	cmd.RunE = p.withWithholder(func(ctx context.Context, w *withholder, _ []string) error {
		entries, err := w.list(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(p.output).Encode(entries)
		}
		table := tabwriter.NewWriter(p.output, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "NUMBER\tWHAT\tCOUNTY\tFILINGS\tMADE\tUNTIL\tSTATE\tREASON")
		for _, e := range entries {
			kind, state := e.Kind, "complete"
			if e.Contacts {
				kind += ", contacts"
			}
			switch {
			case !e.Active(time.Now().UTC().Format(time.DateOnly)):
				state = "ended"
			case !e.Complete:
				state = "NOT COMPLETE: add it again"
			}
			fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", e.Number, kind, e.County, e.Filings,
				e.MadeAt.Format(time.DateOnly), e.Until, state, e.Reason)
		}
		return table.Flush()
	})
	return cmd
}

// Withheld, Withhold and Unwithhold implement service.Withholder.
func (w *withholder) Withheld(ctx context.Context) (any, error) { return w.list(ctx) }

func (w *withholder) Withhold(ctx context.Context, body map[string]string) (any, func(context.Context) error, error) {
	entry := sieve.Withhold{
		Owner: body["owner"], Address: body["address"], County: body["county"], Reason: body["reason"],
		LastDay: body["until"], Contacts: body["contacts"] == "true",
	}
	if id := body["id"]; id != "" {
		var err error
		if entry.ID, err = strconv.ParseInt(id, 10, 64); err != nil {
			return nil, nil, service.Invalid("id must be an integer, as a text")
		}
	}
	m, err := sieve.Preview(ctx, w.store, entry)
	if errors.Is(err, sieve.ErrInvalid) {
		err = service.Invalid(err.Error())
	}
	return m, func(ctx context.Context) error {
		_, err := w.add(ctx, entry)
		return err
	}, err
}

func (w *withholder) Unwithhold(ctx context.Context, number int) error {
	err := w.remove(ctx, number)
	switch {
	case errors.Is(err, index.ErrNotFound):
		err = errors.Join(service.ErrNoEntry, err)
	case errors.Is(err, generation.ErrLocked):
		err = errors.Join(service.ErrLoading, err)
	}
	return err
}
