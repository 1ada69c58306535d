package synthetic_test

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"filings/index"
	"filings/index/synthetic"
)

const sampled = 20_000

// sample makes the filings that the tests look at.
func sample(g *synthetic.Generator) []*index.Filing {
	filings := make([]*index.Filing, sampled)
	for i := range filings {
		filings[i] = &index.Filing{}
		g.Next(filings[i])
	}
	return filings
}

// perMille returns how many filings in a thousand are so.
func perMille(filings []*index.Filing, so func(f *index.Filing) bool) int {
	n := 0
	for _, f := range filings {
		if so(f) {
			n++
		}
	}
	return n * 1000 / len(filings)
}

func TestNext_EveryValueIsValid(t *testing.T) {
	t.Parallel()
	date, county := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`), regexp.MustCompile(`^.+, [A-Z]{2}$`)
	for i, f := range sample(synthetic.New(1)) {
		if f.ID != int64(i+1) {
			t.Fatalf("filing %d has id %d", i+1, f.ID)
		}
		if !county.MatchString(f.Text(index.County)) {
			t.Fatalf("L3: county %q", f.Text(index.County))
		}
		if f.Has(index.Latitude) != f.Has(index.Longitude) {
			t.Fatalf("L4: half a point in %d", f.ID)
		}
		for _, field := range index.Fields() {
			if problem := invalid(f, field, date); problem != "" {
				t.Fatalf("L4: %v of filing %d: %s", field, f.ID, problem)
			}
		}
	}
}

// invalid says what is wrong with f's value by rule L4.
func invalid(f *index.Filing, field index.Field, date *regexp.Regexp) string {
	s := f.Text(field)
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || strings.TrimSpace(s) != s || len(s) > 500 {
		return "text " + s
	}
	v, has := f.Number(field)
	low, high := 0.0, 1e12
	switch field.Info().Kind {
	case index.KindAmount:
		if v != math.Round(v*100)/100 {
			return "more than two decimals"
		}
		low = -1e12
	case index.KindNumber:
		if field.Info().Signed {
			low = -1e12
		}
	case index.KindInteger:
		if v != math.Trunc(v) {
			return "not whole"
		}
	case index.KindLatitude:
		low, high = -90, 90
	case index.KindLongitude:
		low, high = -180, 180
	case index.KindDate:
		if s != "" && !date.MatchString(s) {
			return "date " + s
		}
	case index.KindDateRange:
		if start, end, ok := strings.Cut(s, " to "); s != "" && (!ok || !date.MatchString(start) || !date.MatchString(end) || start > end) {
			return "date range " + s
		}
	case index.KindCategories:
		for _, c := range f.Categories {
			if !slices.Contains(index.CategoryValues, c) {
				return "category " + c
			}
		}
	}
	if has && (v < low || v > high) {
		return "out of range"
	}
	return ""
}

func TestNext_FieldsAreFilledAndMissing(t *testing.T) {
	t.Parallel()
	filings := sample(synthetic.New(1))
	always := []index.Field{index.ID, index.County, index.FilingHolder, index.CreatedAt}
	for _, field := range index.Fields() {
		if !field.Loaded() || field == index.ZIP { // it is read from the address
			continue
		}
		filled := perMille(filings, func(f *index.Filing) bool { return f.Has(field) })
		if filled < 40 {
			t.Errorf("%v is filled in %d of 1000 only", field, filled)
		}
		missing := slices.ContainsFunc(filings, func(f *index.Filing) bool { return !f.Has(field) })
		if missing == slices.Contains(always, field) {
			t.Errorf("%v is missing in some: %v", field, missing)
		}
	}
}

func TestNext_Skew(t *testing.T) {
	t.Parallel()
	filings := sample(synthetic.New(1))
	text := func(field index.Field, want ...string) func(*index.Filing) bool {
		return func(f *index.Filing) bool { return slices.Contains(want, f.Text(field)) }
	}
	amount := func(so func(v float64) bool) func(*index.Filing) bool {
		return func(f *index.Filing) bool {
			v, ok := f.Number(index.FilingAmount)
			return ok && so(v)
		}
	}
	category := func(c string) func(*index.Filing) bool {
		return func(f *index.Filing) bool { return slices.Contains(f.Categories, c) }
	}
	longitude := func(low, high float64) func(*index.Filing) bool {
		return func(f *index.Filing) bool {
			v, ok := f.Number(index.Longitude)
			return ok && v >= low && v <= high
		}
	}
	for _, test := range []struct {
		name      string
		so        func(f *index.Filing) bool
		low, high int // of a thousand
	}{
		{"the first county", text(index.County, "Orange, FL"), 580, 620},
		{"the other county of that name", text(index.County, "Orange, CA"), 5, 50},
		{"with a point", func(f *index.Filing) bool { return f.Has(index.Latitude) }, 410, 430},
		{"west of the antimeridian", longitude(179, 180), 1, 20},
		{"east of the antimeridian", longitude(-180, -179), 1, 20},
		{"trusts", func(f *index.Filing) bool { return index.Derive(f).Trust }, 50, 150},
		{"estates", func(f *index.Filing) bool { return index.Derive(f).Estate }, 30, 100},
		{"property data", func(f *index.Filing) bool { return index.Derive(f).PropertyData }, 430, 470},
		{"equity", func(f *index.Filing) bool { return index.Derive(f).HasEquity }, 300, 470},
		{"no city but the one in the address", func(f *index.Filing) bool { return !f.Has(index.City) && index.Derive(f).City != "" }, 50, 150},
		{"residential", category("residential"), 350, 700},
		{"commercial", category("commercial"), 50, 200},
		{"multi_family", category("multi_family"), 30, 150},
		{"land", category("land"), 80, 250},
		{"two categories", func(f *index.Filing) bool { return len(f.Categories) > 1 }, 10, 100},
		{"active foreclosures", text(index.ForeclosureStatus, "Active", "Auction", "Lis Pendens"), 5, 100},
		{"other foreclosures", text(index.ForeclosureStatus, "Released", "Sold"), 5, 100},
		{"$0", amount(func(v float64) bool { return v == 0 }), 1, 20},
		{"credits", amount(func(v float64) bool { return v < 0 }), 1, 20},
		{"small amounts", amount(func(v float64) bool { return v > 0 && v < 1_000 }), 200, 500},
		{"large amounts", amount(func(v float64) bool { return v > 100_000 }), 1, 30},
		{"batch day", text(index.FilingDate, "2026-01-10"), 30, 60},
	} {
		if got := perMille(filings, test.so); got < test.low || got > test.high {
			t.Errorf("%s: %d of 1000, want %d to %d", test.name, got, test.low, test.high)
		}
	}
}

func TestNext_Variety(t *testing.T) {
	t.Parallel()
	filings := sample(synthetic.New(1))
	for _, test := range []struct {
		field     index.Field
		low, high int
	}{
		{index.County, 55, 70}, {index.FilingType, 10, 10}, {index.ForeclosureStatus, 10, 10}, {index.FilingDate, 1_500, 2_190},
		{index.DateRange, 70, 130}, {index.Owner, 8_000, 15_000}, {index.PropertyType, 7, 7}, {index.CaseNumber, 19_000, sampled},
	} {
		values := map[string]bool{}
		for _, f := range filings {
			values[f.Text(test.field)] = true
		}
		delete(values, "")
		if n := len(values); n < test.low || n > test.high {
			t.Errorf("%v: %d values, want %d to %d", test.field, n, test.low, test.high)
		}
	}
}

// Every word of rule A2 is in some owner's name, and so is every word that must not be taken for one.
func TestNext_A2_EveryWord(t *testing.T) {
	t.Parallel()
	var owners strings.Builder
	for _, f := range sample(synthetic.New(1)) {
		owners.WriteString("|" + strings.ToUpper(f.Text(index.Owner)) + "|")
	}
	for _, words := range []string{" TRUST|", " TRUSTS|", " TRUSTEE|", " TRUSTEES|", " TR|", " TTEE|", "|ESTATE OF ", "|EST OF ",
		" ESTATE|", "|HEIRS OF ", " HEIRS & ", " REAL ESTATE|", " REAL ESTATE LLC|", " REAL ESTATE CORP|", " ESTATES LLC|",
		" LP|", " LTD|", " INC|"} {
		if !strings.Contains(owners.String(), words) {
			t.Errorf("no owner has %q", words)
		}
	}
}

func TestNextUntil_End(t *testing.T) {
	t.Parallel()
	end := time.Date(2031, 5, 6, 7, 8, 9, 123_456_789, time.FixedZone("west", -5*3600))
	filings := sample(synthetic.NewUntil(1, end))
	last := end.UTC().Format(time.DateOnly)
	for _, f := range filings {
		if f.CreatedAt.After(end) || f.Text(index.FilingDate) > last {
			t.Fatalf("filing %d is of %v and was added %v", f.ID, f.Text(index.FilingDate), f.CreatedAt)
		}
	}
	week := perMille(filings, func(f *index.Filing) bool { return f.CreatedAt.After(end.AddDate(0, 0, -7)) })
	month := perMille(filings, func(f *index.Filing) bool { return f.CreatedAt.After(end.AddDate(0, 0, -30)) })
	if week < 5 || month <= week || month > 200 {
		t.Errorf("added in the last week %d, in the last month %d of 1000", week, month)
	}
}

func TestNext_OnlyReservedContacts(t *testing.T) {
	t.Parallel()
	phone := regexp.MustCompile(`^\([2-9]\d\d\) 555-01\d\d$`)
	email := regexp.MustCompile(`^[a-z]+\.[a-z]\d\d@example\.(com|org)$`)
	for _, f := range sample(synthetic.New(2)) {
		for field, form := range map[index.Field]*regexp.Regexp{
			index.OwnerPhonePrimary: phone, index.OwnerPhoneSecondary: phone,
			index.OwnerEmailPrimary: email, index.OwnerEmailSecondary: email,
		} {
			if s := f.Text(field); s != "" && !form.MatchString(s) {
				t.Fatalf("%v %q", field, s)
			}
		}
	}
}

func TestNext_ReusesTheFiling(t *testing.T) {
	t.Parallel()
	one, other := synthetic.New(1), synthetic.New(1)
	var reused index.Filing
	for range 500 {
		var fresh index.Filing
		one.Next(&reused)
		other.Next(&fresh)
		if a, b := synthetic.AppendLoad(nil, &reused), synthetic.AppendLoad(nil, &fresh); !bytes.Equal(a, b) {
			t.Fatalf("reused: %s\n fresh: %s", a, b)
		}
	}
}
