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
	nearest := ""
	if len(u.Nearest) > 0 {
		nearest = "; the nearest are " + strings.Join(u.Nearest, "; ")
	}
	return fmt.Sprintf("%s must be what some filing has, not %s%s", u.Parameter,
		strconv.Quote(params.Shorten(u.Value)), nearest)
}

// Belongs reports whether u is of n.
func (u Unmatched) Belongs(n params.Named) bool {
	return n.Parameter == u.Parameter && slices.Contains(n.Values, u.Value)
}

// Of the values that match nothing a response lists mostUnmatched, and says of the first mostNear
// which ones they are near to: each is compared with all values of its field.
const mostUnmatched, mostNear = 10, 3

// Match returns the values that no filing of r has, the first ones.
func Match(ctx context.Context, r *serving.Reader, named []params.Named) ([]Unmatched, error) {
	return match(ctx, r, named, mostUnmatched, mostNear)
}

// MatchOne returns the first value that no filing of r has, in a list that is empty if there is none.
func MatchOne(ctx context.Context, r *serving.Reader, named []params.Named, nearest bool) ([]Unmatched, error) {
	if nearest {
		return match(ctx, r, named, 1, 1)
	}
	return match(ctx, r, named, 1, 0)
}

func match(
	ctx context.Context, r *serving.Reader, named []params.Named, most, nearest int,
) (unmatched []Unmatched, err error) {
	for _, n := range named {
		values := index.Uncut(n.Values, n.Lists, func(value string) bool {
			held, failed := r.Has(ctx, n.Field, index.Fold(value))
			err = cmp.Or(err, failed)
			return held
		})
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			held, err := r.Has(ctx, n.Field, index.Fold(value))
			if err != nil {
				return nil, err
			}
			if held {
				continue
			}
			u := Unmatched{n.Parameter, value, []string{}}
			if len(unmatched) < nearest {
				found, err := r.Suggestions(ctx, n.Field, value)
				if err != nil {
					return nil, err
				}
				u.Nearest = append(u.Nearest, found...)
			}
			if unmatched = append(unmatched, u); len(unmatched) == most {
				return unmatched, nil
			}
		}
	}
	return unmatched, nil
}
