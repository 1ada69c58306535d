package export

import (
	"context"
	"errors"
	"strings"

	"filings/index"
)

// ErrAfter is that the filing after which an export is to begin is none of those that it has.
var ErrAfter = errors.New("export: the filters do not select the filing to begin after")

// Count returns how many filings an export has: those that w selects, from the one after the id `after` on, unless that is 0. It is
// ErrAfter if w does not select that one.
func Count(ctx context.Context, r index.Reader, w index.Filter, after int64) (int64, error) {
	if after == 0 {
		return r.Count(ctx, w)
	}
	var values [index.NumReturned][]byte
	record, err := r.Filing(ctx, after)
	if errors.Is(err, index.ErrNotFound) {
		return 0, ErrAfter
	}
	if err == nil {
		err = record.Values(&values, index.FilingDate)
	}
	if err != nil {
		return 0, err
	}
	day := strings.Trim(string(values[index.FilingDate]), `"`)
	if day == "null" {
		day = ""
	}
	from, err := r.Count(ctx, w.And(index.Rest{Date: day, ID: after}))
	if err != nil {
		return 0, err
	}
	rest, err := r.Count(ctx, w.And(index.Rest{Date: day, ID: after - 1}))
	if err == nil && from == rest {
		err = ErrAfter
	}
	return rest, err
}
