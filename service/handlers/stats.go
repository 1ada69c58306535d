package handlers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"filings/index"
	"filings/index/serving"
	"filings/service/params"
)

// Stats is the statistics object. The OpenAPI document has its fields from here, with help as their description.
type Stats struct {
	TotalFilings        int64   `json:"totalFilings" help:"Filings in the database."`
	UniqueOwners        int64   `json:"uniqueOwners" help:"Owners that differ in more than case."`
	AvgAmount           float64 `json:"avgAmount" help:"Average filing amount, dollars; 0 where no filing has one."`
	MinAmount           float64 `json:"minAmount" help:"Smallest filing amount, dollars."`
	MaxAmount           float64 `json:"maxAmount" help:"Largest filing amount, dollars."`
	TotalValue          float64 `json:"totalValue" help:"Sum of all filing amounts, dollars."`
	NewThisWeek         int64   `json:"newThisWeek" help:"Filings added in the last 7 times 24 hours."`
	NewThisMonth        int64   `json:"newThisMonth" help:"Filings added in the last 30 times 24 hours."`
	TrustCount          int64   `json:"trustCount" help:"Filings whose owner is a trust."`
	EstateCount         int64   `json:"estateCount" help:"Filings whose owner is an estate."`
	CombinedTrustEstate int64   `json:"combinedTrustEstate" help:"Filings whose owner is a trust or an estate; one that is both counts once."`
	TrustPercentage     float64 `json:"trustPercentage" help:"Percent of all filings whose owner is a trust."`
	CombinedPercentage  float64 `json:"combinedPercentage" help:"Percent of all filings whose owner is a trust or an estate."`
}

// Overall handles GET /v1/stats.
func Overall(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	st, err := r.Stats(ctx)
	if err != nil {
		return Result{}, err
	}
	week, err := addedWithin(ctx, r, st, 7, q.Now)
	if err != nil {
		return Result{}, err
	}
	month, err := addedWithin(ctx, r, st, 30, q.Now)
	return Result{Data: JSON{Stats{
		TotalFilings: st.Filings, UniqueOwners: st.Owners,
		AvgAmount: index.AverageDollars(st.SumCents, st.Amounts),
		MinAmount: st.MinAmount, MaxAmount: st.MaxAmount, TotalValue: index.Dollars(st.SumCents),
		NewThisWeek: week, NewThisMonth: month,
		TrustCount: st.Trusts, EstateCount: st.Estates, CombinedTrustEstate: st.TrustsOrEstates,
		TrustPercentage:    index.Percent(st.Trusts, st.Filings),
		CombinedPercentage: index.Percent(st.TrustsOrEstates, st.Filings),
	}}}, err
}

// addedWithin counts the filings that were added within so many times 24 hours before now (rule A3).
func addedWithin(ctx context.Context, r *serving.Reader, st index.Stats, days int, now time.Time) (int64, error) {
	start := now.Add(-time.Duration(days) * 24 * time.Hour)
	if n, known := st.AddedWithin(start, now); known {
		return n, nil
	}
	return r.Count(ctx, index.Where(index.Times{First: start, Last: now, Clocked: true}))
}

// CountyStats is the county statistics object.
type CountyStats struct {
	County      string  `json:"county" help:"County, without its state."`
	State       string  `json:"state" help:"Two-letter abbreviation of the state."`
	FilingCount int64   `json:"filingCount" help:"Filings in the county."`
	TotalAmount float64 `json:"totalAmount" help:"Sum of filing amounts, dollars."`
	AvgAmount   float64 `json:"avgAmount" help:"Average filing amount, dollars; 0 where no filing has one."`
	MinAmount   float64 `json:"minAmount" help:"Smallest filing amount, dollars."`
	MaxAmount   float64 `json:"maxAmount" help:"Largest filing amount, dollars."`
}

// ByCounty handles GET /v1/stats/counties.
func ByCounty(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	counties, err := byState(ctx, r, q.State)
	data := make([]CountyStats, len(counties))
	for i, c := range counties {
		name, state := index.SplitCounty(c.County)
		data[i] = CountyStats{
			County: name, State: state, FilingCount: c.Filings,
			TotalAmount: index.Dollars(c.SumCents), AvgAmount: index.AverageDollars(c.SumCents, c.Amounts),
			MinAmount: c.MinAmount, MaxAmount: c.MaxAmount,
		}
	}
	return Result{Data: JSON{data}}, err
}

// Coverage describes the filings of a county.
type Coverage struct {
	County          string     `json:"county" help:"County, without its state."`
	State           string     `json:"state" help:"Two-letter abbreviation of the state."`
	Filings         int64      `json:"filings" help:"Filings in the county."`
	WithCoordinates int64      `json:"withCoordinates" help:"Filings that have coordinates."`
	FirstFilingDate *string    `json:"firstFilingDate" format:"date" help:"Earliest recording date; null where no filing has one."`
	LastFilingDate  *string    `json:"lastFilingDate" format:"date" help:"Latest recording date; null where no filing has one."`
	LastAddedAt     *time.Time `json:"lastAddedAt" help:"When the latest filing was added; null where no filing says so."`
	CheckedAt       *time.Time `json:"checkedAt" help:"When the last load began that looked at the county's source, also if it found nothing new; null if that isn't known. Not part of the tag."`
	LoadedAt        *time.Time `json:"loadedAt" help:"When the last load began that brought or removed filings of the county; null if that isn't known."`
	SourceUpdatedAt *time.Time `json:"sourceUpdatedAt" help:"When the source says that it was updated last; null if it doesn't."`
	Source          *Source    `json:"source" help:"Where the filings come from; null if the operator doesn't say."`
}

// Source is where the filings of a county come from.
type Source struct {
	Name        *string `json:"name" help:"Name of the source; null if the operator doesn't say."`
	Attribution *string `json:"attribution" help:"What a copy of the data has to say of its source; null if the operator doesn't say."`
}

// setFresh sets the catalog's values of the county.
func (c *Coverage) setFresh(f index.Freshness) {
	c.CheckedAt, c.LoadedAt, c.SourceUpdatedAt = known(f.Checked), known(f.Loaded), known(f.Updated)
	if f.Source != "" || f.Attribution != "" {
		c.Source = new(Source)
		if f.Source != "" {
			c.Source.Name = &f.Source
		}
		if f.Attribution != "" {
			c.Source.Attribution = &f.Attribution
		}
	}
}

// known returns a time in seconds of Unix time, nil for 0.
func known(seconds int64) *time.Time {
	if seconds == 0 {
		return nil
	}
	t := time.Unix(seconds, 0).UTC()
	return &t
}

// Covered handles GET /v1/coverage (rule X13): all counties, or a page after a position's county.
func Covered(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	counties, err := byState(ctx, r, q.State)
	result := Result{Total: int64(len(counties))}
	if q.Cursor != nil {
		isLater := func(c index.CountyStats) bool { return index.CompareByState(c.County, q.Query.Start) > 0 }
		if first := slices.IndexFunc(counties, isLater); q.Query.Start != "" && first >= 0 {
			counties = counties[first:]
		} else if q.Query.Start != "" {
			counties = nil
		}
		if len(counties) > q.Query.Limit {
			counties = counties[:q.Query.Limit]
			position := *q.Cursor
			position.Generation, position.After = index.GenerationID(r.Generation()), counties[len(counties)-1].County
			result.Next = position.String()
		}
	}
	if err != nil {
		return result, err
	}
	summary, err := r.About(ctx)
	data := make([]Coverage, len(counties))
	for i, c := range counties {
		name, state := index.SplitCounty(c.County)
		data[i] = Coverage{County: name, State: state, Filings: c.Filings, WithCoordinates: c.WithCoordinates}
		if c.FirstFilingDate != "" {
			data[i].FirstFilingDate, data[i].LastFilingDate = &counties[i].FirstFilingDate, &counties[i].LastFilingDate
		}
		if !c.LastAdded.IsZero() {
			data[i].LastAddedAt = &counties[i].LastAdded
		}
		data[i].setFresh(summary.Fresh[c.County])
	}
	result.Data = JSON{data}
	return result, err
}

// byState returns stats of the counties of a state, of all counties for "", sorted as rule A6 says.
func byState(ctx context.Context, r *serving.Reader, state string) ([]index.CountyStats, error) {
	counties, err := r.Counties(ctx)
	var selected []index.CountyStats // a copy: the engine's list may be shared
	for _, c := range counties {
		if _, s := index.SplitCounty(c.County); state == "" || s == state {
			selected = append(selected, c)
		}
	}
	slices.SortFunc(selected, func(a, b index.CountyStats) int { return index.CompareByState(a.County, b.County) })
	return selected, err
}

// Counties handles GET /v1/counties.
func Counties(ctx context.Context, r *serving.Reader, _ params.Request) (Result, error) {
	counties, err := r.Counties(ctx)
	names := make([]string, len(counties))
	for i, c := range counties {
		names[i] = c.County
	}
	return Result{Data: JSON{names}}, err
}

// Distinct handles GET /v1/counties/{county}/months and date-ranges: the different keys of d in the county.
func Distinct(d index.Dimension) Handler {
	keys := index.GroupQuery{Dimensions: []index.Dimension{d}, Sort: index.SortByKey, Ascending: true, AsWritten: true}
	return func(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
		groups, err := r.Groups(ctx, q.Query.Where, keys)
		if err == nil && groups.Total == 0 {
			err = Refuse(index.ErrNotFound, fmt.Sprintf("there is no county %q; /v1/counties lists them",
				params.Shorten(q.County)))
		}
		values := make([]string, 0, len(groups.List))
		for _, g := range groups.List {
			if key := g.Keys[0]; key != "" {
				values = append(values, key)
			}
		}
		return Result{Data: JSON{values}}, err
	}
}
