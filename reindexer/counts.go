package reindexer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"filings/index"
	"filings/reindexer/record"
)

// count counts a filing of the new generation in, with n 1, or out again, with n -1.
func (r *running) count(h index.FilingValues, n int64) {
	r.counts.Count(h, n)
	r.loaded[h.County] = r.started.Unix()
	if r.values != nil && (n > 0 || !r.cfg.DryRun) {
		r.values.Count(h, n)
	}
}

// withLeft returns the counts of all filings read: with the withheld ones.
func (r *running) withLeft() index.Counts {
	sum := index.NewCounts()
	sum.Add(r.counts, 1)
	sum.Add(r.left, 1)
	return sum
}

// freshNow returns how fresh each county of the new generation is; nil for more counties than the
// catalog keeps.
func (r *running) freshNow() map[string]index.Freshness {
	fresh := map[string]index.Freshness{}
	for county, seconds := range r.loaded {
		if r.counts.Counties[county].Filings > 0 {
			f := index.Freshness{Loaded: seconds}
			if r.cfg.Update {
				f = r.live.Fresh[county]
				f.Loaded = seconds
			}
			fresh[county] = f
		}
	}
	if len(fresh) > index.FilledCounties {
		return nil
	}
	r.noteChecked(fresh)
	return fresh
}

// noteChecked notes in fresh which counties this load has looked at, and their sources. An archive
// is no look at a source.
func (r *running) noteChecked(fresh map[string]index.Freshness) {
	if r.cfg.Withhold != nil || r.cfg.Stored {
		return
	}
	planned := map[string]index.Freshness{}
	for i, s := range r.reading.sources {
		input := r.reading.inputOf(s)
		f := index.Freshness{Source: input.SourceName, Attribution: input.Attribution}
		if i < len(r.reading.updated) {
			f.Updated = max(planned[index.Fold(input.County)].Updated, r.reading.updated[i])
		}
		planned[index.Fold(input.County)] = f
	}
	for county, old := range fresh {
		now, checked := planned[index.Fold(county)]
		if !checked && len(r.reading.sources) == 1 {
			now = planned[""] // its filings are of no other source
		}
		checked = checked || !r.cfg.Update || old.Loaded == r.started.Unix() ||
			slices.ContainsFunc(r.cfg.Replace, func(name string) bool { return index.Fold(name) == index.Fold(county) })
		if !checked {
			continue
		}
		if now.Loaded, now.Checked = old.Loaded, r.started.Unix(); r.same {
			now.Updated = old.Updated // its state is the same, and was not read
		}
		fresh[county] = now
	}
}

// kept has the numbers of a load that the catalog keeps. A row has a county's filings and then a
// number for each of the fields.
type kept struct {
	Made     string             `json:"made,omitempty"` // digest of the inputs (rule X46)
	Fields   []string           `json:"fields"`
	Counties map[string][]int64 `json:"counties"` // nil: fields were not counted
}

// encode returns the form of counts that the catalog keeps; nil for none.
func (k kept) encode(counts index.Counts) []byte {
	if !counts.WithoutFields {
		k.add(counts)
	} else if k.Made == "" {
		return nil
	}
	text, _ := json.Marshal(k) // of numbers and texts
	return text
}

func (k *kept) add(counts index.Counts) {
	k.Counties = map[string][]int64{}
	for county, c := range counts.Counties {
		if c.Filings > 0 {
			k.Counties[county] = []int64{c.Filings}
		}
	}
	for _, field := range index.Fields() {
		filled := false
		for county := range k.Counties {
			filled = filled || counts.Counties[county].Has(field) > 0
		}
		if !filled {
			continue
		}
		k.Fields = append(k.Fields, field.String())
		for county, row := range k.Counties {
			k.Counties[county] = append(row, counts.Counties[county].Has(field))
		}
	}
}

// decodeCounts returns counts that a catalog has kept, without amounts and months; nil for none.
func decodeCounts(text []byte) *index.Counts {
	var k kept
	if len(text) == 0 || json.Unmarshal(text, &k) != nil || k.Counties == nil {
		return nil
	}
	counts := index.NewCounts()
	for county, row := range k.Counties {
		c := index.CountyCounts{Filled: new(index.FieldCounts)}
		for i, n := range row {
			if i == 0 {
				c.Filings = n
			} else if field, known := index.ByName(k.Fields[i-1]); known {
				c.Filled[field] = n
			}
		}
		counts.Counties[county] = c
		counts.Filings += c.Filings
	}
	return &counts
}

// valuesOf returns the values of each field that a record can have.
func valuesOf(v *index.Values) map[string]FieldValues {
	fields := map[string]FieldValues{}
	records := v[index.ID].Filled
	for _, field := range index.Fields() {
		stats := v[field]
		if !field.Loaded() || records == 0 {
			continue
		}
		values := FieldValues{Filled: math.Round(float64(stats.Filled)/float64(records)*1e6) / 1e6}
		if least, greatest := stats.Extremes(field); least != nil {
			values.Least, values.Greatest = least, greatest
		}
		kind := field.Info().Kind
		adds := kind == index.KindAmount || kind == index.KindNumber
		if stats.Filled > 0 && adds && !math.IsInf(stats.Sum, 0) {
			values.Sum = index.Dollars(stats.Sum)
		}
		fields[field.String()] = values
	}
	return fields
}

// countAgain counts the values of all filings that r has: an update took out the last filing with
// the least or greatest of a field, or the live generation is older than such counts.
func countAgain(ctx context.Context, r index.Reader) (*index.Values, error) {
	values := new(index.Values)
	for cursor, more := "", true; more; {
		page, err := r.Rows(ctx, index.Query{Sort: index.DefaultSort, Limit: countedRows, Start: cursor, Bytes: countedBytes})
		if err != nil {
			return nil, fmt.Errorf("counting the values of fields: %w", err)
		}
		for _, row := range page.Records {
			f, err := record.Decode(row)
			if err != nil {
				return nil, err
			}
			values.Count(index.ValuesOf(f), 1)
		}
		cursor, more = page.End, len(page.Records) > 0
	}
	return values, nil
}

// countedRows and countedBytes are how much is read at a time.
const countedRows, countedBytes = 1_000, 4 << 20

func folded(counts index.Counts) index.Counts {
	sums := index.NewCounts()
	for county, c := range counts.Counties {
		sums.AddCounty(index.Fold(county), c, 1)
	}
	return sums
}
