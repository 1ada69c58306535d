package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"filings/service/access"
)

// noSuchCommand refuses what is left over after the name of a command, and says what may have been meant.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2 // letters to change, as cobra has it by default elsewhere
	hint := "see `filings help`"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q: %s", args[0], cmd.CommandPath(), hint)
}

// strictHelp makes `filings help` refuse a command that is not there. Cobra's shows the help of all, as if it was.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return // there is always one
	}
	help.Example = "  filings help reindex\n  filings help keys create\n  filings help settings"
	help.Args = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err != nil {
			return err
		}
		return noSuchCommand(found, rest)
	}
}

// strictCompletion does the same for `filings completion`.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Example = "  source <(filings completion bash)\n  filings completion zsh >\"${fpath[1]}/_filings\""
	completion.Args = noSuchCommand
	completion.RunE = func(*cobra.Command, []string) error {
		return usageError{errors.New("bash, zsh, fish or powershell is wanted: see `filings help completion`")}
	}
}

// completeFile leaves it to the shell, which knows files.
func completeFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// completeTier completes --tier.
func completeTier(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var tiers []string
	for _, t := range access.Tiers {
		tiers = append(tiers, string(t))
	}
	return tiers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completionTime is how long a shell may wait for names from a server.
const completionTime = 2 * time.Second

// completeGeneration completes the name of a generation to go back to, the newest first. Errors complete nothing: there
// is nobody to read them.
func (p *program) completeGeneration(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	s, err := p.environment()
	if err != nil || len(args) > 0 {
		return nil, directive
	}
	store, closer, err := openStore(s, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, directive
	}
	defer closer.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	all, err := sealed(ctx, store)
	for _, g := range all {
		if err == nil && !g.Live {
			names = append(names, g.Name)
		}
	}
	return names, directive
}
