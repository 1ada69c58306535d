package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"filings/index"
	"filings/index/serving"
)

// figures is the statistics object. The OpenAPI document has its fields from here, with help as their description.
type figures struct {
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

// stats answers GET /v1/stats. It has no tag: newThisWeek moves with the clock (rule T3).
func (s *Service) stats(k *call, _ question) error {
	f, err := s.figures(k.http.UserContext())
	if errors.Is(err, index.ErrGone) {
		f, err = s.figures(k.http.UserContext())
	}
	if err != nil {
		return err
	}
	k.write(appendData(nil, f))
	return nil
}

func (s *Service) figures(ctx context.Context) (figures, error) {
	r, err := s.config.Engine.Live(ctx)
	if err != nil {
		return figures{}, err
	}
	var st index.Stats
	var week, month int64
	now := s.now()
	err = together(ctx, func(ctx context.Context) (err error) {
		st, err = r.Stats(ctx)
		return err
	}, func(ctx context.Context) (err error) {
		week, err = r.Count(ctx, addedWithin(7, now))
		return err
	}, func(ctx context.Context) (err error) {
		month, err = r.Count(ctx, addedWithin(30, now))
		return err
	})
	return figures{
		TotalFilings: st.Filings, UniqueOwners: st.Owners,
		AvgAmount: index.AverageDollars(st.SumCents, st.Amounts),
		MinAmount: st.MinAmount, MaxAmount: st.MaxAmount, TotalValue: index.Dollars(st.SumCents),
		NewThisWeek: week, NewThisMonth: month,
		TrustCount: st.Trusts, EstateCount: st.Estates, CombinedTrustEstate: st.TrustsOrEstates,
		TrustPercentage:    index.Percent(st.Trusts, st.Filings),
		CombinedPercentage: index.Percent(st.TrustsOrEstates, st.Filings),
	}, err
}

// addedWithin selects the filings that were added within so many times 24 hours before now (rule A3).
func addedWithin(days int, now time.Time) index.Filter {
	return index.Where(index.Times{From: now.Add(-time.Duration(days) * 24 * time.Hour), To: now})
}

// countyFigures is the county statistics object.
type countyFigures struct {
	County      string  `json:"county" help:"County, without its state."`
	State       string  `json:"state" help:"Two-letter abbreviation of the state."`
	FilingCount int64   `json:"filingCount" help:"Filings in the county."`
	TotalAmount float64 `json:"totalAmount" help:"Sum of filing amounts, dollars."`
	AvgAmount   float64 `json:"avgAmount" help:"Average filing amount, dollars; 0 where no filing has one."`
	MinAmount   float64 `json:"minAmount" help:"Smallest filing amount, dollars."`
	MaxAmount   float64 `json:"maxAmount" help:"Largest filing amount, dollars."`
}

// countyStats answers GET /v1/stats/counties.
func (s *Service) countyStats(k *call, q question) error {
	return s.send(k, answer{
		endpoint:  "/v1/stats/counties",
		canonical: q.state,
		body: func(ctx context.Context, r *serving.Reader, dst []byte) ([]byte, error) {
			all, err := r.Counties(ctx)
			if err != nil {
				return nil, err
			}
			all = slices.Clone(all) // what the engine returned may be shared
			slices.SortFunc(all, func(a, b index.CountyStats) int { return index.CompareByState(a.County, b.County) })
			return appendData(dst, countyFiguresOf(all, q.state)), nil
		},
	})
}

func countyFiguresOf(all []index.CountyStats, state string) []countyFigures {
	figures := []countyFigures{}
	for _, c := range all {
		name, of := index.SplitCounty(c.County)
		if state != "" && of != state {
			continue
		}
		figures = append(figures, countyFigures{
			County: name, State: of, FilingCount: c.Filings,
			TotalAmount: index.Dollars(c.SumCents), AvgAmount: index.AverageDollars(c.SumCents, c.Amounts),
			MinAmount: c.MinAmount, MaxAmount: c.MaxAmount,
		})
	}
	return figures
}

// counties answers GET /v1/counties.
func (s *Service) counties(k *call, _ question) error {
	return s.send(k, answer{
		endpoint: "/v1/counties",
		body: func(ctx context.Context, r *serving.Reader, dst []byte) ([]byte, error) {
			all, err := r.Counties(ctx)
			names := make([]string, len(all))
			for i, c := range all {
				names[i] = c.County
			}
			return appendData(dst, names), err
		},
	})
}

// months answers GET /v1/counties/{county}/months.
func (s *Service) months(k *call, _ question) error {
	return s.sendDistinct(k, "/v1/counties/:county/months", index.Month)
}

// dateRanges answers GET /v1/counties/{county}/date-ranges.
func (s *Service) dateRanges(k *call, _ question) error {
	return s.sendDistinct(k, "/v1/counties/:county/date-ranges", index.DateRange)
}

// sendDistinct answers with the different values of f in the county of the path.
func (s *Service) sendDistinct(k *call, endpoint string, f index.Field) error {
	county, err := url.PathUnescape(k.http.Params("county"))
	if err != nil || !utf8.ValidString(county) {
		return invalid("county", "must be percent-encoded UTF-8")
	}
	county = strings.TrimSpace(county)
	in := index.Where(index.InCounty(county))
	return s.send(k, answer{
		endpoint:  endpoint,
		canonical: in.String(),
		mayMiss:   true,
		body: func(ctx context.Context, r *serving.Reader, dst []byte) ([]byte, error) {
			values, err := r.Distinct(ctx, in, f)
			if err != nil {
				return nil, err
			}
			if len(values) == 0 { // a county whose filings have no date, or no county
				n, err := r.Count(ctx, in)
				if err != nil {
					return nil, err
				}
				if n == 0 {
					return nil, refuse(index.ErrNotFound, fmt.Sprintf("there is no county %q; /v1/counties lists them", shorten(county)))
				}
			}
			return appendData(dst, orEmpty(values)), nil
		},
	})
}
