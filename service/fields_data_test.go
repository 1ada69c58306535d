package service_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

// statsOfFields is what /v1/fields has of rows, by plain loops over the list as the tier sees it.
func statsOfFields(t *testing.T, tier index.Tier, rows []map[string]any) (all []map[string]any) {
	t.Helper()
	for _, f := range index.Fields() {
		if !f.Returned(tier) {
			continue
		}
		info := f.Info()
		one := map[string]any{"name": info.Name, "tier": info.Tier.String(), "help": info.Help, "distinct": nil, "min": nil, "max": nil}
		switch info.Kind {
		case index.KindID, index.KindInteger:
			one["type"] = "integer"
		case index.KindAmount, index.KindNumber, index.KindLatitude, index.KindLongitude:
			one["type"] = "number"
		case index.KindDate:
			one["type"] = "date"
		case index.KindCategories:
			one["type"] = "strings"
		default:
			one["type"] = "string"
		}
		filled, different := 0., map[string]bool{}
		for _, row := range rows {
			switch v := row[info.Name].(type) {
			case float64:
				filled++
				if f != index.ID && (one["min"] == nil || v < one["min"].(float64)) {
					one["min"] = v
				}
				if f != index.ID && (one["max"] == nil || v > one["max"].(float64)) {
					one["max"] = v
				}
			case string:
				filled++
				if one["type"] == "date" && (one["min"] == nil || v < one["min"].(string)) {
					one["min"] = v
				}
				if one["type"] == "date" && (one["max"] == nil || v > one["max"].(string)) {
					one["max"] = v
				}
				if key := index.OwnerKeyOf(v); f == index.Owner && key != "" {
					different[key] = true
				} else if f != index.Owner {
					different[strings.ToLower(v)] = true
				}
			case []any:
				if len(v) > 0 {
					filled++
				}
				for _, category := range v {
					different[category.(string)] = true
				}
			}
		}
		if one["filled"] = filled; strings.Contains(" county owner filingType filingHolder propertyClassification categories ", " "+info.Name+" ") {
			one["distinct"] = float64(len(different))
		}
		all = append(all, one)
	}
	return all
}

// TestX38_Fields: on both engines the fields have what the rows of the list have, as the tier sees them.
func TestX38_Fields(t *testing.T) {
	t.Parallel()
	for _, d := range []dataset{handmade, plenty} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			onOracle(t, d, func(t *testing.T, s *site) {
				for tier, sees := range map[access.Tier]index.Tier{access.Free: index.Free, access.Starter: index.Free, access.Pro: index.Pro, access.Enterprise: index.Enterprise} {
					var rows, got []map[string]any
					if err := json.Unmarshal(s.get(t, tier, "/v1/filings?limit=100").document(t).Data, &rows); err != nil {
						t.Fatal(err)
					}
					a := s.get(t, tier, "/v1/fields")
					if err := json.Unmarshal([]byte(dataOf(t, a)), &got); err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(statsOfFields(t, sees, rows), got); diff != "" {
						t.Errorf("%s (-want +got)\n%s", tier, diff)
					}
					if pinned := s.get(t, tier, "/v1/fields?generation="+a.header.Get("X-Generation")); dataOf(t, pinned) != dataOf(t, a) {
						t.Errorf("%s, pinned: %s", tier, pinned.body)
					}
					if again := s.get(t, tier, "/v1/fields", "If-None-Match", a.header.Get("ETag")); again.status != http.StatusNotModified {
						t.Errorf("%s: %d", tier, again.status)
					}
				}
			})
		})
	}
}

// TestX38_NotCounted: a generation of an older version is a 400 that says so; before the first load no field has anything.
func TestX38_NotCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t, servicetest.Still{Reader: uncounted{oracle(fixture(t)).(servicetest.Still).Reader}})
	if a := s.get(t, access.Free, "/v1/fields"); a.status != http.StatusBadRequest || !strings.Contains(a.body, "was loaded before") {
		t.Errorf("%d %s", a.status, a.body)
	}
	s = newSite(t, servicetest.Still{Reader: index.Empty{}})
	if a := s.get(t, access.Free, "/v1/fields"); a.status != http.StatusOK || !strings.Contains(a.body, `"filled":0,"distinct":0,"min":null,"max":null}`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// uncounted is a generation of which nothing was counted.
type uncounted struct{ index.Reader }
