package indextest

import (
	"fmt"
	"slices"
	"time"

	"filings/index"
)

// values are what a filing made by hand has in its fields: text, numbers, categories or a time.
type values map[index.Field]any

// made makes a filing by hand. Without a county in v it gets one.
func made(id int64, v values) *index.Filing {
	f := &index.Filing{ID: id}
	f.SetText(index.County, "Nowhere, ZZ")
	for field, value := range v {
		switch value := value.(type) {
		case string:
			f.SetText(field, value)
		case int:
			f.SetNumber(field, float64(value))
		case float64:
			f.SetNumber(field, value)
		case []string:
			f.Categories = value
		case time.Time:
			f.CreatedAt = value
		default:
			panic(fmt.Sprintf("%v: no field holds a %T", field, value))
		}
	}
	return f
}

// clone copies f, so that the copy can be changed.
func clone(f *index.Filing) *index.Filing {
	c := *f
	c.Categories = slices.Clone(f.Categories)
	return &c
}

// at returns a pointer to v, as the ends of a Between are.
func at(v float64) *float64 { return &v }

// day returns midnight UTC of a day.
func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}
