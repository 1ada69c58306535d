package elastic

import (
	"strconv"

	"filings/index"
)

// appendDocument appends the document of f: its record, which is what `_source` returns, and beside the record's fields
// the object x with everything that is derived from them and only indexed (see package mappings).
func appendDocument(dst []byte, f *index.Filing) []byte {
	dst = index.AppendRecord(dst, f)
	x := members{append(dst[:len(dst)-1], `,"x":{`...)}
	d := index.Derive(f)

	x.text(index.County, d.County)
	x.text(index.CountyName, d.CountyName)
	x.text(index.City, d.City)
	x.text(index.Month, d.Month)
	if day, err := dayNumber(f.Text(index.FilingDate)); err == nil && day != nil {
		x.integer("day", *day)
	}
	for _, field := range []index.Field{
		index.Owner, index.FilingType, index.PropertyClassification, index.ForeclosureStatus,
	} {
		x.text(field, index.Fold(f.Text(field)))
	}
	x.array(index.Categories.String(), f.Categories, "")
	x.array("is", marks(f, &d), "")
	x.array("text", d.Search, textEnd)
	if v, ok := f.Number(index.FilingAmount); ok {
		x.number("cents", index.Cents(v))
	}
	if d.HasEquity {
		x.number(index.EquityPercent.String(), d.EquityPercent)
	}
	if f.Has(index.CreatedAt) {
		x.integer(index.CreatedAt.String(), f.CreatedAt.UnixMicro())
	}
	x.point(f)
	x.name("code")
	x.dst = append(appendCodes(x.dst, f), "}}"...)
	return x.dst
}

// textEnd follows each search text, so that its last two characters begin a trigram as well. No text holds NUL.
const textEnd = "\x00\x00"

// marks names what is true of f.
func marks(f *index.Filing, d *index.Derived) []string {
	m := make([]string, 0, 4)
	mark := func(field index.Field, is bool) {
		if is {
			m = append(m, field.String())
		}
	}
	mark(index.ForeclosureStatus, f.Has(index.ForeclosureStatus))
	mark(index.PropertyData, d.PropertyData)
	mark(index.Trust, d.Trust)
	mark(index.Estate, d.Estate)
	return m
}

// members appends members to a JSON object that was begun. What is missing is left out.
type members struct{ dst []byte }

func (m *members) name(name string) {
	if m.dst[len(m.dst)-1] != '{' {
		m.dst = append(m.dst, ',')
	}
	m.dst = append(append(append(m.dst, '"'), name...), `":`...)
}

func (m *members) text(field index.Field, v string) {
	if v != "" {
		m.name(field.String())
		m.dst = index.AppendString(m.dst, v)
	}
}

func (m *members) number(name string, v float64) {
	m.name(name)
	m.dst = index.AppendNumber(m.dst, v)
}

func (m *members) integer(name string, v int64) {
	m.name(name)
	m.dst = strconv.AppendInt(m.dst, v, 10)
}

// array appends texts, each followed by end.
func (m *members) array(name string, texts []string, end string) {
	if len(texts) == 0 {
		return
	}
	m.name(name)
	between := byte('[')
	for _, text := range texts {
		m.dst = index.AppendString(append(m.dst, between), text+end)
		between = ','
	}
	m.dst = append(m.dst, ']')
}

// point appends the filing's place in the order that Elasticsearch wants: longitude first.
func (m *members) point(f *index.Filing) {
	lat, ok1 := f.Number(index.Latitude)
	lon, ok2 := f.Number(index.Longitude)
	if !ok1 || !ok2 {
		return
	}
	m.name("point")
	m.dst = index.AppendNumber(append(m.dst, '['), lon)
	m.dst = index.AppendNumber(append(m.dst, ','), lat)
	m.dst = append(m.dst, ']')
}
