package settings

import (
	"fmt"
	"strings"

	"github.com/kelseyhightower/envconfig"
)

// Row is one row of the table of settings.
type Row struct{ Variable, Default, Meaning string }

// Rows returns the table of settings, in the order of the struct.
func Rows() []Row {
	const format = "{{range .}}{{usage_key .}}\t{{usage_default .}}\t{{usage_description .}}\n{{end}}"
	var table strings.Builder
	if err := envconfig.Usagef(prefix, &Settings{}, &table, format); err != nil {
		panic(err) // neither the struct nor the format depends on anything outside
	}
	var rows []Row
	for line := range strings.Lines(table.String()) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		rows = append(rows, Row{cells[0], cells[1], cells[2]})
	}
	return rows
}

// Help is the table of settings for a terminal.
func Help() string {
	var b strings.Builder
	b.WriteString("Settings are environment variables. One that begins with FILINGS_ and is not listed here is an error.\n")
	for _, row := range Rows() {
		fmt.Fprintf(&b, "\n%s\n    %s\n", row.Variable, row.Meaning)
		if row.Default != "" {
			fmt.Fprintf(&b, "    default: %s\n", row.Default)
		}
	}
	return b.String()
}
