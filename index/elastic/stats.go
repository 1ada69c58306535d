package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"filings/index"
)

// value is a figure; null over no values.
type value struct {
	Value *float64 `json:"value"`
}

func (v value) or0() float64 {
	if v.Value == nil {
		return 0
	}
	return *v.Value
}

// amounts are the figures of filing amounts, of all filings or of a bucket.
type amounts struct {
	Count value `json:"count"`
	Sum   value `json:"sum"` // cents
	Min   value `json:"min"` // dollars, as loaded
	Max   value `json:"max"`
}

func amountAggs() object {
	cents, dollars := object{"field": "x.cents"}, object{"field": index.FilingAmount.String()}
	return object{
		"count": object{"value_count": cents},
		"sum":   object{"sum": cents},
		"min":   object{"min": dollars},
		"max":   object{"max": dollars},
	}
}

// Stats returns figures over all filings. Owners were counted when the generation was sealed.
func (r *reader) Stats(ctx context.Context) (index.Stats, error) {
	s, err := r.stats(ctx)
	if err == nil {
		s.Owners, err = r.owners.get(ctx, r.knownOwners)
	}
	if err != nil {
		return index.Stats{}, fmt.Errorf("reading statistics of %s: %w", r.generation, err)
	}
	return s, nil
}

func (r *reader) stats(ctx context.Context) (index.Stats, error) {
	trust, estate := index.Trust.String(), index.Estate.String()
	is := func(marks ...string) object { return object{"terms": object{"x.is": marks}} }
	body := countBody(nil)
	aggs := amountAggs()
	aggs["kinds"] = object{"filters": object{"filters": object{
		"trust": is(trust), "estate": is(estate), "either": is(trust, estate),
	}}}
	body["aggs"] = aggs
	answer, err := r.search(ctx, body)
	if err != nil {
		return index.Stats{}, err
	}
	var a struct {
		Hits struct{ Total struct{ Value int64 } }
		Aggs struct {
			amounts
			Kinds struct {
				Buckets map[string]struct {
					Count int64 `json:"doc_count"`
				}
			}
		} `json:"aggregations"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return index.Stats{}, fmt.Errorf("%w: %w", errAnswer, err)
	}
	kinds := a.Aggs.Kinds.Buckets
	return index.Stats{
		Filings: a.Hits.Total.Value,
		Amounts: int64(a.Aggs.Count.or0()), SumCents: a.Aggs.Sum.or0(),
		MinAmount: a.Aggs.Min.or0(), MaxAmount: a.Aggs.Max.or0(),
		Trusts: kinds["trust"].Count, Estates: kinds["estate"].Count, TrustsOrEstates: kinds["either"].Count,
	}, nil
}

// knownOwners returns the number of owners that the seal tells.
func (r *reader) knownOwners(ctx context.Context) (int64, error) {
	answer, err := r.ask(ctx, http.MethodGet, "_mapping",
		url.Values{"filter_path": {"*.mappings._meta"}}, nil)
	if err != nil {
		return 0, err
	}
	var m map[string]described
	if err := json.Unmarshal(answer, &m); err != nil {
		return 0, fmt.Errorf("%w: %w", errAnswer, err)
	}
	sealed := m[r.generation].Mappings.Meta
	if !sealed.isOf(r.generation) {
		return r.countOwners(ctx) // it is about to be sealed, and somebody checks it
	}
	return sealed.Owners, nil
}

// Counties returns figures of each county.
func (r *reader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	all, err := r.counties.get(ctx, r.countCounties)
	if err != nil {
		return nil, fmt.Errorf("reading counties of %s: %w", r.generation, err)
	}
	return slices.Clone(all), nil
}

func (r *reader) countCounties(ctx context.Context) ([]index.CountyStats, error) {
	var all []index.CountyStats
	byCounty := terms{field: index.County.String(), besides: amountAggs()}
	_, err := r.each(ctx, byCounty, func(b bucket) error {
		var c struct {
			Key string `json:"key"`
			amounts
		}
		if err := json.Unmarshal(b.text, &c); err != nil {
			return fmt.Errorf("%w: %w", errAnswer, err)
		}
		all = append(all, index.CountyStats{
			County: c.Key, Filings: b.count,
			Amounts: int64(c.Count.or0()), SumCents: c.Sum.or0(), MinAmount: c.Min.or0(), MaxAmount: c.Max.or0(),
		})
		return nil
	})
	slices.SortFunc(all, func(a, b index.CountyStats) int { return index.CompareCounties(a.County, b.County) })
	return all, err
}

// Distinct returns the different values of f, which is index.Month or index.DateRange. Both sort as text does.
func (r *reader) Distinct(ctx context.Context, w index.Filter, f index.Field) ([]string, error) {
	var values []string
	clauses, err := r.clauses(ctx, w)
	if err == nil {
		_, err = r.each(ctx, terms{clauses: clauses, field: distinctField(f)}, func(b bucket) error {
			var v string
			err := json.Unmarshal(b.key, &v)
			values = append(values, v)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading the values of %s in %s: %w", f, r.generation, err)
	}
	return values, nil
}

func distinctField(f index.Field) string {
	if f == index.Month {
		return derived(f)
	}
	return f.String()
}
