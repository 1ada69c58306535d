package record

import (
	"errors"
	"fmt"
	"strings"

	"filings/index"
)

// deletedName marks a deletion in an update (rule L9).
const deletedName = "deleted"

// NameOf returns the name that a column of a query stands for, as SQL makes names that are not
// quoted lower case; and whether it is known, and a list.
func NameOf(column string) (name string, known, list bool) {
	for _, f := range index.Fields() {
		if f.Loaded() && strings.EqualFold(f.String(), column) {
			return f.String(), true, f.Info().Kind == index.KindCategories
		}
	}
	if strings.EqualFold(column, deletedName) {
		return deletedName, true, false
	}
	return column, false, false
}

// ColumnNames are the names by which records know columns: trimmed, a column without one by its
// number, and the second of a name with _2 after it, or with the next free number.
func ColumnNames(header []string) []string {
	names, taken := make([]string, len(header)), make(map[string]bool, len(header))
	for i, name := range header {
		if names[i] = strings.TrimSpace(name); names[i] == "" {
			names[i] = fmt.Sprintf("column_%d", i+1)
		}
		taken[names[i]] = true
	}
	last := make(map[string]int, len(header)) // number after a name
	for i, name := range names {
		if last[name]++; last[name] == 1 {
			continue
		}
		for taken[names[i]] {
			names[i] = fmt.Sprintf("%s_%d", name, last[name])
			if taken[names[i]] {
				last[name]++
			}
		}
		taken[names[i]] = true
	}
	return names
}

// CheckNames checks the names that all records of a source have; where they stand, such as "the
// header", begins the error.
func CheckNames(place string, names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return errors.New(place + " has " + quote(name) + " twice")
		}
		seen[name] = true
	}
	lacks := ""
	switch id, county := index.ID.String(), index.County.String(); {
	case !seen[id]:
		lacks = id
	case !seen[county] && !seen[deletedName]:
		lacks = county
	default:
		return nil
	}
	return errors.New(place + " lacks " + lacks + "; it is " + abbreviate(strings.Join(names, ",")))
}
