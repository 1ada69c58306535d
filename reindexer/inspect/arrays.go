package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"filings/reindexer/source"
)

// findArrays finds the arrays of objects in a JSON document, the outermost: paths and lengths.
const findArrays = `
def step: if test("^[A-Za-z_][A-Za-z0-9_]*$") then "." + . else ".[" + tojson + "]" end;
def arrays($path; $deep):
  if type == "array" then select(any(.[]; type == "object"))
      | {path: ((if $path == "" then "." else $path end) + "[]"), items: length}
  elif type == "object" and $deep > 0 then to_entries[]
      | (.key | step) as $step | .value | arrays($path + $step; $deep - 1)
  else empty end;
arrays(""; 4)`

// shownArrays is how many are named.
const shownArrays = 10

type array struct {
	Path  string
	Items int
}

// arraysOf returns the arrays of a JSON document for which nothing says where its records are. It
// reads the document, which of standard input can be done once.
func arraysOf(ctx context.Context, input source.Input, o source.Options) (found []array, err error) {
	name := input.Name
	input.Form.Format, input.Form.Path = source.JSON, findArrays
	sources, err := source.Find(ctx, []source.Input{input}, o)
	if err != nil {
		return nil, err
	}
	rows, err := sources[0].Open(ctx, new(atomic.Int64))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for len(found) < shownArrays {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, sources[0].Error(rows.Line(), err)
		}
		var entry array
		if err := json.Unmarshal([]byte(row.Text()), &entry); err != nil {
			return nil, err
		}
		found = append(found, entry)
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("%w: %s: %w. It has no array of objects; --path . takes it for one record", source.ErrUsage,
			name, source.ErrNoPath)
	case name == "-":
		return nil, fmt.Errorf("%w: standard input is a JSON document, which is read once: --path says where its "+
			"records are, such as '%s'", source.ErrUsage, largest(found).Path)
	}
	return found, nil
}

func largest(arrays []array) array {
	return slices.MaxFunc(arrays, func(a, b array) int { return a.Items - b.Items })
}
