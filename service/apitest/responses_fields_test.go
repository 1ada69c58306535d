package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"strconv"
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
		filled, different := 0, map[string]bool{}
		for _, row := range rows {
			switch v := row[info.Name].(type) {
			case json.Number:
				filled++
				if one["min"] == nil || less(v, one["min"].(json.Number)) {
					one["min"] = v
				}
				if one["max"] == nil || less(one["max"].(json.Number), v) {
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
		if one["filled"] = json.Number(strconv.Itoa(filled)); strings.Contains(" county owner filingType filingHolder propertyClassification categories ", " "+info.Name+" ") {
			one["distinct"] = json.Number(strconv.Itoa(len(different)))
		}
		all = append(all, one)
	}
	return all
}

// less compares numbers as their digits say.
func less(a, b json.Number) bool {
	x, _ := new(big.Rat).SetString(a.String())
	y, _ := new(big.Rat).SetString(b.String())
	return x.Cmp(y) < 0
}

// exactly decodes objects, numbers as their digits.
func exactly(t *testing.T, text []byte) (rows []map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestX38_Fields: on both engines the fields have what the rows of the list have, as the tier sees them.
func TestX38_Fields(t *testing.T) {
	t.Parallel()
	for _, d := range []dataset{handmade, plenty} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			onOracle(t, d, func(t *testing.T, s *site) {
				for tier, sees := range map[access.Tier]index.Tier{access.Free: index.Free, access.Starter: index.Free, access.Pro: index.Pro, access.Enterprise: index.Enterprise} {
					rows := exactly(t, s.get(t, tier, "/v1/filings?limit=100").document(t).Data)
					a := s.get(t, tier, "/v1/fields")
					if diff := cmp.Diff(statsOfFields(t, sees, rows), exactly(t, []byte(dataOf(t, a)))); diff != "" {
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

// TestX38_NotCounted: a generation of an older version is a 400 that says so, and ids of one that
// counted all but these have null; before the first load no field has anything.
func TestX38_NotCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t, servicetest.Still{Reader: uncounted{oracle(fixture(t)).(servicetest.Still).Reader}})
	if a := s.get(t, access.Free, "/v1/fields"); a.status != http.StatusBadRequest || !strings.Contains(a.body, "was loaded before") {
		t.Errorf("%d %s", a.status, a.body)
	}
	s = newSite(t, idless{oracle(fixture(t)).(servicetest.Still)})
	if id := exactly(t, []byte(dataOf(t, s.get(t, access.Free, "/v1/fields"))))[0]; id["name"] != "id" || id["min"] != nil || id["max"] != nil {
		t.Errorf("%v", id)
	}
	s = newSite(t, servicetest.Still{Reader: index.Empty{}})
	if a := s.get(t, access.Free, "/v1/fields"); a.status != http.StatusOK || !strings.Contains(a.body, `"filled":0,"distinct":0,"min":null,"max":null}`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// uncounted is a generation of which nothing was counted.
type uncounted struct{ index.Reader }

// idless is an engine whose load counted no ids.
type idless struct{ servicetest.Still }

func (e idless) Kept(ctx context.Context, id string) ([]index.Generation, error) {
	all, err := e.Still.Kept(ctx, id)
	for _, g := range all {
		g.Values[index.ID] = index.FieldValues{Filled: g.Filings}
	}
	return all, err
}
