package reader

import (
	"context"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// Groups returns the groups of what w selects. It reads a composite aggregation page by page to its end. As soon as there
// are too many groups they are only counted, which needs no amounts.
func (r *Reader) Groups(ctx context.Context, w index.Filter, by []index.Dimension) (_ index.Groups, err error) {
	defer r.wrap(&err, "reading groups")
	clauses, err := r.clauses(ctx, w)
	if err != nil {
		return index.Groups{}, err
	}
	g := index.NewGrouping()
	var after *groupKey
	for {
		amounts, most := true, min(index.MaxGroups+1, r.most)
		if g.TooMany() {
			amounts, most = false, r.most
		}
		response, err := r.search(ctx, groupsBody(clauses, by, amounts, most, after))
		if err != nil {
			return index.Groups{}, err
		}
		found, err := groupBuckets(response)
		if err != nil {
			return index.Groups{}, err
		}
		for _, b := range found {
			g.Add(b.group())
		}
		if len(found) < most {
			return g.Groups(), nil
		}
		after = &found[len(found)-1].Key
	}
}

// groupKey is the key of a bucket by the positions of the dimensions; nil for no value.
type groupKey struct {
	First  *string `json:"0"`
	Second *string `json:"1"`
}

// groupsBody requests so many groups, as they are written, behind a key.
func groupsBody(clauses []object, by []index.Dimension, amounts bool, most int, after *groupKey) object {
	sources := make([]object, len(by))
	for i, d := range by {
		sources[i] = object{position(i): object{"terms": object{"field": document.Key(d), "missing_bucket": true}}}
	}
	composite := object{"size": most, "sources": sources}
	if after != nil {
		values := []*string{after.First, after.Second}
		key := object{}
		for i := range by {
			key[position(i)] = values[i]
		}
		composite["after"] = key
	}
	groups := object{"composite": composite}
	if amounts {
		groups["aggs"] = object{
			"amounts": object{"stats": object{"field": index.FilingAmount.String()}},
			"sum":     object{"sum": object{"field": document.CentsField}},
		}
	}
	return filtered(object{"size": 0, "track_total_hits": false, "aggs": object{"groups": groups}}, clauses)
}

func position(i int) string { return [2]string{"0", "1"}[i] }

// groupBucket sums up the filings whose keys are written alike.
type groupBucket struct {
	Key     groupKey
	Filings int64 `json:"doc_count"`
	Amounts struct {
		Count    int64
		Min, Max float64
	}
	Sum value // of cents
}

func (b groupBucket) group() index.Group {
	g := index.Group{
		Filings: b.Filings, Amounts: b.Amounts.Count, SumCents: b.Sum.Value, MinAmount: b.Amounts.Min, MaxAmount: b.Amounts.Max,
	}
	for i, key := range []*string{b.Key.First, b.Key.Second} {
		if key != nil {
			g.Keys[i] = *key
		}
	}
	return g
}

// groupBuckets reads the response to groupsBody.
func groupBuckets(response []byte) ([]groupBucket, error) {
	var found struct {
		Aggregations struct {
			Groups struct {
				Buckets []groupBucket // nil: the response has none of that name
			}
		}
	}
	err := client.Decode(response, &found)
	if err == nil && found.Aggregations.Groups.Buckets == nil {
		err = client.ErrResponse
	}
	return found.Aggregations.Groups.Buckets, err
}
