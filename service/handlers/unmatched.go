package handlers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"filings/index"
	"filings/index/serving"
	"filings/service/params"
)

// Unmatched is a value that a parameter names, and that no filing of a generation has (rule X63).
type Unmatched struct {
	Parameter string   `json:"parameter"`
	Value     string   `json:"value"`
	Nearest   []string `json:"nearest"`
}

func (u Unmatched) String() string {
	near := ""
	if len(u.Nearest) > 0 {
		near = "; the nearest are " + strings.Join(u.Nearest, "; ")
	}
	return fmt.Sprintf("%s must be what some filing has, not %s%s", u.Parameter, strconv.Quote(params.Shorten(u.Value)), near)
}

// In reports whether u is of n.
func (u Unmatched) In(n params.Named) bool {
	return n.Parameter == u.Parameter && slices.Contains(n.Values, u.Value)
}

// mostUnmatched is how many values that match nothing a response lists.
const mostUnmatched = 10

// Match returns the values that no filing of r has, the first ones.
func Match(ctx context.Context, r *serving.Reader, named []params.Named) (unmatched []Unmatched, err error) {
	for _, n := range named {
		values := index.Uncut(n.Values, n.Lists, func(value string) bool {
			has, failed := r.Has(ctx, n.Field, index.Fold(value))
			err = cmp.Or(err, failed)
			return has
		})
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			has, err := r.Has(ctx, n.Field, index.Fold(value))
			switch {
			case err != nil || len(unmatched) == mostUnmatched:
				return unmatched, err
			case has:
				continue
			}
			near, err := r.Near(ctx, n.Field, value)
			if err != nil {
				return nil, err
			}
			unmatched = append(unmatched, Unmatched{n.Parameter, value, append([]string{}, near...)})
		}
	}
	return unmatched, nil
}
