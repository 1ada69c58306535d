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

// Unmatched is that no filing of a generation has a value which a parameter names (rule X63).
type Unmatched struct {
	Parameter, Value string
	Nearest          []string // up to mostNearest values that filings have
}

func (u *Unmatched) Error() string {
	near := ""
	if len(u.Nearest) > 0 {
		near = "; the nearest are " + strings.Join(u.Nearest, "; ")
	}
	return fmt.Sprintf("%s must be what some filing has, not %s%s", u.Parameter, strconv.Quote(params.Shorten(u.Value)), near)
}

const (
	mostNearest = 3
	// mostCompared is to how many values, the most frequent ones, an unmatched one is compared: that takes some 5 ms.
	mostCompared = 1000
)

// Matched returns an Unmatched for the first value that no filing of r has; nil where there is none.
func Matched(ctx context.Context, r *serving.Reader, named []params.Named) error {
	for _, n := range named {
		has, err := valuesOf(ctx, r, n)
		if err != nil {
			return err
		}
		for _, value := range n.Values {
			if has(index.Fold(value)) {
				continue
			}
			near, err := nearest(ctx, r, n.Field, value)
			if err != nil {
				return err
			}
			return &Unmatched{n.Parameter, value, near}
		}
	}
	return nil
}

// valuesOf returns which of n's values, folded, some filing has.
func valuesOf(ctx context.Context, r *serving.Reader, n params.Named) (has func(string) bool, err error) {
	if n.Field == index.County {
		names, err := r.CountyNames(ctx)
		return names.Has, err
	}
	sent := index.AnyOf{Fields: []index.Field{n.Field}}
	for _, value := range n.Values {
		sent.Values = append(sent.Values, index.Fold(value))
	}
	found, err := frequent(ctx, r, n.Field, index.Where(sent), index.MaxGroups)
	return func(value string) bool {
		return slices.ContainsFunc(found, func(f string) bool { return index.Fold(f) == value })
	}, err
}

// nearest returns the values of a field that a text, which is none, is nearest to.
func nearest(ctx context.Context, r *serving.Reader, field index.Field, text string) ([]string, error) {
	values, err := frequent(ctx, r, field, index.Filter{}, mostCompared)
	wanted := []rune(index.Fold(params.Shorten(text)))
	distances := make(map[string]int, len(values))
	for _, v := range values {
		compared := v
		if field == index.County && !strings.Contains(text, ",") {
			compared, _ = index.SplitCounty(v)
		}
		distances[v] = index.Distance(wanted, []rune(index.Fold(params.Shorten(compared))), true)
	}
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	return values[:min(len(values), mostNearest)], err
}

// frequent returns the most frequent values of a field in what w selects, up to a number of them.
func frequent(ctx context.Context, r *serving.Reader, field index.Field, w index.Filter, most int) (values []string, err error) {
	groups, err := r.Groups(ctx, w, index.GroupQuery{By: []index.Dimension{groupedBy[field]}, Limit: most})
	for _, g := range groups.List {
		if g.Keys[0] != "" {
			values = append(values, g.Keys[0])
		}
	}
	return values, err
}
