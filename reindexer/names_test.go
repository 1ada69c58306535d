package reindexer

import (
	"errors"
	"strings"
	"testing"
)

// TestX42_MistypedFields: a name that a mapping gives and no field has is exit code 2, with its line; one that its rows have is ignored, and a
// warning where case and signs alone are different.
func TestX42_MistypedFields(t *testing.T) {
	t.Parallel()
	row := `{"id":1,"county":"Orange, FL","amount_due":5,"p":{"id":1,"county":"Orange, FL","filing_amount":5}}` + "\n"
	for program, test := range map[string]struct{ err, warning string }{
		"{id, county,\n fillingAmount: .amount_due}":  {`m.jq:2: no field has the name "fillingAmount"; is "filingAmount" meant?`, ""},
		`{id, county, "filing amount": .amount_due}`:  {`no field has the name "filing amount"; is "filingAmount" meant?`, ""},
		`. + {fileingdate: "2026-01-01"}`:             {`no field has the name "fileingdate"`, ""},
		`{id, county, Owner: "A"}`:                    {`no field has the name "Owner"; is "owner" meant?`, ""},
		`{id, county, xyz: 1}`:                        {`no field has the name "xyz", but id, `, ""},
		`.`:                                           {"", ""},
		`{id, county, amount_due}`:                    {"", ""},
		`.p`:                                          {"", `no field has the name "filing_amount", which 1 records have: is "filingAmount" meant?`},
		`.p as $p | {x: 1} as $y | $p + {owner: "A"}`: {"", "is \"filingAmount\" meant?"},
		`.p | {id, county, filingAmount: .filing_amount, city: "X"}`: {"", ""},
		`.p | {id, county, createdAt: "2026-01-01T00:00:00Z"}`:       {"", ""},
	} {
		cfg := config(t, embeddedStore(t), row)
		cfg.Inputs = mappedBy("m.jq", program, namesOf(cfg.Inputs)...)
		report, err := Run(t.Context(), cfg)
		said := strings.Join(report.Warnings, "; ")
		if errors.Is(err, ErrUsage) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) ||
			!strings.Contains(said, test.warning) || (said == "") != (test.warning == "") {
			t.Errorf("%s: %v, %q", program, err, report.Warnings)
		}
	}
	if report := mustRun(t, config(t, embeddedStore(t), `{"id":1,"county":"Orange, FL","FilingAmount":5,"book":7}`+"\n")); len(report.Warnings) != 1 ||
		!strings.Contains(report.Warnings[0], `"FilingAmount", which 1 records have: is "filingAmount" meant?`) {
		t.Errorf("without a mapping: %q", report.Warnings)
	}
}

// TestX68_Points: a point that no filing of the United States and their territories can have is a warning.
func TestX68_Points(t *testing.T) {
	t.Parallel()
	for point, abroad := range map[[2]string]bool{
		{"28.54", "-81.38"}: false, {"64.8", "-147.7"}: false, {"21.3", "-157.8"}: false, {"13.45", "144.78"}: false, {"-14.27", "-170.7"}: false,
		{"18.2", "-65.7"}: false, {"52.9", "172.9"}: false,
		{"0", "0"}: true, {"-81.38", "28.54"}: true, {"28.54", "81.38"}: true, {"-28.54", "-81.38"}: true, {"28.54", "0"}: true,
	} {
		text := `{"id":1,"county":"Orange, FL","geocodedLatitude":` + point[0] + `,"geocodedLongitude":` + point[1] + "}\n"
		report := mustRun(t, config(t, embeddedStore(t), text))
		if said := strings.Join(report.Warnings, " "); strings.Contains(said, "points outside of the United States: 1") != abroad {
			t.Errorf("%v: %q", point, said)
		}
	}
}
