package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/service/access"
)

// featuresOf is what a page in JSON is in GeoJSON, byte for byte: its records, each at its coordinates, beside pagination and meta.
func featuresOf(t *testing.T, a response) string {
	t.Helper()
	var page struct {
		Data             []json.RawMessage
		Pagination, Meta json.RawMessage
	}
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	features := []string{}
	for _, record := range page.Data {
		var f struct {
			ID                                  int64
			GeocodedLatitude, GeocodedLongitude json.RawMessage
		}
		if err := json.Unmarshal(record, &f); err != nil {
			t.Fatal(err)
		}
		geometry := "null"
		if !bytes.Equal(f.GeocodedLatitude, []byte("null")) {
			geometry = fmt.Sprintf(`{"type":"Point","coordinates":[%s,%s]}`, f.GeocodedLongitude, f.GeocodedLatitude)
		}
		features = append(features, fmt.Sprintf(`{"type":"Feature","id":%d,"geometry":%s,"properties":%s}`, f.ID, geometry, record))
	}
	return fmt.Sprintf(`{"type":"FeatureCollection","features":[%s],"pagination":%s,"meta":%s}`, strings.Join(features, ","), page.Pagination, page.Meta)
}

// anyRequest leaves out of a body what differs from request to request.
func anyRequest(body string) string {
	before, meta, _ := strings.Cut(body, `"meta":{"request_id":"req_`)
	tier, _, _ := strings.Cut(meta, `,"rate_limit_remaining":`)
	_, tier, _ = strings.Cut(tier, `,`)
	return before + tier
}

// In GeoJSON a page has the filings that it has in JSON, as the tier sees them, whatever the order and however it is found.
func TestX37_GeoJSON(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for _, target := range []string{
			"/v1/filings", "/v1/filings?sort_by=filing_amount&limit=3&offset=2", "/v1/filings/search?q=a&sort_by=property_owner", "/v1/liens?limit=2",
			"/v1/filings?county=Nowhere", "/v1/filings?cursor=*&limit=4&sort_by=current_amount&sort_order=asc",
		} {
			for _, tier := range access.Tiers {
				want, got := s.get(t, tier, target), s.get(t, tier, target, "Accept", geoJSON)
				if diff := cmp.Diff(anyRequest(featuresOf(t, want)), anyRequest(got.body)); diff != "" || got.status != http.StatusOK {
					t.Errorf("%s, %s: %d (-want +got)\n%s", tier, target, got.status, diff)
				}
				if link := got.header.Get("Link"); link != want.header.Get("Link") || got.header.Get("Content-Type") != geoJSON {
					t.Errorf("%s: %v", target, got.header)
				}
			}
		}
		for fields, properties := range map[string]string{
			"id": `{"id":1}`, "owner,county": `{"id":1,"county":"Orange, FL","owner":"The Maple Family Trust"}`, "geocodedLatitude": `{"id":1,"geocodedLatitude":28.5}`,
		} {
			want := `"features":[{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[-81.4,28.5]},"properties":` + properties + `}],`
			if got := s.get(t, access.Free, "/v1/filings?ids=1&fields="+fields, "Accept", geoJSON); !strings.Contains(got.body, want) {
				t.Errorf("fields=%s: %s", fields, got.body)
			}
		}
	})
}

// Each form has a tag of its own; HEAD, compression and errors are those of JSON.
func TestX37_Negotiation(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const target = "/v1/filings?sort_by=filing_amount"
	plain, geo := s.get(t, access.Pro, target), s.get(t, access.Pro, target, "Accept", geoJSON)
	for _, tt := range []struct {
		tag    response
		accept string
		status int
	}{{plain, "", 304}, {geo, geoJSON, 304}, {plain, geoJSON, 200}, {geo, "*/*", 200}, {geo, geoJSON + ";q=0.4,application/json;q=0.5", 200}} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			a := s.do(t, method, access.Pro, target, "If-None-Match", tt.tag.header.Get("ETag"), "Accept", tt.accept)
			if a.status != tt.status || !strings.HasSuffix(a.header.Get("Vary"), ", Accept") {
				t.Errorf("%s with Accept %q: %d %v", method, tt.accept, a.status, a.header)
			}
		}
	}
	if a := s.get(t, access.Pro, target, "Accept", geoJSON, "Accept-Encoding", "gzip"); a.header.Get("Content-Encoding") != "gzip" || a.header.Get("Content-Type") != geoJSON {
		t.Errorf("compressed: %v", a.header)
	}
	if a := s.get(t, access.Pro, "/v1/filings?limit=0", "Accept", geoJSON); a.status != http.StatusBadRequest || a.document(t).Error == nil {
		t.Errorf("%d %s", a.status, a.body)
	}
}
