package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"filings/mappings"
)

const version = "1.0.0"

// Exit codes: a contract with scripts.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// streams are what a process reads and writes. Results go to out, everything else to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// program is one run of the program.
type program struct {
	streams
	environment func() (settings, error)
}

// usageError is an error in how the program was called or set up: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// run carries out one command and returns the exit code.
func run(ctx context.Context, args []string, environment func() (settings, error), std streams) int {
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
	return exitFailed
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "filings",
		Short: "Loads public county filing records into a search index and serves them as a JSON API",
		Long: "Loads public county filing records into a search index and serves them as a JSON API.\n\n" +
			"With FILINGS_ELASTICSEARCH_URL and FILINGS_REDIS_URL the filings live in Elasticsearch 8, keys and counters in Redis;\n" +
			"without them, an embedded engine keeps both in FILINGS_DATA_DIR.\n\n" +
			"Results go to standard output, everything else to standard error.\n" +
			"Exit codes: 0 done, 1 failed, 2 wrong usage or settings.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionLine(),
		Args:          noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageError{errors.New("a command is wanted: see `filings help`")}
		},
	}
	root.AddCommand(p.serveCommand(), p.demoCommand(), p.reindexCommand(), p.generationsCommand(), p.rollbackCommand(),
		p.keysCommand(), p.generateCommand(), p.checkCommand(), p.healthCommand(), p.versionCommand(), p.manCommand(), settingsTopic())
	root.SetIn(p.in)
	root.SetOut(p.out) // before strictCompletion: the commands that it adds keep this
	root.SetErr(p.err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	strictHelp(root)
	strictCompletion(root)
	return root
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Prints the version",
		Example: "  filings version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.out, versionLine())
			return err
		},
	}
}

func versionLine() string {
	commit := revision()
	if commit != "" {
		commit = " (" + commit + ")"
	}
	return fmt.Sprintf("filings %s%s, mapping v%d, %s", version, commit, mappings.Version, runtime.Version())
}

// revision is the commit that the program was built from, where the build recorded one.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return s.Value[:12]
			}
		}
	}
	return ""
}

// settingsTopic is the page of `filings help settings`; it is no command.
func settingsTopic() *cobra.Command {
	return &cobra.Command{Use: "settings", Short: "The settings, all of them environment variables", Long: settingsText()}
}

// withSettings reads the settings and hands them to do.
func (p *program) withSettings(do func(ctx context.Context, s settings, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := p.environment()
		if err != nil {
			return usageError{err}
		}
		return do(cmd.Context(), s, args)
	}
}

// logger writes to standard error in the format that the settings ask for.
func (p *program) logger(s settings) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == "text" || s.LogFormat == "auto" && isTerminal(p.err) {
		return slog.New(slog.NewTextHandler(p.err, options))
	}
	return slog.New(slog.NewJSONHandler(p.err, options))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
