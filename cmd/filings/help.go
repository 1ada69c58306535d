package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"filings/cmd/filings/settings"
)

// helpTexts are those of `filings help`, as a terminal shows them.
//
//go:embed help
var helpTexts embed.FS

func help(name string) string {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // each name is a constant, and `filings` asks for all of them when it starts
	}
	return string(text)
}

// noSuchCommand refuses the words after the name of a command, and suggests a similar command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2 // letters to change, as cobra has it by default elsewhere
	hint := "see `filings help`"
	if suggestions := cmd.SuggestionsFor(args[0]); len(suggestions) > 0 {
		hint = "did you mean " + strings.Join(suggestions, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q: %s", args[0], cmd.CommandPath(), hint)
}

// commandGroup returns a command that only has others below it, which names lists.
func commandGroup(use, short, long, example, names string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: noSuchCommand,
		RunE: func(*cobra.Command, []string) error {
			return usageError{fmt.Errorf("no command: must be %s; see `filings help %s`", names, use)}
		}}
}

// noArguments refuses arguments of a command that takes flags only, or nothing.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no argument such as %q: see `filings help%s`", cmd.CommandPath(), args[0], pathOf(cmd))
}

// pathOf returns the path of a command without the name of the program.
func pathOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
}

// explainFlag names the flag, its fault, and the right value.
func explainFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		hint := fmt.Sprintf("see `filings help%s`; settings are environment variables, see `filings help settings`",
			pathOf(cmd))
		return fmt.Errorf("unknown flag: %s%s: %s", name, settings.Suggestion(name, flags), hint)
	case errors.As(err, &value):
		if value.GetFlag().Value.Type() == "file" {
			return fmt.Errorf("--%s: %w", value.GetFlag().Name, value.Unwrap())
		}
		kind, text := value.GetFlag().Value.Type(), value.GetValue()
		forms := map[string]string{"bool": "true or false", "duration": "a duration such as 24h"}
		must := cmp.Or(settings.Decimal(kind, text), forms[kind], "a number of at most 18 digits")
		return fmt.Errorf("--%s=%q: must be %s", value.GetFlag().Name, text, must)
	}
	return err
}

// decimal is a flag whose value is a number, in decimal digits alone.
type decimal struct{ pflag.Value }

func (d decimal) Set(text string) error {
	if must := settings.Decimal(d.Type(), text); must != "" {
		return errors.New("must be " + must)
	}
	return d.Value.Set(text)
}

// decimals makes the numbers among the flags of cmd and of those below it be read as settings are.
func decimals(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if settings.Decimal(f.Value.Type(), "010") != "" { // it is a number
			f.Value = decimal{f.Value}
		}
	})
	for _, c := range cmd.Commands() {
		decimals(c)
	}
}

// strict makes `filings help` and `filings completion` refuse unknown names. Cobra's show the help
// of all.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Example = "  filings help load\n  filings help keys create\n  filings help settings"
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
				return usageError{errors.New(
					"no shell: must be bash, zsh, fish or powershell; see `filings help completion`")}
			}
		}
	}
}
