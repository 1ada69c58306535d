package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"filings/cmd/filings/settings"
)

// noSuchCommand refuses what is left over after the name of a command, and suggests a command of a similar name.
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

// strict makes `filings help` and `filings completion` refuse what is not there. Cobra's show the help of all, as if it was.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Example = "  filings help reindex\n  filings help keys create\n  filings help settings"
			c.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil {
					return err
				}
				return noSuchCommand(found, rest)
			}
		case "completion":
			c.Example = "  source <(filings completion bash)\n  filings completion zsh >\"${fpath[1]}/_filings\""
			c.Args = noSuchCommand
			c.RunE = func(*cobra.Command, []string) error {
				return usageError{errors.New("no shell: must be bash, zsh, fish or powershell; see `filings help completion`")}
			}
		}
	}
}

// settingsTopic is the page of `filings help settings`; it is no command.
func settingsTopic() *cobra.Command {
	return &cobra.Command{Use: "settings", Short: "The settings, all of them environment variables", Long: settings.Help()}
}
