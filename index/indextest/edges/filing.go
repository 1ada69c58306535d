package edges

import (
	"fmt"
	"slices"
	"time"

	"filings/index"
)

// Values are what a filing made by hand has in its fields: text, numbers, categories or a time.
type Values map[index.Field]any

// Filing makes a filing by hand. Without a county in v it gets one.
func Filing(id int64, v Values) *index.Filing {
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

// Clone copies f, so that the copy can be changed.
func Clone(f *index.Filing) *index.Filing {
	c := *f
	c.Categories = slices.Clone(f.Categories)
	return &c
}

// At returns a pointer to v, as the ends of a Range are.
func At(v float64) *float64 { return &v }

// Day returns midnight UTC of a day.
func Day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// Point makes a filing with coordinates.
func Point(id int64, lat, lon float64) *index.Filing {
	return Filing(id, Values{index.Latitude: lat, index.Longitude: lon})
}
