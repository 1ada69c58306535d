package handlers

import (
	"context"
	"errors"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/params"
)

// FieldStats describes the values of a field in a generation.
type FieldStats struct {
	Name     string      `json:"name" help:"Name of the field, as a filing has it."`
	Type     FieldType   `json:"type"`
	Tier     access.Tier `json:"tier"`
	Help     string      `json:"help" help:"What it means."`
	Filled   int64       `json:"filled" help:"Filings that have a value."`
	Distinct *int64      `json:"distinct" help:"Different values, as groups have them; null where filings are not grouped by the field."`
	Min      Extreme     `json:"min" help:"Least value of a number or a date; null for others, where no filing has one, and where it was not counted."`
	Max      Extreme     `json:"max" help:"Greatest value of a number or a date; null for others, where no filing has one, and where it was not counted."`
}

// Extreme is a number, a date or nil.
type Extreme any

// FieldType is the form of a field's values in JSON.
type FieldType string

// typeOf returns the type of the values of a kind.
func typeOf(k index.Kind) FieldType {
	switch k {
	case index.KindID, index.KindInteger:
		return "integer"
	case index.KindAmount, index.KindNumber, index.KindLatitude, index.KindLongitude:
		return "number"
	case index.KindDate:
		return "date"
	case index.KindCategories:
		return "strings"
	}
	return "string"
}

// groupedBy are the dimensions that are the values of a field.
var groupedBy = map[index.Field]index.Dimension{
	index.County: index.ByCounty, index.Owner: index.ByOwner, index.FilingType: index.ByFilingType,
	index.FilingHolder:           index.ByHolder,
	index.PropertyClassification: index.ByPropertyClassification, index.Categories: index.ByCategory,
	index.City: index.ByCity,
}

// Fields handles GET /v1/fields: the fields that the caller sees, as a form for filters needs them.
func Fields(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	summary, err := r.About(ctx)
	values := summary.Values
	if err != nil {
		return Result{}, err
	}
	if values == nil {
		return Result{}, params.Invalid("generation",
			"this generation was loaded before fields were counted; use a later one")
	}
	data := []FieldStats{}
	for _, f := range index.Fields() {
		if !f.Returned(q.Caller.Fields) {
			continue
		}
		info, held := f.Info(), values[f]
		stats := FieldStats{Name: info.Name, Type: typeOf(info.Kind), Tier: access.Tier(info.Tier.String()),
			Help: info.Help, Filled: held.Filled}
		if least, greatest := held.Extremes(f); least != nil {
			stats.Min, stats.Max = least, greatest
		}
		if stats.Distinct, err = distinct(ctx, r, values, f); err != nil {
			return Result{}, err
		}
		data = append(data, stats)
	}
	return Result{Data: JSON{data}}, nil
}

// distinct counts the values of f that groups have; nil where there are no such groups.
func distinct(ctx context.Context, r *serving.Reader, values *index.Values, f index.Field) (*int64, error) {
	dimension, ok := groupedBy[f]
	if !ok {
		return nil, nil
	}
	if f == index.Owner { // who they are was worked out when the generation was sealed
		owners, err := r.Owners(ctx, index.OwnerQuery{Limit: 1})
		if errors.Is(err, index.ErrNoOwners) {
			return nil, nil
		}
		return &owners.Total, err
	}
	groups, err := r.Groups(ctx, index.Filter{}, index.GroupQuery{Dimensions: []index.Dimension{dimension}, Limit: 1})
	if errors.Is(err, index.ErrNoOwners) {
		return nil, nil
	}
	if values[f].Filled < values[index.ID].Filled { // one group has those without a value
		groups.Total--
	}
	return &groups.Total, err
}
