// Command client calls every operation of the service at ADDRESS with KEY, through the client that oapi-codegen generated
// from its OpenAPI document, and prints what it got as JSON: by operation, what TestClients compares.
package main

import (
	"client/filings"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// header sets a header of a request.
func header(name, value string) filings.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set(name, value)
		return nil
	}
}

// ok returns the response of a call, which has failed if no status was documented for it.
func ok[T any](response T, err error) T {
	if err != nil {
		panic(err)
	}
	return response
}

func ids(page []filings.Filing) (all []int64) {
	for _, f := range page {
		all = append(all, f.Id)
	}
	return all
}

func owners(page []filings.Filing) (all []*string) {
	for _, f := range page {
		all = append(all, f.Owner)
	}
	return all
}

func run(ctx context.Context) error {
	address := os.Getenv("ADDRESS")
	c, err := filings.NewClientWithResponses(address, filings.WithRequestEditorFn(header("X-API-Key", os.Getenv("KEY"))))
	if err != nil {
		return err
	}
	keyless, err := filings.NewClientWithResponses(address)
	if err != nil {
		return err
	}
	county, types, state := "Orange, FL", []string{"Tax Lien", "Municipal Lien"}, "FL"
	categories := []filings.Category{filings.Residential, filings.Land}
	sort, order := filings.FilingAmount, filings.ASC
	limit, none := int64(5), int64(0)
	got := map[string]any{}

	list := ok(c.ListFilingsWithResponse(ctx, &filings.ListFilingsParams{FilingTypes: &types, Categories: &categories, Limit: &limit}))
	got["listFilings"] = ids(list.JSON200.Data)
	nowhere := []string{"Nowhere, ZZ", "Elsewhere, ZZ"}
	some := ok(c.ListFilingsWithResponse(ctx, &filings.ListFilingsParams{Ids: &[]int64{1, 2, 3}, ExcludeCounties: &nowhere, Fields: &[]string{"owner"}}))
	got["listFilings of some fields"] = owners(some.JSON200.Data)
	got["listFilings refused"] = ok(c.ListFilingsWithResponse(ctx, &filings.ListFilingsParams{Limit: &none})).JSON400.Error.Message
	var crawled []int64
	for cursor := "*"; len(crawled) < 15; {
		page := ok(c.ListFilingsWithResponse(ctx, &filings.ListFilingsParams{Cursor: &cursor, Limit: &limit})).JSON200
		crawled, cursor = append(crawled, ids(page.Data)...), *page.Pagination.NextCursor
	}
	got["listFilings by cursor"] = crawled
	search := ok(c.SearchFilingsWithResponse(ctx, &filings.SearchFilingsParams{Q: "maple", Categories: &categories, SortBy: &sort, SortOrder: &order}))
	got["searchFilings"] = ids(search.JSON200.Data)
	world := filings.ClusterFilingsParams{BoundsNorth: 90, BoundsSouth: -90, BoundsEast: 180, BoundsWest: -180, Zoom: 4, FilingTypes: &types}
	got["clusterFilings"] = ok(c.ClusterFilingsWithResponse(ctx, &world)).JSON200.Data.Total
	var counts []int64
	for _, f := range ok(c.ClusterFilingsWithResponse(ctx, &world, header("Accept", "application/geo+json"))).ApplicationgeoJSON200.Features {
		if f.Type != filings.FeatureTypeFeature {
			return fmt.Errorf("a feature is a %s", f.Type)
		}
		counts = append(counts, f.Properties.Count)
	}
	got["clusterFilings as GeoJSON"] = counts
	var sums []float64
	var groupCategories []*string
	by := []filings.By{filings.ByCounty, filings.ByCategory}
	for _, group := range ok(c.GroupFilingsWithResponse(ctx, &filings.GroupFilingsParams{By: by, FilingTypes: &types})).JSON200.Data {
		sums, groupCategories = append(sums, group.FilingAmount.Sum), append(groupCategories, group.Category)
	}
	got["groupFilings"], got["groupFilings by"] = sums, groupCategories
	var ops []filings.ChangeOp
	for _, change := range ok(c.ListChangesWithResponse(ctx, &filings.ListChangesParams{Since: "20260314-000000.000000"})).JSON200.Data {
		ops = append(ops, change.Op)
	}
	got["listChanges"] = ops
	least := 20_000.0
	// Not WithResponse, which would hold the file in memory, and take lines of JSON for one value.
	export, err := c.ExportFilings(ctx, &filings.ExportFilingsParams{County: &[]string{county}, MinAmount: &least})
	if err != nil {
		return err
	}
	defer export.Body.Close()
	var first filings.Filing
	if err := json.NewDecoder(export.Body).Decode(&first); err != nil { // the first row
		return err
	}
	got["exportFilings"] = first.Id
	got["getFiling"] = ok(c.GetFilingWithResponse(ctx, 1, nil)).JSON200.Data.County
	got["getFiling refused"] = ok(c.GetFilingWithResponse(ctx, 1_000_000, nil)).JSON404.Error.Code

	got["getStatistics"] = ok(c.GetStatisticsWithResponse(ctx, nil)).JSON200.Data.TotalFilings
	var filingCounts []int64
	for _, county := range ok(c.ListCountyStatisticsWithResponse(ctx, &filings.ListCountyStatisticsParams{State: &state})).JSON200.Data {
		filingCounts = append(filingCounts, county.FilingCount)
	}
	got["listCountyStatistics"] = filingCounts
	got["listCounties"] = ok(c.ListCountiesWithResponse(ctx, nil)).JSON200.Data
	got["listCountyMonths"] = ok(c.ListCountyMonthsWithResponse(ctx, county, nil)).JSON200.Data
	got["listCountyDateRanges"] = ok(c.ListCountyDateRangesWithResponse(ctx, county, nil)).JSON200.Data
	typed, one := "m", int64(1)
	var owed []float64
	for _, owner := range ok(c.ListOwnersWithResponse(ctx, &filings.ListOwnersParams{Q: &typed, MinFilings: &one})).JSON200.Data {
		owed = append(owed, owner.FilingAmount.Sum)
	}
	got["listOwners"] = owed
	maple := "maple"
	got["getTileSet"] = ok(c.GetTileSetWithResponse(ctx, &filings.GetTileSetParams{Q: &maple})).JSON200.Tiles
	got["getTile"] = len(ok(c.GetTileWithResponse(ctx, "20260315-000000.000000", 0, 0, 0, nil)).Body)
	var placed []int64
	for _, county := range ok(c.ListCoverageWithResponse(ctx, &filings.ListCoverageParams{State: &state})).JSON200.Data {
		placed = append(placed, county.WithCoordinates)
	}
	got["listCoverage"] = placed
	var filled []int64
	var to []any
	for _, field := range ok(c.ListFieldsWithResponse(ctx, nil)).JSON200.Data {
		filled, to = append(filled, field.Filled), append(to, field.Max)
	}
	got["listFields"], got["listFields to"] = filled, to
	var kept []string
	for _, generation := range ok(c.ListGenerationsWithResponse(ctx, nil)).JSON200.Data {
		kept = append(kept, generation.Id)
	}
	got["listGenerations"] = kept
	me := ok(c.GetIdentityWithResponse(ctx, nil)).JSON200
	got["getIdentity"] = me.Data.Tier
	if me.Data.Tier != filings.Enterprise || me.Meta.Tier != filings.Enterprise {
		return fmt.Errorf("tiers %s and %s", me.Data.Tier, me.Meta.Tier)
	}
	var limits []int64
	for _, window := range ok(c.GetUsageWithResponse(ctx, nil)).JSON200.Data.Windows {
		limits = append(limits, window.Limit)
	}
	got["getUsage"] = limits
	places := []filings.Endpoints{"tiles", "one"}
	got["createToken"] = ok(c.CreateTokenWithResponse(ctx, &filings.CreateTokenParams{
		Origin: &[]string{"https://maps.example.com"}, Endpoints: &places, County: &[]string{county},
	})).JSON200.Data.Filter
	got["getIdentity refused"] = ok(keyless.GetIdentityWithResponse(ctx, nil)).JSON401.Error

	legacyList := ok(c.LegacyListFilingsWithResponse(ctx, &filings.LegacyListFilingsParams{LienTypes: &types, Limit: &limit}))
	got["legacyListFilings"] = ids(legacyList.JSON200.Data)
	legacySearch := ok(c.LegacySearchFilingsWithResponse(ctx, &filings.LegacySearchFilingsParams{Q: "maple", LienTypes: &types}))
	got["legacySearchFilings"] = ids(legacySearch.JSON200.Data)
	got["legacyGetFiling"] = ok(c.LegacyGetFilingWithResponse(ctx, 1, nil)).JSON200.Data.County

	document := *ok(keyless.GetOpenAPIWithResponse(ctx, nil)).JSON200
	got["getOpenAPI"] = document["openapi"]
	if slices.ContainsFunc(list.JSON200.Data, func(f filings.Filing) bool { return !slices.Contains(types, *f.FilingType) || f.FilingDate.IsZero() }) {
		return fmt.Errorf("not asked for: %+v", list.JSON200.Data)
	}
	return json.NewEncoder(os.Stdout).Encode(got)
}
