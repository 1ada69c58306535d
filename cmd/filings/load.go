package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/cmd/filings/traces"
	"filings/reindexer"
	"filings/reindexer/inspect"
	"filings/reindexer/plan"
	"filings/reindexer/s3"
	"filings/reindexer/source"
)

func (p *program) loadCommand() *cobra.Command {
	cfg, file, asJSON, o, options := reindexer.Config{}, "", false, plan.Options{}, []reindexer.Option{}
	cmd := &cobra.Command{
		Use:     "load [flags] SOURCE… | --plan FILE",
		Aliases: []string{"reindex"}, // its name in 1.0.0, on which scripts rely
		Short:   "Loads filings into a new generation, verifies it and makes it live at once",
		Long:    help("load"),
		Example: help("load-examples"),
		Args: func(cmd *cobra.Command, args []string) error {
			for _, name := range append([]string{"map", "query", "update", "replace", "max-rejects"},
				source.SettingNames...) {
				if file != "" && cmd.Flags().Changed(name) {
					return fmt.Errorf(
						"--%s does not go with --plan, which says that of each county; --only replaces counties", name)
				}
			}
			switch {
			case file != "" && len(args) > 0:
				return errors.New("with --plan, the sources are those that the plan names")
			case file == "" && (len(o.Only) > 0 || o.KeepGoing):
				return errors.New("--only and --keep-going are about the counties of a --plan")
			case file == "" && len(args) == 0:
				return errors.New("name at least one SOURCE: a file, a folder, an address, or - for standard input")
			}
			return nil
		},

		ValidArgsFunction: completeFile,
	}
	f := cmd.Flags()
	f.StringVar(&file, "plan", "", "load the counties of this YAML `FILE`, each with its sources, mapping and options")
	f.StringArrayVar(&o.Only, "only", nil,
		"replace this `COUNTY` of the plan alone, and keep the others (repeatable)")
	f.BoolVar(&o.KeepGoing, "keep-going", false,
		"if counties of the plan fail, load the others; the failed ones stay live unchanged, and the exit code is 1")
	f.BoolVar(&cfg.Update, "update", false,
		"add and replace single filings of the live generation; {\"id\": 7, \"deleted\": true} deletes one")
	for _, name := range source.SettingNames {
		f.Var(&optionFlag{f, &options, name}, name, settingHelp[name]+"; for the sources after it")
	}
	_ = cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(source.Formats, cobra.ShellCompDirectiveNoFileComp))
	f.Var(&optionFlag{f, &options, "map"}, "map",
		"jq program or CSV table that converts the records of the sources after it")
	f.StringVar(&cfg.Query, "query", "", "SQL `QUERY` whose rows are the records of the sources postgres://…")
	f.BoolVar(&cfg.Strict, "strict", false, "reject records with unknown fields")
	f.BoolVar(&cfg.DryRun, "dry-run", false, "read, validate and compare with the live filings; load nothing")
	f.BoolVar(&cfg.IfChanged, "if-changed", false,
		"skip the load if no source, mapping or option has changed since the live generation")
	f.IntVar(&cfg.Show, "show", 0, "with --dry-run, print the first `N` records, after the mapping")
	f.IntVar(&cfg.MaxRejects, "max-rejects", 0, "promote despite up to `N` rejected records")
	f.StringVar(&cfg.Rejects, "rejects", "",
		"`FILE` for all rejected records and their reasons: JSON lines, or CSV if its name ends in .csv")
	f.StringArrayVar(&cfg.Replace, "replace", nil,
		"replace all filings of this `COUNTY` with the loaded records, and keep other counties (repeatable)")
	guardFlags(f, &cfg)
	reportFlag(f, &asJSON)
	f.BoolVar(&cfg.MayMove, "may-move", false, "same as --allow moved")
	for _, name := range []string{"rejects", "plan"} {
		_ = cmd.RegisterFlagCompletionFunc(name, completeFile) // fails only for a flag that does not exist, or has one
	}
	cmd.RunE = p.withSettings(func(ctx context.Context, s settings.Settings, args []string) error {
		cfg.Stdin, cfg.Plan = p.input, file
		if file == "" {
			var err error
			if cfg.Inputs, err = reindexer.Inputs(args, options); err != nil {
				return usageError{err}
			}
			return p.load(ctx, s, cfg, asJSON, reindexer.Run)
		}
		counties, err := plan.Read(file)
		if err != nil {
			return usageError{err}
		}
		if counties.MaxShrink != nil && !f.Changed("max-shrink") && cfg.MaxShrink < 100 { // 100 is --force
			cfg.MaxShrink = *counties.MaxShrink
		}
		return p.load(ctx, s, cfg, asJSON, func(ctx context.Context, cfg reindexer.Config) (reindexer.Report, error) {
			return counties.Run(ctx, cfg, o)
		})
	})
	return cmd
}

// reportFlag adds the flag by which a terminal gets the report that a pipe gets.
func reportFlag(f *pflag.FlagSet, asJSON *bool) {
	f.BoolVar(asJSON, "json", false, "write the report as a line of JSON on a terminal too")
}

// guardFlags adds the flags that loosen the guards.
func guardFlags(f *pflag.FlagSet, cfg *reindexer.Config) {
	f.Float64Var(&cfg.MaxShrink, "max-shrink", 10,
		"allow this `PERCENT` fewer filings than the live generation, in total and in each county of 200 or more "+
			"(100: same as --force)")
	f.Var(allowFlag{&cfg.Allowed, func(text string) string { return text }}, "allow",
		"allow a `CHANGE` that guards refuse: renewed=COUNTY, shrunk=COUNTY, changed=FIELD, empty=SOURCE or moved "+
			"(repeatable)")
	f.Var(allowFlag{&cfg.Allowed, func(county string) string { return "shrunk=" + county }}, "may-shrink",
		"same as --allow shrunk=`COUNTY`")
	f.Var(allowFlag{&cfg.Allowed, reindexer.Emptied}, "may-empty",
		"same as --allow changed=`FIELD`, or for a source empty=SOURCE")
	f.BoolFunc("force", "compare nothing with the live generation", func(text string) error {
		force, err := strconv.ParseBool(text)
		if force {
			cfg.MaxShrink = 100
		}
		return err
	})
}

// allowFlag is a flag that adds a permission under another name.
type allowFlag struct {
	*reindexer.Allowed
	words func(value string) string
}

func (allowFlag) String() string           { return "" }
func (allowFlag) Type() string             { return "string" }
func (a allowFlag) Set(value string) error { return a.Allow(a.words(value)) }

// optionFlag is an option of the sources after it.
type optionFlag struct {
	flags   *pflag.FlagSet
	options *[]reindexer.Option
	name    string
}

func (o *optionFlag) String() string { return "" }

func (o *optionFlag) Type() string {
	if o.name == "map" {
		return "file"
	}
	return "string"
}

func (o *optionFlag) Set(value string) error {
	option := reindexer.Option{Name: o.name, Value: value, First: o.flags.NArg()}
	if o.name == "map" {
		if info, err := os.Stat(value); err == nil {
			if err := source.NoFile(info); err != nil {
				return fmt.Errorf("the mapping has to be a file, and %s %w", value, err)
			}
		}
		m, err := reindexer.ReadMapping(value)
		if err != nil {
			return err
		}
		option.Mapping = m
	}
	*o.options = append(*o.options, option)
	return nil
}

// load runs a load, by run, and prints its report, also that of a load that promoted nothing.
func (p *program) load(
	ctx context.Context, s settings.Settings, cfg reindexer.Config, asJSON bool,
	run func(context.Context, reindexer.Config) (reindexer.Report, error),
) (err error) {
	log := p.logger(s)
	store, closer, err := openEngine(s, nil, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	cfg.Store, cfg.Servers, cfg.Temporary = store, serversOf(s), int64(s.Temporary)
	cfg.Keep, cfg.KeepChanges = s.KeepGenerations, s.KeepChanges
	cfg.Holder = holder()
	cfg.Log = log
	if cfg.Show == 0 || isTerminal(p.err) { // a file gets records and reasons alone
		cfg.Progress = p.progress(log)
	}
	cfg.OnShow = func(text string) { fmt.Fprintln(p.output, text) }
	tracer, sendSpans, err := traces.Open(version, log)
	if err != nil {
		return usageError{err}
	}
	defer sendSpans()
	ctx, span := tracer.Load(ctx)
	report, err := run(ctx, cfg)
	span.EndLoad(report.Generation, report.Read, report.Rejected, err)
	wrong := errors.Is(err, reindexer.ErrUsage)
	if wrong && len(report.Failed) == 0 {
		return usageError{err}
	}
	writeReasons(p.err, report.Reasons)
	write := writeReport
	if asJSON || !isTerminal(p.output) {
		write = func(w io.Writer, report reindexer.Report) error { return json.NewEncoder(w).Encode(report) }
	}
	if failed := write(p.output, report); failed != nil {
		err = errors.Join(err, failed)
	}
	if wrong { // of counties of a plan, which the report names
		return usageError{err}
	}
	if err = check.Explain(s, err); err != nil {
		err = loadError{err}
	}
	return err
}

// serversOf returns who reads from servers.
func serversOf(s settings.Settings) source.Servers {
	return source.Servers{Timeout: s.SourceTimeout, SocrataTokens: byHost(s.SocrataTokens),
		ArcGISTokens: byHost(s.ArcgisTokens), S3: s3.Config{
			Endpoint: s.S3Endpoint, Region: s.AWS.Region, AccessKeyID: s.AWS.AccessKeyID,
			SecretAccessKey: s.AWS.SecretAccessKey, SessionToken: s.AWS.SessionToken,
		}}
}

// byHost returns tokens by host, in lower case, of items HOST=TOKEN.
func byHost(items []string) map[string]string {
	tokens := map[string]string{}
	for _, item := range items {
		host, token, _ := strings.Cut(item, "=")
		tokens[strings.ToLower(host)] = token
	}
	return tokens
}

// progress shows a load as a bar on a terminal, as log records elsewhere.
func (p *program) progress(log *slog.Logger) reindexer.Progress {
	if t, ok := p.err.(terminal); ok {
		return reindexer.NewBar(t.file)
	}
	return reindexer.NewLog(log)
}

// holder names this process to the operator of another machine.
func holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// completeFile leaves completion to the shell, which knows files.
func completeFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func (p *program) inspectCommand() *cobra.Command {
	input, o, proposal := source.Input{}, source.Options{}, inspect.Proposal{}
	cmd := &cobra.Command{
		Use:   "inspect [flags] FILE",
		Short: "Describes a county's file, and proposes a mapping for load --map",
		Long:  help("inspect"),
		Example: "  filings inspect --table --county 'Orange, FL' orange.csv > county.csv\n" +
			"  filings inspect orange.csv > orange.jq\n" +
			"  filings inspect --sheet Liens lake.xlsx > lake.jq\n" +
			"  filings inspect --path '.features[]' liens.geojson",
		Args: cobra.ExactArgs(1),
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, args []string) error {
			o.Stdin, o.Servers, o.Temporary, o.Log = p.input, serversOf(s), int64(s.Temporary),
				slog.New(slog.DiscardHandler)
			proposal.Today = time.Now()
			input.Name = args[0]
			err := inspect.Run(ctx, input, o, proposal, p.output)
			if errors.Is(err, source.ErrUsage) {
				return usageError{err}
			}
			return err
		}),
		ValidArgsFunction: completeFile,
	}
	for _, name := range source.SettingNames {
		cmd.Flags().StringVar(input.Form.Part(name), name, "", settingHelp[name])
	}
	_ = cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(source.Formats, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&proposal.Table, "table", false,
		"propose a table of fields and columns, as CSV, instead of a program in jq")
	cmd.Flags().StringVar(&proposal.County, "county", "", "county and state of all records, such as \"Orange, FL\"")
	return cmd
}

// settingHelp describes the options that say how records are written.
var settingHelp = map[string]string{
	"format":    "`FORMAT` of records: ndjson, csv, json, xlsx or parquet (default: from the source's name)",
	"delimiter": "`CHARACTER` between the cells of CSV: , ; | or tab (default: the most frequent one in the header)",
	"encoding":  "`ENCODING` of text, such as windows-1252 (default: UTF-8)",
	"sheet":     "`NAME` of the sheet of an XLSX file (default: the first one that isn't hidden)",
	"header-row": "`NUMBER` of the header's row in an XLSX file, or line in CSV (default: the first row with the " +
		"mapping's columns; the first line of CSV)",
	"member":    "`NAME` of the file in a zip archive (default: its only one)",
	"path":      "jq `PROGRAM` that finds the records of a JSON document, such as '.parcels[]'",
	"time-zone": "`ZONE` of the county, such as America/New_York: a time becomes the day that it is there",
}
