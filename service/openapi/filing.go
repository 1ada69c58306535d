package openapi

import (
	"encoding/json"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/index"
)

// filingSchema is the schema of a filing, from the table of fields.
//
// It is one schema for all tiers, although tiers see different fields: a schema for each, joined by oneOf, becomes a
// union in most generated clients, which has to be taken apart for every field that is read, while the key's tier, and so
// the shape, is the same for all responses anyway. Here the fields of the free tier are required, all others are optional,
// and dependentRequired says exactly what tiers mean: their fields come together, and not without those of the tier below.
func filingSchema() *openapi3.Schema {
	s := of("object", "")
	s.Description, s.DependentRequired = "A public record. Fields above the caller's tier are absent.", map[string][]string{}
	tiers := map[index.Tier][]string{}
	examples := exampleValues()
	for _, f := range index.Fields() {
		tier := f.Info().Tier
		if tier == index.Hidden {
			continue
		}
		property := fieldSchema(f.Info())
		property.Description, property.Examples = f.Info().Help, []any{examples[f.String()]}
		switch tier {
		case index.Free:
			s.Required = append(s.Required, f.String())
		case index.Pro:
			property.Description += " From the tier pro on."
		case index.Enterprise:
			property.Description += " Tier enterprise only."
		}
		s.WithProperty(f.String(), property)
		tiers[tier] = append(tiers[tier], f.String())
	}
	below := []string{}
	for _, names := range [][]string{tiers[index.Pro], tiers[index.Enterprise]} {
		for i, name := range names { // a ring: each needs the next one, so any of them all the others
			s.DependentRequired[name] = append([]string{names[(i+1)%len(names)]}, below...)
		}
		below = names[:1]
	}
	return s
}

// fieldSchema is the schema of a field's values. All but the three that every filing has may be null (rule E4).
func fieldSchema(f index.FieldInfo) *openapi3.Schema {
	s := of("string", "")
	switch f.Kind {
	case index.KindID:
		return of("integer", "int64").WithMin(1)
	case index.KindCounty:
		return s
	case index.KindCategories:
		return openapi3.NewArraySchema().WithItems(enum(index.CategoryValues))
	case index.KindInteger:
		s = of("integer", "int64")
	case index.KindLatitude:
		s = of("number", "double").WithMin(-90).WithMax(90)
	case index.KindLongitude:
		s = of("number", "double").WithMin(-180).WithMax(180)
	case index.KindAmount, index.KindNumber:
		s = of("number", "double")
	case index.KindDate:
		s.Format = "date"
	case index.KindDateRange:
		s.Pattern = `^\d{4}-\d{2}-\d{2} to \d{4}-\d{2}-\d{2}$`
	}
	if !f.Signed && !s.Type.Is("string") {
		s.WithMin(0)
	}
	s.Type.With("null")
	return s
}

// ExampleFiling is an invented filing with a value in every field.
func ExampleFiling() *index.Filing {
	f := &index.Filing{ID: 1, Categories: []string{"residential"}}
	for field, text := range map[index.Field]string{
		index.County: "Orange, FL", index.CaseNumber: "2026-TL-000001", index.Owner: "MAPLE FAMILY TRUST",
		index.PropertyAddress: "12 Maple Street, Fern Park, FL 10077", index.FilingType: "Tax Lien", index.FilingDate: "2026-01-30",
		index.FilingHolder: "Orange County Tax Collector", index.DateRange: "2026-01-01 to 2026-01-31",
		index.PropertyClassification: "residential", index.PropertyType: "SFR", index.LastSaleDate: "2014-06-30",
		index.ForeclosureStatus: "Active", index.StandardizedAddress: "12 MAPLE ST, FERN PARK FL 10077",
		index.AISummary:         "Tax lien of $1,250.50 on a single-family home of 1990.",
		index.OwnerPhonePrimary: "555-0100", index.OwnerPhoneSecondary: "555-0101",
		index.OwnerEmailPrimary: "maple@example.com", index.OwnerEmailSecondary: "trust@example.com",
	} {
		f.SetText(field, text)
	}
	for field, number := range map[index.Field]float64{
		index.FilingAmount: 1250.5, index.CurrentAmount: 900, index.Latitude: 28.5, index.Longitude: -81.4, index.Bedrooms: 3,
		index.Bathrooms: 2.5, index.SquareFootage: 1540, index.LotSizeAcres: 0.25, index.YearBuilt: 1990,
		index.EstimatedValue: 310_000, index.HomeEquityEstimate: 124_000, index.LastSalePrice: 185_000,
	} {
		f.SetNumber(field, number)
	}
	return f
}

// exampleValues are the values of the example filing, by name, as they are written in a response.
func exampleValues() map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(index.AppendRecord(nil, ExampleFiling()), &values); err != nil {
		panic(err) // records are JSON
	}
	return values
}
