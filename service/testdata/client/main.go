// Command client calls the service at ADDRESS with KEY through the client that was generated from its OpenAPI document,
// and prints what it got as JSON.
package main

import (
	"client/filings"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	c, err := filings.NewClientWithResponses(os.Getenv("ADDRESS"), filings.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-API-Key", os.Getenv("KEY"))
		return nil
	}))
	if err != nil {
		return err
	}
	got := map[string]any{}
	county, types, least, limit := "Orange, FL", []string{"Tax Lien", "Municipal Lien"}, 1000.0, int64(5)
	list, err := c.ListFilingsWithResponse(ctx, &filings.ListFilingsParams{County: &county, FilingTypes: &types, MinAmount: &least, Limit: &limit})
	if err != nil {
		return err
	}
	if list.JSON200 == nil {
		return fmt.Errorf("list: %s %s", list.Status(), list.Body)
	}
	for _, f := range list.JSON200.Data {
		if f.County != county || *f.FilingAmount < least || !strings.Contains(strings.Join(types, ","), *f.FilingType) || f.FilingDate.IsZero() {
			return fmt.Errorf("list: not asked for: %+v", f)
		}
	}
	got["listed"], got["tier"], got["ignored"] = len(list.JSON200.Data), list.JSON200.Meta.Tier, list.HTTPResponse.Header.Get("X-Ignored-Parameters")

	sort := filings.SearchFilingsParamsSortByFilingAmount
	search, err := c.SearchFilingsWithResponse(ctx, &filings.SearchFilingsParams{Q: "maple", SortBy: &sort})
	if err != nil {
		return err
	}
	if search.JSON200 == nil || !search.JSON200.Success {
		return fmt.Errorf("search: %s %s", search.Status(), search.Body)
	}
	got["found"] = search.JSON200.Pagination.Total

	one, err := c.GetFilingWithResponse(ctx, 1, nil)
	if err != nil {
		return err
	}
	if one.JSON200 == nil {
		return fmt.Errorf("filing: %s %s", one.Status(), one.Body)
	}
	got["id"] = one.JSON200.Data.Id
	none, err := c.GetFilingWithResponse(ctx, 1_000_000, nil)
	if err != nil {
		return err
	}
	got["missing"] = none.JSON404.Error.Code

	months, err := c.ListCountyMonthsWithResponse(ctx, county, nil)
	if err != nil {
		return err
	}
	got["months"] = len(months.JSON200.Data)
	figures, err := c.GetStatisticsWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	got["filings"] = figures.JSON200.Data.TotalFilings
	return json.NewEncoder(os.Stdout).Encode(got)
}
