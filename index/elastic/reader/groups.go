package reader

import (
	"context"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// Groups returns the groups of what w selects.
func (r *Reader) Groups(ctx context.Context, w index.Filter, by []index.Dimension) (_ index.Groups, err error) {
	defer r.wrap(&err, "reading groups")
	clauses, err := r.clauses(ctx, w)
	if err != nil {
		return index.Groups{}, err
	}
	if len(by) == 1 {
		response, err := r.search(ctx, termGroupsBody(clauses, by[0], min(index.MaxGroups+1, r.most)))
		if err != nil {
			return index.Groups{}, err
		}
		if g, complete, err := termGroups(response); err != nil || complete {
			return g, err
		}
	}
	return r.compositeGroups(ctx, clauses, by)
}

// termGroups reads the response to termGroupsBody, and whether it has all groups: a terms aggregation is faster than a
// composite one, and says how many filings are in none of its buckets.
func termGroups(response []byte) (all index.Groups, complete bool, err error) {
	var found struct {
		Aggregations struct {
			Groups struct {
				Other   *int64 `json:"sum_other_doc_count"` // filings beyond the last bucket
				Buckets []struct {
					Key string
					groupSums
				}
			}
		}
	}
	if err := client.Decode(response, &found); err != nil {
		return all, false, err
	}
	groups := found.Aggregations.Groups
	if groups.Other == nil || groups.Buckets == nil {
		return all, false, client.ErrResponse
	}
	if *groups.Other > 0 {
		return all, false, nil
	}
	g := index.NewGrouping()
	for _, b := range groups.Buckets {
		g.Add(b.of(b.Key))
	}
	return g.Groups(), true, nil
}

// termGroupsBody requests so many groups, as they are written. No text is empty, so that "" is no value.
func termGroupsBody(clauses []object, by index.Dimension, most int) object {
	terms := object{"field": document.Key(by), "missing": "", "size": most}
	return groupsBody(clauses, object{"terms": terms, "aggs": amountsOfGroups()})
}

func groupsBody(clauses []object, groups object) object {
	return filtered(object{"size": 0, "track_total_hits": false, "aggs": object{"groups": groups}}, clauses)
}

// amountsOfGroups are the metrics of a group: the sum is one of cents, the others are of dollars, as loaded.
func amountsOfGroups() object {
	return object{
		"amounts": object{"stats": object{"field": index.FilingAmount.String()}},
		"sum":     object{"sum": object{"field": document.CentsField}},
	}
}

// groupSums are the metrics of a bucket.
type groupSums struct {
	Filings int64 `json:"doc_count"`
	Amounts struct {
		Count    int64
		Min, Max float64
	}
	Sum value // of cents
}

// of returns the group with these keys.
func (s groupSums) of(keys ...string) index.Group {
	g := index.Group{
		Filings: s.Filings, Amounts: s.Amounts.Count, SumCents: s.Sum.Value, MinAmount: s.Amounts.Min, MaxAmount: s.Amounts.Max,
	}
	copy(g.Keys[:], keys)
	return g
}

// compositeGroups reads a composite aggregation page by page to its end. As soon as there are too many groups they are only
// counted, which needs no amounts.
func (r *Reader) compositeGroups(ctx context.Context, clauses []object, by []index.Dimension) (index.Groups, error) {
	g := index.NewGrouping()
	var after *groupKey
	for {
		amounts, most := true, min(index.MaxGroups+1, r.most)
		if g.TooMany() {
			amounts, most = false, r.most
		}
		response, err := r.search(ctx, compositeGroupsBody(clauses, by, amounts, most, after))
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

// compositeGroupsBody requests so many groups, as they are written, behind a key.
func compositeGroupsBody(clauses []object, by []index.Dimension, amounts bool, most int, after *groupKey) object {
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
		groups["aggs"] = amountsOfGroups()
	}
	return groupsBody(clauses, groups)
}

func position(i int) string { return [2]string{"0", "1"}[i] }

// text returns a key, "" for no value.
func text(key *string) string {
	if key == nil {
		return ""
	}
	return *key
}

// groupBucket sums up the filings whose keys are written alike.
type groupBucket struct {
	Key groupKey
	groupSums
}

func (b groupBucket) group() index.Group { return b.of(text(b.Key.First), text(b.Key.Second)) }

// groupBuckets reads the response to compositeGroupsBody.
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
