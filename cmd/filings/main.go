// Command filings loads public county filing records into a search index and serves them as a JSON API.
//
// This package owns the process: commands, listeners and certificates, logging and exit codes. It
// wires engine, key store, loader and service together, and holds no rule of theirs; package
// settings reads the environment, package check checks the needs of a service. One file is one
// command. Arrows point one way: main lists the commands, the commands stand on program.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"filings/cmd/filings/settings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal starts the shutdown; a second one ends the program at once
	os.Exit(run(ctx, os.Args[1:], environment, streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run carries out one command and returns the exit code.
func run(ctx context.Context, args []string, environment func() (settings.Settings, error), std streams) int {
	std.output, std.err = shown(std.output), shown(std.err)
	p := &program{std, environment}
	started := false
	root := p.root()
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		// cobra looks for required flags only after this; before it, every error is one of usage.
		if err := cmd.ValidateRequiredFlags(); err != nil {
			return err
		}
		started = true
		return nil
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(std.err, "filings: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) || !started {
		return exitUsage
	}
	if load, ok := errors.AsType[loadError](err); ok {
		return load.code()
	}
	return exitFailed
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "filings",
		Short:         "Loads public county filing records into a search index and serves them as a JSON API",
		Long:          help("filings"),
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionLine(),
		Args:          noSuchCommand,
		RunE: func(*cobra.Command, []string) error {
			return usageError{errors.New("no command: see `filings help`")}
		},
	}
	root.AddCommand(p.serveCommand(), p.demoCommand(), p.loadCommand(), p.inspectCommand(), p.generationsCommand(),
		p.rollbackCommand(), p.releaseCommand(), p.withholdCommand(), p.keysCommand(), p.tokensCommand(),
		p.generateCommand(), p.checkCommand(), p.healthCommand(), p.versionCommand(), p.manCommand(),
		// No command: the page of `filings help settings`.
		&cobra.Command{Use: "settings", Short: "Lists the settings, which are environment variables",
			Long: settings.Help()})
	root.SetIn(p.input)
	root.SetOut(p.output) // before strict: the commands that it adds keep this
	root.SetErr(p.err)
	root.SetFlagErrorFunc(explainFlag)
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	strict(root)
	decimals(root)
	return root
}
