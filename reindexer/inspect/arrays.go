package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"filings/reindexer/source"
)

// arrays finds the arrays of objects in a JSON document, the outermost ones, as paths and numbers of items.
const arrays = `
def step: if test("^[A-Za-z_][A-Za-z0-9_]*$") then "." + . else ".[" + tojson + "]" end;
def arrays($path; $deep):
  if type == "array" then select(any(.[]; type == "object")) | {path: ((if $path == "" then "." else $path end) + "[]"), items: length}
  elif type == "object" and $deep > 0 then to_entries[] | (.key | step) as $step | .value | arrays($path + $step; $deep - 1)
  else empty end;
arrays(""; 4)`

// shownArrays is how many are named.
const shownArrays = 10

// noPath returns the error of a JSON document for which nothing says where its records are: where they may be.
func noPath(ctx context.Context, name string, o source.Options) error {
	o.Form.Format, o.Form.Path = source.JSON, arrays
	all, err := source.Find([]string{name}, o)
	if err != nil {
		return err
	}
	in, err := all[0].Open(ctx, new(atomic.Int64))
	if err != nil {
		return err
	}
	defer in.Close()
	var found []string
	for len(found) < shownArrays {
		rec, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return all[0].Error(in.Line(), err)
		}
		var array struct {
			Path  string
			Items int
		}
		if err := json.Unmarshal([]byte(rec.Text), &array); err != nil {
			return err
		}
		found = append(found, fmt.Sprintf("'%s' gives %d", array.Path, array.Items))
	}
	if len(found) == 0 {
		return fmt.Errorf("%w: %s: %w. It has no array of objects; --path . takes it for one record", source.ErrUsage, name, source.ErrNoPath)
	}
	return fmt.Errorf("%w: %s is a JSON document: --path says where its records are; %s", source.ErrUsage, name, strings.Join(found, ", "))
}
