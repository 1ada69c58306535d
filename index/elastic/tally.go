package elastic

import (
	"context"
	"encoding/json"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// tally counts the generation's filings as index.Tally does.
func (r *reader) tally(ctx context.Context) (generation.Checksum, error) {
	t := generation.NewChecksum()
	counties, err := r.countCounties(ctx)
	if err != nil {
		return t, fmt.Errorf("counting by county: %w", err)
	}
	for _, c := range counties {
		t.Counties[c.County] = generation.CountyChecksum{Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents}
	}
	dated := int64(0)
	t.Filings, err = r.each(ctx, terms{field: derived(index.Month)}, func(b bucket) error {
		var month string
		err := json.Unmarshal(b.key, &month)
		t.Months[month], dated = b.count, dated+b.count
		return err
	})
	if err != nil {
		return t, fmt.Errorf("counting by month: %w", err)
	}
	if undated := t.Filings - dated; undated > 0 {
		t.Months[""] = undated
	}
	return t, nil
}

// countOwners counts the owners that differ in more than case. It walks over all of them.
func (r *reader) countOwners(ctx context.Context) (owners int64, err error) {
	_, err = r.each(ctx, terms{field: derived(index.Owner)}, func(bucket) error {
		owners++
		return nil
	})
	return owners, err
}
