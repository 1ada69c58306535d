package params

import (
	"strings"
	"time"

	"filings/index"
)

// Scope parses a token's filter and fields. Both have the form that they have in a request: filter
// as in Request.Filters, fields as in the parameter of that name.
func (t *Table) Scope(filter, fields string, tiers Tiers, now time.Time) (*Scope, error) {
	// which takes all filters, and nothing that moves with the day
	raw, err := t.Split(&Endpoint{Takes: TileSets}, filter)
	if err == nil && len(raw.Unknown) > 0 {
		err = t.Unknown(TileSets, raw.Unknown[0])
	}
	if err != nil {
		return nil, err
	}
	q, err := t.Read(raw, nil, tiers, now)
	if err != nil {
		return nil, err
	}
	s := &Scope{Where: q.Query.Where, Excluded: excluded(q.Named), counties: t.onlyCounties(raw),
		unlike: t.unlikeChanges(raw, tiers)}
	if fields != "" {
		s.Fields = index.SetOf(fieldsOf(strings.Split(fields, ","))...)
	}
	return s, nil
}

// excluded returns those of some values that are left out.
func excluded(values []Named) (list []Named) {
	for _, n := range values {
		if n.Excluded {
			list = append(list, n)
		}
	}
	return list
}
