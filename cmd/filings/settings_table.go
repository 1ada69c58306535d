package main

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// setting is one row of the table of settings.
type setting struct{ variable, byDefault, meaning string }

// settingRows returns the table of settings, in the order of the struct.
func settingRows() []setting {
	t := reflect.TypeFor[settings]()
	rows := make([]setting, t.NumField())
	for i := range rows {
		tag := t.Field(i).Tag
		rows[i] = setting{"FILINGS_" + screamingSnake(t.Field(i).Name), tag.Get("default"), tag.Get("desc")}
	}
	return rows
}

var wordEnds = []*regexp.Regexp{regexp.MustCompile(`([a-z0-9])([A-Z])`), regexp.MustCompile(`([A-Z])([A-Z][a-z])`)}

// screamingSnake splits a field's name into words as envconfig does.
func screamingSnake(name string) string {
	for _, end := range wordEnds {
		name = end.ReplaceAllString(name, "${1}_${2}")
	}
	return strings.ToUpper(name)
}

// settingsText is the table of settings for a terminal.
func settingsText() string {
	var b strings.Builder
	b.WriteString("Settings are environment variables. One that begins with FILINGS_ and is not listed here is an error.\n")
	for _, row := range settingRows() {
		fmt.Fprintf(&b, "\n%s\n    %s\n", row.variable, row.meaning)
		if row.byDefault != "" {
			fmt.Fprintf(&b, "    default: %s\n", row.byDefault)
		}
	}
	return b.String()
}
