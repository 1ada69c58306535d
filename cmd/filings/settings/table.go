package settings

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/kelseyhightower/envconfig"

	"filings/index"
)

// Row is one row of the table of settings.
type Row struct{ Variable, Default, Meaning, kind string }

// meanings has a line for each setting: its name without the prefix, a colon, and its meaning.
//
//go:embed meanings.txt
var meanings string

// Rows returns the table of settings, in the order of the struct.
func Rows() []Row {
	const format = "{{range .}}{{usage_key .}}\t{{usage_default .}}\t{{usage_type .}}\n{{end}}"
	var table strings.Builder
	if err := envconfig.Usagef(prefix, &Settings{}, &table, format); err != nil {
		panic(err) // neither the struct nor the format depends on anything outside
	}
	var rows []Row
	for line := range strings.Lines(table.String()) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		_, meaning, _ := strings.Cut("\n"+meanings, "\n"+strings.TrimPrefix(cells[0], "FILINGS_")+": ")
		meaning, _, _ = strings.Cut(meaning, "\n")
		rows = append(rows, Row{cells[0], cells[1], meaning, cells[2]})
	}
	return rows
}

// Help is the table of settings for a terminal.
func Help() string {
	var b strings.Builder
	b.WriteString("Settings are environment variables. One that begins with FILINGS_ and is not listed here is an " +
		"error.\nWith OTEL_EXPORTER_OTLP_ENDPOINT, serve and load send traces; OTEL_TRACES_SAMPLER says which.\n")
	for _, row := range Rows() {
		fmt.Fprintf(&b, "\n%s\n    %s\n", row.Variable, row.Meaning)
		if row.Default != "" {
			fmt.Fprintf(&b, "    default: %s\n", row.Default)
		}
	}
	return b.String()
}

// suggestion asks for the setting that name may have been meant for, if there is one.
func suggestion(name string) string {
	var variables []string
	for _, row := range Rows() {
		variables = append(variables, row.Variable)
	}
	return Suggestion(name, variables)
}

// mostTypos is how many letters a misspelled name may differ in from the one that was meant.
const mostTypos = 3

// Suggestion asks for the one of names that a misspelled name may have been meant for: " (did you
// mean LISTEN?)". It is "" where none is near.
func Suggestion(name string, names []string) string {
	best, least := "", min(mostTypos+1, len(name)) // of a short name nothing may be left
	for _, candidate := range names {
		if d := index.Distance([]rune(name), []rune(candidate), false); d < least {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}
