package apitest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"filings/index"
	"filings/service"
	"filings/service/access"
)

// fieldsOf are the fields of a filing that each tier sees, by the specification's table.
func fieldsOf() map[access.Tier][]string {
	free := []string{"id", "county", "caseNumber", "owner", "propertyAddress", "filingType", "filingAmount", "currentAmount",
		"filingDate", "filingHolder", "dateRange", "geocodedLatitude", "geocodedLongitude", "propertyClassification", "categories"}
	pro := append(append([]string{}, free...), "propertyType", "bedrooms", "bathrooms", "squareFootage", "lotSizeAcres", "yearBuilt",
		"estimatedValue", "homeEquityEstimate", "lastSaleDate", "lastSalePrice", "foreclosureStatus", "standardizedAddress", "aiSummary")
	enterprise := append(append([]string{}, pro...), "ownerPhonePrimary", "ownerPhoneSecondary", "ownerEmailPrimary", "ownerEmailSecondary")
	return map[access.Tier][]string{access.Free: free, access.Starter: free, access.Pro: pro, access.Enterprise: enterprise}
}

func TestK5_FieldsByTier(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for tier, want := range fieldsOf() {
			one := string(s.get(t, tier, "/v1/filings/1").document(t).Data)
			if diff := cmp.Diff(want, keysOf(t, one)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tier, diff)
			}
			for _, path := range []string{"/v1/filings?city=orlando", "/v1/filings/search?q=maple", "/v1/liens?city=orlando"} {
				if got := string(s.get(t, tier, path).document(t).Data); got != "["+one+"]" {
					t.Errorf("%s %s: %s\nwant the same as the single filing, %s", tier, path, got, one)
				}
			}
		}
		if one := string(s.get(t, access.Enterprise, "/v1/filings/1").document(t).Data); !strings.Contains(one, `"filingHolder":"County \"One\" & <Sons>"`) {
			t.Errorf("text is not passed through as it is: %s", one)
		}
	})
}

// TestK5_NothingAboveTheTier puts a word of its own into every field and sends requests at random: whatever the
// response, nothing in it, names and values alike, is from above the tier. Filings carry names of higher fields in
// their lower ones.
func TestK5_NothingAboveTheTier(t *testing.T) {
	t.Parallel()
	filings := fixture(t)
	for _, f := range filings {
		for _, field := range index.Fields() {
			if field.Info().Kind == index.KindText && field != index.Owner {
				f.SetText(field, "secret"+field.Info().Name)
			}
		}
		f.SetText(index.AISummary, "secretaiSummary")
		f.SetText(index.Owner, `o","aiSummary":null,"ownerPhonePrimary":"x`)
	}
	s := newSite(t, grown(filings))
	targets := []string{"/v1/filings", "/v1/filings?has_property_data=true", "/v1/filings?foreclosure_filter=show",
		"/v1/filings?min_acres=0", "/v1/filings?min_equity_percent=0", "/v1/filings/search?q=secret", "/v1/filings/search?q=o",
		"/v1/filings/1", "/v1/filings/77", "/v1/filings/clusters?zoom=9&bounds_north=90&bounds_south=0&bounds_east=180&bounds_west=-180", "/v1/filings/groups?by=filing_type,holder", "/v1/filings/changes?since=20260314-000000.000000", "/v1/liens", "/v1/liens/2", "/v1/stats", "/v1/stats/counties", "/v1/counties",
		"/v1/counties/orange/months", "/v1/counties/orange/date-ranges", "/v1/me", "/v1/filings?limit=0", "/v1/x"}
	rapid.Check(t, func(r *rapid.T) {
		tier := rapid.SampledFrom(access.Tiers).Draw(r, "tier")
		target := rapid.SampledFrom(targets).Draw(r, "target")
		// The tag of another tier must not open its response.
		other := rapid.SampledFrom(access.Tiers).Draw(r, "other")
		tag := s.get(t, other, target).header.Get("ETag")
		a := s.get(t, tier, target, "If-None-Match", tag)
		if tag != "" && (a.status == http.StatusNotModified) != (tier == other) {
			r.Fatalf("%s with the tag of %s: %d", tier, other, a.status)
		}
		sees := map[string]bool{}
		for _, name := range fieldsOf()[tier] {
			sees[name] = true
		}
		whole := a.body
		for name, values := range a.header {
			whole += name + strings.Join(values, "")
		}
		for _, field := range index.Fields() {
			name := field.Info().Name
			if (field.Info().Tier != index.Hidden || field == index.City) && !sees[name] &&
				(strings.Contains(whole, `,"`+name+`":`) || strings.Contains(whole, "secret"+name)) {
				r.Fatalf("%s sees %s in %s: %s", tier, name, target, whole)
			}
		}
	})
}

// With Config.FiltersByTier a filter by fields above the tier is a 400 that names it; without, all tiers have all filters.
func TestFiltersByTier(t *testing.T) {
	t.Parallel()
	paths := []string{"/v1/filings?min_acres=1", "/v1/filings/search?q=maple&min_acres=1", "/v1/liens?min_acres=1",
		"/v1/filings/clusters?zoom=4&bounds_north=40&bounds_south=20&bounds_east=-70&bounds_west=-90&min_acres=1", "/v1/filings/groups?by=county&min_acres=1"}
	open := newSite(t, oracle(fixture(t)))
	limited := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.FiltersByTier = true })
	const want = "min_acres must not be given with a key of this tier: it filters by fields that only the pro tier and above show"
	for _, path := range paths {
		for _, tier := range access.Tiers {
			if got := open.get(t, tier, path); got.status != http.StatusOK {
				t.Errorf("%s %s: %d %s", tier, path, got.status, got.body)
			}
			got, refused := limited.get(t, tier, path), tier == access.Free || tier == access.Starter
			if refused && (got.status != http.StatusBadRequest || !strings.Contains(string(got.body), want)) || !refused && got.status != http.StatusOK {
				t.Errorf("%s %s, limited: %d %s", tier, path, got.status, got.body)
			}
		}
	}
}
