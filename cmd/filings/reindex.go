package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/reindexer"
	"filings/reindexer/inspect"
	"filings/reindexer/source"
)

func (p *program) reindexCommand() *cobra.Command {
	cfg := reindexer.Config{}
	cmd := &cobra.Command{
		Use:   "reindex [flags] SOURCE…",
		Short: "Loads filings into a new generation, verifies it and makes it live at once",
		Long: `Loads filings into a new generation, verifies it and makes it live at once, or changes nothing.

A SOURCE is one of these; several may be mixed:

  FILE, FOLDER     NDJSON (.ndjson, .jsonl), CSV with a header (.csv, .tsv), XLSX, Parquet, or with --path a JSON document
                   (.json, .geojson), plain, gzip or zstd. Of a folder the files in the order of their names; a link
                   or a pipe in it is an error
  -                standard input, NDJSON unless --format says otherwise
  http(s)://…      a file of a web server. Its format follows from its name, else from its Content-Type
                   (application/x-ndjson, text/csv). The load sends a user and password in the address as basic
                   authentication, and follows redirects, from https never to http. A connection that breaks, or
                   sends no byte for 60 seconds, is an error.
  postgres://…     the rows of --query, which is the same for all such sources. It runs once, in a read-only transaction, and
                   sees one state of the database.

A mapping is a program in jq that makes load records from the records that a county publishes. It reads each record (a row as
an object of the header's names) and returns none, one or several load records. --map applies to the sources after it, up to the
next --map. A mapping may use jq's own functions, and money, number, date("MM/DD/YYYY"), blank, point, text and id(text; …).
A file named .csv is a mapping too: a table with a row for each field and the column that it is read from, "filingAmount,money: Due".
A mapping whose text shows that it is wrong, such as a county left as it was proposed, is exit code 2, with line and column.
"filings inspect FILE" proposes a mapping, with --table a table; --dry-run --show 5 prints the records that it makes.

The columns of a query have the names of fields; upper and lower case are the same there, since SQL makes names that
are not quoted lower case. NULL is a missing value. Numbers are numeric, integers or floats (a numeric loses nothing);
dates date or text; createdAt timestamptz, timestamp (read as UTC) or text; categories text[], or text with ; between
them; deleted, in an update, boolean; all else is text. Cast other types, such as json, in the query. Rejects
name the row, from 1, instead of the line, and show it as JSON.

Reports and logs show addresses without user, password and parameters. Other users of this machine may see the command
line, though: better set PostgreSQL's password in PGPASSWORD or ~/.pgpass.

The live generation stays live until the load has verified the new one: counts in total, by county and by month,
sums of amounts, records read back whole, some searches. A load that fails or is killed before that leaves it untouched: run
it again, from the beginning, and it deletes what the first one left. "filings generations" shows a load that is
running, and how the last one ended; "filings rollback" makes the previous generation live again.

One load runs at a time: a second one fails at once and says who is loading, and since when. In Elasticsearch the lock of
a load that died expires after 30 seconds.

A load reports each rejected record with file, line, field and reason: the first 20 on standard error, and at its end the first of each
kind; all of them in the file that --rejects names. It promotes nothing if there are more rejects than --max-rejects, if the new generation has far fewer
filings than the live one (--max-shrink), or if a full load has none; nor if a county vanishes or shrinks (--may-shrink), a field of
a county goes empty (--may-empty), or an update moves filings to another county (--may-move). After the promotion it deletes the oldest generations,
more than FILINGS_KEEP_GENERATIONS besides the live one.

--replace "Orange, FL" is an update that brings all filings of a county: others that the county has are removed.

--format, --delimiter, --encoding, --sheet and --path apply to the sources after them, up to the next one, as --map does.

A load ends with one line of JSON on standard output. Progress is a bar on a terminal, log records elsewhere.

Exit codes: 0 promoted (or, with --dry-run, no more rejects than allowed), 1 not promoted, 2 wrong usage or settings.`,
		Example: `  filings reindex filings.ndjson.gz
  filings reindex --rejects rejects.ndjson --max-rejects 100 /data/counties/
  zcat filings.csv.gz | filings reindex --format csv -
  filings reindex --update changes.ndjson
  filings reindex --replace "Orange, FL" --map orange.jq orange.csv
  filings reindex --dry-run --show 5 --map orange.jq orange.csv
  filings reindex --map orange.jq orange.csv --map lake.jq --sheet Liens lake.xlsx
  filings reindex https://data.example.org/filings.ndjson.gz
  filings reindex --dry-run --format csv 'https://data.example.org/export?day=today'
  filings reindex --query 'SELECT id, county, filing_date AS filingDate, amount AS filingAmount FROM filings' \
    'postgres://reader@db.example.org/county?sslmode=verify-full'
  filings reindex --update --query 'SELECT id, county, owner, gone AS deleted FROM changes ORDER BY at' \
    postgres://reader@db.example.org/county more.ndjson`,
		Args: someSource,

		ValidArgsFunction: completeFile,
	}
	f := cmd.Flags()
	f.BoolVar(&cfg.Update, "update", false, "apply the records to a copy of the live generation: upserts, and {\"id\": 7, \"deleted\": true}")
	for _, name := range source.SettingNames {
		f.Var(&settingFlag{flags: f, cfg: &cfg, name: name}, name, settingHelp[name]+", for the sources after it")
	}
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(source.Formats, cobra.ShellCompDirectiveNoFileComp))
	f.Var(&mapFlag{flags: f, cfg: &cfg}, "map", "mapping of the sources after it: a program in jq that makes load records from each record")
	f.StringVar(&cfg.Query, "query", "", "SQL query whose rows are the records of the sources postgres://…")
	f.BoolVar(&cfg.Strict, "strict", false, "reject records with unknown fields")
	f.BoolVar(&cfg.DryRun, "dry-run", false, "read and validate only")
	f.IntVar(&cfg.Show, "show", 0, "with --dry-run, print this many of the first records, as --map makes them")
	f.IntVar(&cfg.MaxRejects, "max-rejects", 0, "promote in spite of up to this many rejected records")
	f.StringVar(&cfg.Rejects, "rejects", "", "file for all rejected records and their reasons: JSON lines, or CSV if its name ends in .csv")
	f.StringArrayVar(&cfg.Replace, "replace", nil, "county (may be repeated): an update whose records are all of these counties; other filings of theirs are removed")
	f.Float64Var(&cfg.MaxShrink, "max-shrink", 10, "promote although the generation has up to this many percent fewer filings than the live one, and each county of 200 filings or more; 100 does not compare them")
	f.StringArrayVar(&cfg.MayShrink, "may-shrink", nil, "county (may be repeated) that may have any number of filings fewer, or none")
	f.StringArrayVar(&cfg.MayEmpty, "may-empty", nil, "field (may be repeated) that may be gone of a county's filings; or source that may be a header without rows")
	f.BoolVar(&cfg.MayMove, "may-move", false, "let an update change the county of filings")
	_ = cmd.RegisterFlagCompletionFunc("rejects", completeFile) // fails only for a flag that does not exist, or has one
	cmd.RunE = p.withSettings(func(ctx context.Context, s settings.Settings, args []string) error {
		cfg.Sources, cfg.Stdin = args, p.in
		return p.reindex(ctx, s, cfg)
	})
	return cmd
}

// mapFlag is the flag --map: a file, for the sources after it.
type mapFlag struct {
	flags *pflag.FlagSet
	cfg   *reindexer.Config
}

func (m *mapFlag) String() string { return "" }
func (m *mapFlag) Type() string   { return "file" }

func (m *mapFlag) Set(path string) error {
	if info, err := os.Stat(path); err == nil {
		if err := source.NoFile(info); err != nil {
			return fmt.Errorf("the mapping has to be a file, and %s %w", path, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	m.cfg.Maps = append(m.cfg.Maps, reindexer.Map{Name: path, Text: string(text), From: m.flags.NArg()})
	return nil
}

// settingFlag is an option of the sources behind it.
type settingFlag struct {
	flags *pflag.FlagSet
	cfg   *reindexer.Config
	name  string
}

func (s *settingFlag) String() string { return "" }
func (s *settingFlag) Type() string   { return "string" }

func (s *settingFlag) Set(value string) error {
	s.cfg.Settings = append(s.cfg.Settings, source.Setting{Name: s.name, Value: value, From: s.flags.NArg()})
	return nil
}

// someSource refuses a load without sources.
func someSource(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("name at least one SOURCE: a file, a folder, an address, or - for standard input")
	}
	return nil
}

// reindex runs a load and prints its report, also that of a load that promoted nothing.
func (p *program) reindex(ctx context.Context, s settings.Settings, cfg reindexer.Config) (err error) {
	log := p.logger(s)
	store, closer, err := openEngine(s, nil, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	cfg.Store = store
	cfg.Keep, cfg.KeepChanges = s.KeepGenerations, s.KeepChanges
	cfg.Holder = holder()
	cfg.Log = log
	if cfg.Show == 0 || isTerminal(p.err) { // a file gets records and reasons alone
		cfg.Progress = p.progress(log)
	}
	cfg.OnShow = func(text string) { fmt.Fprintln(p.out, text) }
	report, err := reindexer.Run(ctx, cfg)
	if errors.Is(err, reindexer.ErrUsage) {
		return usageError{err}
	}
	writeReasons(p.err, report.Reasons)
	if printErr := json.NewEncoder(p.out).Encode(report); printErr != nil {
		err = errors.Join(err, printErr)
	}
	return check.Explain(s, err)
}

// writeReasons writes how many records were rejected for what, the most frequent reasons first, with an example of each.
func writeReasons(w io.Writer, reasons map[reindexer.Reason]reindexer.Rejected) {
	if len(reasons) == 0 {
		return
	}
	byCount := slices.SortedFunc(maps.Values(reasons), func(a, b reindexer.Rejected) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.First, b.First))
	})
	fmt.Fprintln(w, "Rejected, with the first of each kind:")
	for _, reason := range byCount {
		fmt.Fprintf(w, "%8d  %s\n", reason.Records, reason.First)
	}
}

// progress shows a load as a bar on a terminal, as log records elsewhere.
func (p *program) progress(log *slog.Logger) reindexer.Progress {
	if isTerminal(p.err) {
		return reindexer.NewBar(p.err)
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
	o, proposal := source.Options{}, inspect.Proposal{}
	cmd := &cobra.Command{
		Use:   "inspect [flags] FILE",
		Short: "Describes a county's file, and proposes a mapping for reindex --map",
		Long: `Describes a county's file, and proposes a mapping for reindex --map.

It prints the columns, how many of the records have a value in each, the form of these values and some of them, as the comment of a
mapping to begin with: a table of fields and columns with --table, else a program in jq. It guesses by names and values: check every
line of it. A form that 95 % of a column's values have is its form; the first of the others is shown. Other columns that a field may be
read from are comments. Of a JSON document without --path it lists the arrays and reads the largest; of an XLSX file it lists the
sheets other than the one that --sheet names, or the first. Text that is not UTF-8 it reads as windows-1252.
It needs no settings and no server, and changes nothing.`,
		Example: "  filings inspect --table --county 'Orange, FL' orange.csv > county.csv\n  filings inspect orange.csv > orange.jq\n  filings inspect --sheet Liens lake.xlsx > lake.jq\n  filings inspect --path '.features[]' liens.geojson",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Stdin, o.Log = p.in, slog.New(slog.DiscardHandler)
			proposal.Today = time.Now()
			err := inspect.Run(cmd.Context(), args[0], o, proposal, p.out)
			if errors.Is(err, source.ErrUsage) {
				return usageError{err}
			}
			return err
		},
		ValidArgsFunction: completeFile,
	}
	formFlags(cmd, &o.Form)
	cmd.Flags().BoolVar(&proposal.Table, "table", false, "propose a table of fields and columns, as CSV, instead of a program in jq")
	cmd.Flags().StringVar(&proposal.County, "county", "", "county and state of all records, such as \"Orange, FL\"")
	return cmd
}

// settingHelp describes the options that say how records are written.
var settingHelp = map[string]string{
	"format":    "ndjson, csv, json, xlsx or parquet; by default by the source's name",
	"delimiter": "separator of the cells of CSV: , ; | or tab; by default the one that its header has most of",
	"encoding":  "encoding of text, such as windows-1252; by default UTF-8",
	"sheet":     "sheet of an XLSX file; by default its first one. Rows above the header that have one cell are left out",
	"path":      "jq program that finds the records of a JSON document, such as '.parcels[]'",
}

// formFlags are the flags that say how records are written.
func formFlags(cmd *cobra.Command, form *source.Form) {
	for _, name := range source.SettingNames {
		cmd.Flags().StringVar(form.Part(name), name, "", settingHelp[name])
	}
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(source.Formats, cobra.ShellCompDirectiveNoFileComp))
}
