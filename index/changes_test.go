package index_test

import (
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// TestX17_Parts: a change says in which parts of the record it is, and a filing that comes or goes in all of them.
func TestX17_Parts(t *testing.T) {
	t.Parallel()
	version := func(set func(*index.Filing)) index.Version {
		f := &index.Filing{ID: 7}
		f.SetText(index.Owner, "SMITH, J")
		f.SetText(index.PropertyAddress, "1 ELM ST, FERN PARK, FL 32730")
		f.SetText(index.AISummary, `,"ownerPhonePrimary":`)
		set(f)
		return index.Version{Record: index.AppendRecord(nil, f), City: index.Derive(f).WrittenCity}
	}
	same := version(func(*index.Filing) {})
	for _, test := range []struct {
		name string
		a, b index.Version
		want index.FieldGroups
	}{
		{"the same", same, version(func(*index.Filing) {}), 0},
		{"nothing", index.Version{}, index.Version{}, 0},
		{"added", index.Version{}, same, index.AllFieldGroups},
		{"removed", same, index.Version{}, index.AllFieldGroups},
		{"owner", same, version(func(f *index.Filing) { f.SetText(index.Owner, "SMITH, K") }), index.FreeFields},
		{"last of free", same, version(func(f *index.Filing) { f.Categories = []string{"land"} }), index.FreeFields},
		{"first of pro", same, version(func(f *index.Filing) { f.SetText(index.PropertyType, "SFR") }), index.ProFields},
		{"last of pro", same, version(func(f *index.Filing) { f.SetText(index.AISummary, "") }), index.ProFields},
		{"first of enterprise", same, version(func(f *index.Filing) { f.SetText(index.OwnerPhonePrimary, "1") }), index.EnterpriseFields},
		{"city", same, version(func(f *index.Filing) { f.SetText(index.City, "Casselberry") }), index.PlaceFields},
		{"created", same, version(func(f *index.Filing) { f.CreatedAt = f.CreatedAt.AddDate(1, 0, 0) }), 0},
		{"several", same, version(func(f *index.Filing) {
			f.SetNumber(index.FilingAmount, 3)
			f.SetText(index.OwnerEmailSecondary, "a@example.com")
		}), index.FreeFields | index.EnterpriseFields},
	} {
		if got := indextest.FieldGroupsOf(test.a, test.b); got != test.want {
			t.Errorf("%s: %04b, want %04b", test.name, got, test.want)
		}
		if got := indextest.FieldGroupsOf(test.b, test.a); got != test.want {
			t.Errorf("%s, the other way round: %04b, want %04b", test.name, got, test.want)
		}
	}
}

func TestX17_PartsOf(t *testing.T) {
	t.Parallel()
	for tier, want := range map[index.Tier]index.FieldGroups{
		index.Free:       index.FreeFields,
		index.Pro:        index.FreeFields | index.ProFields,
		index.Enterprise: index.AllFieldGroups &^ index.PlaceFields,
	} {
		if got := index.FieldGroupsOf(tier); got != want {
			t.Errorf("%v: %04b, want %04b", tier, got, want)
		}
	}
}
