package handlers

import (
	"context"
	"slices"
	"strconv"

	"filings/index"
	"filings/index/serving"
	"filings/service/params"
)

// GroupFilings handles GET /v1/filings/groups: the selected filings, by one or two dimensions.
func GroupFilings(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	groups, err := r.Groups(ctx, q.Query.Where, q.Groups)
	if most := q.Groups.Most(); err == nil && groups.Total > int64(most) {
		hint := "add filters, or group by a field with fewer values"
		if q.Groups.Limit == 0 {
			hint += ", or set limit"
		}
		err = params.Invalid("by", "%d groups are more than %d; %s", groups.Total, most, hint)
	}
	return Result{Data: Groups{q.Groups.Dimensions, groups.List}, Total: groups.Total}, err
}

// Groups is the data of a response.
type Groups struct {
	dimensions []index.Dimension
	list       []index.Group
}

// Group is a group as documents have it: of the keys, those that were requested, in that order.
type Group struct {
	State                  *string `json:"state,omitempty" help:"Two-letter abbreviation of the state."`
	County                 *string `json:"county,omitempty" help:"County and state."`
	City                   *string `json:"city,omitempty" help:"City, null where a filing has none."`
	FilingType             *string `json:"filing_type,omitempty" help:"Type, null where a filing has none."`
	Day                    *string `json:"day,omitempty" help:"Recording date, YYYY-MM-DD, null where a filing has none."`
	Month                  *string `json:"month,omitempty" help:"Month of the recording date, YYYY-MM, null where a filing has none."`
	Year                   *string `json:"year,omitempty" help:"Year of the recording date, YYYY, null where a filing has none."`
	PropertyClassification *string `json:"property_classification,omitempty" help:"Class of the property, null where a filing has none."`
	Category               *string `json:"category,omitempty" help:"Category of the property, null where a filing has none. One of two categories counts in both groups."`
	Holder                 *string `json:"holder,omitempty" help:"Who holds the filing, null where a filing has none."`
	Owner                  *string `json:"owner,omitempty" help:"Owner as most filings of the group write it, null where a filing has none."`
	Address                *string `json:"address,omitempty" help:"Key of the address, null where a filing has none."`
	Filings                int64   `json:"filings" help:"Filings in the group."`
	FilingAmount           Amounts `json:"filingAmount"`
}

// Amounts are the figures of the amounts in a group.
type Amounts struct {
	Count int64   `json:"count" help:"Filings that have an amount."`
	Sum   float64 `json:"sum" help:"Sum of the amounts, dollars."`
	Avg   float64 `json:"avg" help:"Average amount, dollars; 0 where no filing has one."`
	Min   float64 `json:"min" help:"Smallest amount, dollars; 0 where no filing has one."`
	Max   float64 `json:"max" help:"Largest amount, dollars; 0 where no filing has one."`
}

// AppendJSON appends the groups as an array of Group. Its keys stand in the order of the request, which no struct has.
func (g Groups) AppendJSON(dst []byte, _ View) ([]byte, error) {
	dst = append(dst, '[')
	for i, group := range g.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		for j, d := range g.dimensions {
			dst = append(append(append(dst, '"'), d.String()...), `":`...)
			if key := group.Keys[j]; key != "" {
				dst = append(index.AppendString(dst, key), ',')
			} else {
				dst = append(dst, "null,"...)
			}
		}
		dst = strconv.AppendInt(append(dst, `"filings":`...), group.Filings, 10)
		dst = strconv.AppendInt(append(dst, `,"filingAmount":{"count":`...), group.Amounts, 10)
		dst = index.AppendNumber(append(dst, `,"sum":`...), index.Dollars(group.SumCents))
		dst = index.AppendNumber(append(dst, `,"avg":`...), index.AverageDollars(group.SumCents, group.Amounts))
		dst = index.AppendNumber(append(dst, `,"min":`...), group.MinAmount)
		dst = index.AppendNumber(append(dst, `,"max":`...), group.MaxAmount)
		dst = append(dst, "}}"...)
	}
	return append(dst, ']'), nil
}

// Len returns how many groups there are.
func (g Groups) Len() int { return len(g.list) }

// WithKey returns the first groups that have a key of d, if they are by it.
func (g Groups) WithKey(d index.Dimension, most int) Groups {
	if i := slices.Index(g.dimensions, d); i >= 0 {
		unkeyed := func(group index.Group) bool { return group.Keys[i] == "" }
		g.list = slices.DeleteFunc(slices.Clone(g.list), unkeyed) // the list itself is cached
	}
	g.list = g.list[:min(most, len(g.list))]
	return g
}

// Total adds g up.
func (g Groups) Total() index.Group { return Total(g.list) }

// Total adds groups up: their filings, those that have an amount, and the sum of these.
func Total(groups []index.Group) (sum index.Group) {
	for _, g := range groups {
		sum.Filings += g.Filings
		sum.Amounts += g.Amounts
		sum.SumCents += g.SumCents
	}
	return sum
}
