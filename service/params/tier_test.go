package params

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"filings/index"
)

// TestFiltersByTier sends every filter as each tier: those by fields above it are refused by name,
// on every endpoint that takes them, and a value that filters nothing never is.
func TestFiltersByTier(t *testing.T) {
	t.Parallel()
	const above = " must not be given with a key of this tier: it filters by fields that only the pro tier and above show"
	table := newTable()
	read := func(on Endpoints, query string, tier index.Tier) error {
		t.Helper()
		raw, err := table.Split(endpoint(on), query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = table.Read(raw, nil, Tiers{Fields: index.Enterprise, Filters: tier}, testNow())
		return err
	}
	required := map[Endpoints]string{List: "", Search: "q=x&", Clusters: "zoom=1&bounds_north=1&bounds_south=0&bounds_east=1&bounds_west=0&"}
	refused := map[string]string{
		"has_property_data=true": "has_property_data", "has_data=1": "has_data", "min_equity_percent=40": "min_equity_percent",
		"foreclosure_filter=show": "foreclosure_filter", "foreclosure_filter=hide": "foreclosure_filter",
		"foreclosure_filter=active": "foreclosure_filter", "min_acres=1": "min_acres", "max_acres=2": "max_acres",
	}
	for on, rest := range required {
		for query, name := range refused {
			if err := read(on, rest+query, index.Free); err == nil || err.Error() != name+above {
				t.Errorf("%s of free: %v", query, err)
			}
			if err := read(on, rest+query, index.Pro); err != nil {
				t.Errorf("%s of pro: %v", query, err)
			}
		}
		for _, query := range []string{"has_property_data=false", "foreclosure_filter=all", "min_acres="} {
			if err := read(on, rest+query, index.Free); err != nil {
				t.Errorf("%s, which filters nothing: %v", query, err)
			}
		}
		for _, p := range table.Rows(on) {
			_, pro := refused[p.Name+"="+p.Example]
			if pro || p.tier() > index.Free || p.edge || slices.Contains([]string{"near", "radius", "q", "zoom"}, p.Name) {
				continue
			}
			if err := read(on, rest+p.Name+"="+url.QueryEscape(p.Example), index.Free); err != nil {
				t.Errorf("%s=%s of free: %v", p.Name, p.Example, err)
			}
		}
	}
}

// Every filter says by its fields what it reveals, and no sort reveals more than the free tier
// shows: there is no refusal of sorts.
func TestFiltersByTier_Fields(t *testing.T) {
	t.Parallel()
	free := strings.Fields("q date_range month date_start date_end near radius polygon state min_filings " + // by free fields
		"bounds_north bounds_south bounds_east bounds_west zoom z x y id by sort_by sort_order limit offset cursor typos fields " +
		"generation since until format after origin expires_in endpoints visitor_burst label")
	for _, p := range newTable().rows {
		if len(p.fields) == 0 && !slices.Contains(free, p.Name) {
			t.Errorf("%s names no field", p.Name)
		}
		if p.tier() == index.Hidden {
			t.Errorf("%s is by a field of which Reveals does not know where it comes from", p.Name)
		}
	}
	for _, s := range sorts {
		if s.field.Reveals() != index.Free {
			t.Errorf("%s sorts by a field of the %s tier", s.name, s.field.Reveals())
		}
	}
}
