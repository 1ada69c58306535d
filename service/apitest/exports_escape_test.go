package apitest

import (
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestX5_PreferEscapeFormulas: CSV is exact, unless the request or the service's operator has formulas escaped. The response
// says that the preference was applied, where it was.
func TestX5_PreferEscapeFormulas(t *testing.T) {
	t.Parallel()
	engine := servicetest.Still{Reader: indextest.NewOracle(generationName, []*index.Filing{edges.Filing(7, edges.Values{index.Owner: "=cmd|x"})})}
	for _, tt := range []struct {
		always         bool
		format, prefer string
		owner, applied string
	}{
		{false, "csv", "", "=cmd|x", ""},
		{false, "csv", "escape-formulas", "'=cmd|x", "escape-formulas"},
		{false, "csv", "handling=strict, Escape-Formulas", "'=cmd|x", "handling=strict, escape-formulas"},
		{false, "csv", "escape-formulas=never", "=cmd|x", ""},
		{false, "ndjson", "escape-formulas", "=cmd|x", ""},
		{true, "csv", "", "'=cmd|x", ""},
		{true, "csv", "escape-formulas", "'=cmd|x", "escape-formulas"},
		{true, "ndjson", "handling=lenient", "=cmd|x", "handling=lenient"},
	} {
		s := newSite(t, engine, func(c *service.Config) { c.EscapeFormulas = tt.always })
		a := s.get(t, access.Pro, "/v1/filings/export?fields=id,owner&format="+tt.format, "Prefer", tt.prefer)
		want := map[string]string{"csv": "id,owner\r\n7," + tt.owner + "\r\n", "ndjson": `{"id":7,"owner":"` + tt.owner + `"}` + "\n"}[tt.format]
		if a.body != want || a.header.Get("Preference-Applied") != tt.applied || !strings.Contains(a.header.Get("Vary"), "Prefer") {
			t.Errorf("%+v: %q, applied %q, Vary %q", tt, a.body, a.header.Get("Preference-Applied"), a.header.Get("Vary"))
		}
	}
}
