package reindexer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"filings/index/generation"
)

// shaped returns n records of Orange from an id on: amounts of 1.50 to n.50, on days before noon, each as edit makes it.
func shaped(from, n int, edit func(i int, r *shapedRecord)) string {
	var b strings.Builder
	for i := range n {
		r := shapedRecord{from + i, fmt.Sprintf("%d.50", i+1), fmt.Sprintf("2026-02-%02d", i%26+1)}
		if edit != nil {
			edit(i, &r)
		}
		fmt.Fprintf(&b, `{"id":%d,"county":"Orange, FL","filingAmount":%s,"currentAmount":%s,"filingDate":%s}`+"\n", r.id,
			r.amount, r.amount, strings.Replace(`"`+r.date+`"`, `""`, "null", 1))
	}
	return b.String()
}

type shapedRecord struct {
	id           int
	amount, date string
}

// TestX68_Guards: ids and values that are others than those of the live generation, as after a mistake, are refused, on both engines,
// by a full load, an update and a dry run, and allowed by the option that the message names.
func TestX68_Guards(t *testing.T) {
	t.Parallel()
	onEitherEngine(t, func(t *testing.T, store generation.Store) {
		lake := lines(9001, 30, "Lake, FL", paid)
		first := config(t, store, shaped(1, 100, nil)+lake)
		mustRun(t, first)
		for name, test := range map[string]struct {
			edit  func(i int, r *shapedRecord)
			kind  error
			says  string
			allow []string
		}{
			"other ids": {func(i int, r *shapedRecord) { r.id += 1000 }, ErrRenewed,
				`100 of 100 filings of Orange, FL are gone, and 100 with other ids have come; nothing is promoted (where that is right, --allow renewed="Orange, FL" allows it)`,
				[]string{"renewed=orange, fl"}},
			"just more than half of the ids": {func(i int, r *shapedRecord) {
				if i < 51 {
					r.id += 1000
				}
			}, ErrRenewed, "51 of 100 filings of Orange, FL", []string{"renewed=Orange, FL"}},
			"cents": {func(_ int, r *shapedRecord) { r.amount = strings.Replace(r.amount, ".", "", 1) }, ErrValues,
				"the median filingAmount of Orange, FL is 5050, and was 50.5, the median currentAmount of Orange, FL is 5050, and was 50.5; nothing is promoted (where that is right, --allow changed=currentAmount --allow changed=filingAmount allows it)",
				[]string{"changed=filingAmount", "changed=currentAmount"}},
			"thousands":       {func(_ int, r *shapedRecord) { r.amount = "0.05" }, ErrValues, "is 0.05, and was 50.5", []string{"changed=filingAmount", "changed=currentAmount"}},
			"no amount but 0": {func(_ int, r *shapedRecord) { r.amount = "0" }, ErrValues, "is 0, and was 50.5", []string{"changed=filingAmount", "changed=currentAmount"}},
			"amounts of a few are left": {func(i int, r *shapedRecord) {
				if i > 48 {
					r.amount = "null"
				}
			}, ErrEmptied, "49 of 100 filings of Orange, FL have filingAmount, and 100 of 100 had", []string{"changed=filingAmount", "changed=currentAmount"}},
			"days of another century": {func(i int, r *shapedRecord) { r.date = "2062" + r.date[4:] }, ErrValues, "100 of 100 dates of Orange, FL lie after today", []string{"changed=filingDate"}},
			"a few days after today": {func(i int, r *shapedRecord) {
				if i < 11 {
					r.date = "2026-03-02"
				}
			}, ErrValues, "11 of 100 dates of Orange, FL lie after today", []string{"changed=filingDate"}},
			"last month's file": {func(i int, r *shapedRecord) { r.date = strings.Replace(r.date, "-02-", "-01-", 1) }, ErrValues,
				"the newest filing of Orange, FL is of 2026-01-26, and there is one of 2026-02-26; nothing is promoted (where that is right, --allow changed=filingDate allows it)",
				[]string{"changed=filingDate"}},
		} {
			text := shaped(1, 100, test.edit)
			full, replace := config(t, store, text+lake), config(t, store, text)
			replace.Replace = []string{"Orange, FL"}
			dry := full
			dry.DryRun = true
			before := liveName(t, store)
			if report, err := Run(t.Context(), full); !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || !Refused(err) || report.Promoted || strings.Contains(err.Error(), "sealing") {
				t.Errorf("%s: %v\nwant %v: %s", name, err, test.kind, test.says)
			}
			if _, err := Run(t.Context(), replace); !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s, by --replace: %v\nwant %v: %s", name, err, test.kind, test.says)
			}
			if report := mustRun(t, dry); !strings.Contains(fmt.Sprint(report.Warnings), "a load would be refused: "+test.kind.Error()) || !strings.Contains(fmt.Sprint(report.Warnings), test.says) {
				t.Errorf("%s, tried: %q", name, report.Warnings)
			}
			dry.Replace = []string{"Orange, FL"}
			dry.Inputs = replace.Inputs
			if _, err := Run(t.Context(), dry); !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s, by --replace, tried: %v", name, err)
			}
			if liveName(t, store) != before {
				t.Fatalf("%s is live", name)
			}
			for _, option := range test.allow {
				if err := full.Allow(option); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Run(t.Context(), full); err != nil {
				t.Errorf("%s, allowed: %v", name, err)
			}
			first.MaxShrink = 100 // --force
			mustRun(t, first)
		}
	})
}

// TestX68_NoMistakes: what counties do is not refused: some new filings, some that are gone, amounts that most filings never had, dates
// after today that the county has ever had, and what is withheld. More than that is a warning.
func TestX68_NoMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, now string
		warning     string
	}{
		"half of the ids":     {shaped(1, 100, nil), shaped(51, 100, nil), ""},
		"of fewer than 20":    {shaped(1, 19, nil), shaped(1001, 19, nil), ""},
		"amounts of some":     {shaped(1, 100, nil), shaped(1, 100, func(i int, r *shapedRecord) { r.amount = "6" }), "100 of 100 filings of Orange, FL have other values"},
		"ten times":           {shaped(1, 100, nil), shaped(1, 100, func(i int, r *shapedRecord) { r.amount = strings.Replace(r.amount, ".50", "5", 1) }), "have other values"},
		"a week":              {shaped(1, 100, nil), shaped(1, 100, func(i int, r *shapedRecord) { r.date = fmt.Sprintf("2026-02-%02d", i%19+1) }), "have other values"},
		"one date mistyped":   {shaped(1, 100, func(i int, r *shapedRecord) { r.date = strings.Replace(r.date, "2026-02-26", "2062-02-26", 1) }), shaped(1, 100, nil), ""},
		"ever after today":    {shaped(1, 40, func(i int, r *shapedRecord) { r.date = "2026-04-01" }), shaped(2, 40, func(i int, r *shapedRecord) { r.date = "2026-04-02" }), "have other values"},
		"a county that grows": {shaped(1, 100, nil), shaped(1, 151, nil), "Orange, FL has 151 filings, and had 100"},
		"by half":             {shaped(1, 100, nil), shaped(1, 150, nil), ""},
		"a few of a field": {shaped(1, 100, func(i int, r *shapedRecord) {
			if i > 8 {
				r.amount = "null"
			}
		}), shaped(1, 100, func(i int, r *shapedRecord) {
			if i > 3 {
				r.amount = "null"
			}
		}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := embeddedStore(t)
			first := config(t, store, test.before)
			first.MayChange = []string{"filingDate"}
			mustRun(t, first)
			report := mustRun(t, config(t, store, test.now))
			if found := strings.Join(report.Warnings, " "); !strings.Contains(found, test.warning) || test.warning == "" && found != "" {
				t.Errorf("warnings %q, want %s", report.Warnings, test.warning)
			}
		})
	}
}

// TestX68_FirstLoad: dates after today are refused where nothing is live too, and where no changes are kept ids are compared all the same.
func TestX68_FirstLoad(t *testing.T) {
	t.Parallel()
	store := embeddedStore(t)
	late := config(t, store, shaped(1, 20, func(i int, r *shapedRecord) { r.date = "2026-03-02" }))
	if _, err := Run(t.Context(), late); !errors.Is(err, ErrValues) {
		t.Errorf("dates after today: %v", err)
	}
	late.DryRun = true
	if report := mustRun(t, late); !strings.Contains(fmt.Sprint(report.Warnings), "20 of 20 dates") {
		t.Errorf("tried: %q", report.Warnings)
	}
	none := config(t, store, shaped(1, 20, nil))
	none.KeepChanges = 0
	mustRun(t, none)
	none.Inputs = config(t, store, shaped(101, 20, nil)).Inputs
	if report, err := Run(t.Context(), none); !errors.Is(err, ErrRenewed) || report.Changes != nil {
		t.Errorf("other ids, without changes that are kept: %+v, %v", report.Changes, err)
	}
}

// TestX68_Allow: what --allow and `allow:` say is checked before anything is read.
func TestX68_Allow(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "renewed", "renewed=", "shrunk=", "changed=amount", "changed", "empty=", "moved=x", "all", "Renewed=Orange, FL"} {
		if a := new(Allowed); !errors.Is(a.Allow(text), ErrUsage) {
			t.Errorf("%q is allowed: %+v", text, a)
		}
	}
}
