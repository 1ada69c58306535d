package params

import (
	"strings"
	"time"

	"filings/index"
)

// Scope reads the filter and the fields that a token holds, as Filters of a Request has the one and
// the parameter fields the other.
func (t *Table) Scope(filter, fields string, tiers Tiers, now time.Time) (*Scope, error) {
	raw, err := t.Split(&Endpoint{Takes: TileSets}, filter) // which takes all filters, and nothing that moves with the day
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
	s := &Scope{Where: q.Query.Where, Excluded: excluded(q.Named), counties: t.onlyCounties(raw)}
	if fields != "" {
		s.Fields = index.SetOf(fieldsOf(strings.Split(fields, ","))...)
	}
	return s, nil
}

// excluded returns those of some values that are left out.
func excluded(all []Named) (some []Named) {
	for _, n := range all {
		if n.Excluded {
			some = append(some, n)
		}
	}
	return some
}
