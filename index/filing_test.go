package index_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

func TestFiling_Has(t *testing.T) {
	t.Parallel()
	for _, field := range index.Fields() {
		if !field.Loaded() {
			continue
		}
		var f index.Filing
		if f.Has(field) {
			t.Errorf("the zero Filing has %v", field)
		}
		fill(&f, field)
		for _, other := range index.Fields() {
			if got := f.Has(other); got != (other == field) {
				t.Errorf("with %v alone, has %v: %v", field, other, got)
			}
		}
		f.Reset()
		if f.Has(field) {
			t.Errorf("after Reset it has %v", field)
		}
	}
}

func TestFiling_Numbers(t *testing.T) {
	t.Parallel()
	var f index.Filing
	if v, ok := f.Number(index.FilingAmount); v != 0 || ok {
		t.Errorf("missing: %v, %v", v, ok)
	}
	f.SetNumber(index.FilingAmount, math.Copysign(0, -1))
	if v, ok := f.Number(index.FilingAmount); math.Signbit(v) || !ok {
		t.Errorf("negative zero: %v, %v", v, ok)
	}
	f.SetText(index.Owner, "Birch")
	f.SetText(index.Owner, "")
	if f.Has(index.Owner) {
		t.Error(`"" is a value`)
	}
}

func TestFields_TheTable(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	tier := index.Free
	for _, field := range index.Fields() {
		info := field.Info()
		if info.Name == "" || info.Help == "" || names[info.Name] {
			t.Errorf("field %d: no name, no help, or a name twice: %+v", field, info)
		}
		names[info.Name] = true
		if info.Tier < tier {
			t.Errorf("%v stands behind a field of a higher tier: a record's prefix would be wrong", field)
		}
		tier = info.Tier
		got, ok := index.ByName(info.Name)
		if ok != field.Loaded() || ok && got != field {
			t.Errorf("ByName(%q): %v, %v", info.Name, got, ok)
		}
	}
	if _, ok := index.ByName("no such field"); ok {
		t.Error("a field of no name")
	}
}

// The fields of each tier, as the specification lists them.
func TestFields_ByTier(t *testing.T) {
	t.Parallel()
	want := map[index.Tier][]string{
		index.Free: {"id", "county", "caseNumber", "owner", "propertyAddress", "filingType", "filingAmount", "currentAmount",
			"filingDate", "filingHolder", "dateRange", "geocodedLatitude", "geocodedLongitude", "propertyClassification", "categories"},
		index.Pro: {"propertyType", "bedrooms", "bathrooms", "squareFootage", "lotSizeAcres", "yearBuilt", "estimatedValue",
			"homeEquityEstimate", "lastSaleDate", "lastSalePrice", "foreclosureStatus", "standardizedAddress", "aiSummary"},
		index.Enterprise: {"ownerPhonePrimary", "ownerPhoneSecondary", "ownerEmailPrimary", "ownerEmailSecondary"},
	}
	got := map[index.Tier][]string{}
	for _, field := range index.Fields() {
		if tier := field.Info().Tier; tier != index.Hidden {
			got[tier] = append(got[tier], field.String())
		}
		for tier := index.Free; tier <= index.Enterprise; tier++ {
			if field.Returned(tier) != (field.Info().Tier <= tier) {
				t.Errorf("%v returned for tier %d: %v", field, tier, field.Returned(tier))
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
