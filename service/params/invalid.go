package params

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"filings/index"
)

// invalid is the error of an invalid parameter: its name, and what it must be.
func invalid(name, must string, args ...any) error {
	return errors.New(name + " " + fmt.Sprintf(must, args...))
}

// invalid is the error of a value that p does not take. The message for limit is the specification's, to the letter.
func (p *Parameter) invalid(name, text string) error {
	if p.op == opLimit || p.InPath {
		return invalid(name, "must be %s", p.Form())
	}
	hint := ""
	if p.Most > 0 {
		if near := nearest(p.unknown(items(text)), p.Choices); near != "" {
			hint = "; the nearest one is " + near
		}
	}
	return invalid(name, "must be %s, not %s%s", p.Form(), strconv.Quote(Shorten(text)), hint)
}

// above is the error of a filter by fields that the caller's tier does not show.
func (p *Parameter) above(name string) error {
	return invalid(name, "must not be given with a key of this tier: it filters by fields that only the %s tier and above show", p.tier())
}

// Shorten cuts a text of the client, so that a message stays readable.
func Shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// Unknown is the error of a name that the endpoint does not take, for strict handling. It names the nearest one that it
// takes; where none is near, all of them.
func (t *Table) Unknown(on Endpoints, name string) error {
	if len(t.names[on]) == 0 {
		return invalid(Shorten(name), "is not a parameter here: this endpoint has none")
	}
	if near := t.nearest(on, name); near != "" {
		return invalid(Shorten(name), "is not a parameter here; the nearest one is %s", near)
	}
	var all []string
	for _, p := range t.Of(on) {
		if !p.InPath {
			all = append(all, p.Name)
		}
	}
	return invalid(Shorten(name), "is not a parameter here; those here are %s", strings.Join(all, ", "))
}

// nearest returns the current name of the endpoint's parameter that name, which may resemble a legacy one, is nearest to
// in any case; "" where more than about a third of its characters would have to change, so that it is no slip.
func (t *Table) nearest(on Endpoints, name string) string {
	var names []string
	current := map[string]string{}
	for _, p := range t.Of(on) {
		if p.InPath {
			continue
		}
		for _, candidate := range []string{p.Name, p.Legacy} {
			if candidate != "" {
				names = append(names, candidate)
				current[candidate] = p.Name
			}
		}
	}
	return current[nearest(name, names)]
}

// nearest returns the candidate that name is nearest to in any case; "" where none is near.
func nearest(name string, candidates []string) (best string) {
	name = index.Fold(Shorten(name))
	least := (utf8.RuneCountInString(name)+1)/3 + 1
	for _, candidate := range candidates {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the number of characters to insert, delete or replace to turn a into b.
func distance(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range []rune(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			substitute := diagonal
			if r != to[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
