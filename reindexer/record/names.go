package record

import (
	"errors"
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

// CheckNames checks the names that all records of a source have, which stand in what.
func CheckNames(what string, names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return errors.New(what + " has " + quote(name) + " twice")
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
	return errors.New(what + " lacks " + lacks + "; it is " + abbreviate(strings.Join(names, ",")))
}
