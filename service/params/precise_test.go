package params

import (
	"fmt"
	"strings"
	"testing"

	"filings/index"
)

// fails reads a query string that must be refused.
func fails(t *testing.T, on Endpoints, query string, tier index.Tier) string {
	t.Helper()
	table := newTable()
	raw, err := table.Split(endpoint(on), query)
	if err == nil {
		_, err = table.Read(raw, func(string) string { return "7" }, Tiers{Fields: tier, Filters: index.Enterprise}, testNow())
	}
	if err == nil {
		t.Fatalf("%s is taken", query)
	}
	return err.Error()
}

func TestX9_Fields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, want string
		idsOnly     bool
	}{
		{"", "", false},
		{"fields=", "", false},
		{"fields=,+,", "", false},
		{"fields=owner", "id,owner", false},
		{"fields=owner,id,county&fields=owner", "id,county,owner", false},
		{"fields=ownerEmailSecondary", "id,ownerEmailSecondary", false},
		{"fields=id", "id", true},
	} {
		for _, on := range []Endpoints{List, Search, OneFiling} {
			query := tt.query
			if on == Search {
				query = "q=a&" + query
			}
			q, raw, err := newTable().parse(on, query)
			if err != nil || len(raw.Unknown) > 0 {
				t.Fatalf("%s: %v, unknown %v", query, err, raw.Unknown)
			}
			if got := q.Fields.String(); got != tt.want || q.Query.IDsOnly != tt.idsOnly {
				t.Errorf("%s: %q, ids only %t", query, got, q.Query.IDsOnly)
			}
			if named := strings.HasSuffix(q.Text, " fields "+tt.want); named != (tt.want != "") {
				t.Errorf("%s: the canonical text is %s", query, q.Text)
			}
		}
	}
}

func TestX9_Fields_Refused(t *testing.T) {
	t.Parallel()
	all := strings.Join(fieldNames(), ", ")
	for _, tt := range []struct {
		query, want string
		tier        index.Tier
	}{
		{"fields=id,ownr", `fields must be a list of a filing's fields, not "ownr"; did you mean owner?`, index.Free},
		{"fields=OWNER", `fields must be a list of a filing's fields, not "OWNER"; did you mean owner?`, index.Free},
		{"fields=filing_date", `fields must be a list of a filing's fields, not "filing_date"; did you mean filingDate?`, index.Free},
		{"fields=*", `fields must be a list of a filing's fields, not "*"; the fields are ` + all, index.Free},
		{"fields=createdAt", `fields must be a list of a filing's fields, not "createdAt"; the fields are ` + all, index.Enterprise},
		{"fields=city", `fields must be a list of a filing's fields, not "city"; the fields are ` + all, index.Enterprise},
		{"fields=owner,bedrooms", "fields must not have bedrooms with a key of this tier: only the pro tier and above show it", index.Free},
		{"fields=ownerPhonePrimary", "fields must not have ownerPhonePrimary with a key of this tier: only the enterprise tier and above show it", index.Pro},
		{"fields=%ff", "fields must be percent-encoded UTF-8; a semicolon is written %3B", index.Free},
	} {
		for _, on := range []Endpoints{List, OneFiling} {
			if got := fails(t, on, tt.query, tt.tier); got != tt.want {
				t.Errorf("%s: %s\nwant %s", tt.query, got, tt.want)
			}
		}
	}
	for tier, field := range map[index.Tier]string{index.Pro: "bedrooms", index.Enterprise: "ownerPhonePrimary"} {
		raw, err := newTable().Split(endpoint(List), "fields="+field)
		if err == nil {
			_, err = newTable().Read(raw, nil, Tiers{Fields: tier, Filters: index.Free}, testNow())
		}
		if err != nil {
			t.Errorf("%s of %s: %v", field, tier, err)
		}
	}
}

func TestX10_IDs(t *testing.T) {
	t.Parallel()
	ids := make([]string, index.MaxIDs+1)
	for i := range ids {
		ids[i] = fmt.Sprint(i + 1)
	}
	hundred := strings.Join(ids[:index.MaxIDs], ",")
	for _, tt := range []struct{ query, want string }{
		{"ids=", "where "},
		{"ids=3,1,2,1", "where id in (1,2,3)"},
		{"ids=3&ids=1,+3", "where id in (1,3)"},
		{"ids=9223372036854775807", "where id in (9223372036854775807)"},
		{"ids=" + hundred + "&ids=" + hundred, ""}, // each counts once
	} {
		q, _, err := newTable().parse(List, tt.query)
		if err != nil {
			t.Errorf("%.40s: %v", tt.query, err)
		} else if got := q.Query.Where.String(); got != tt.want && tt.want != "" {
			t.Errorf("%s: %s, want %s", tt.query, got, tt.want)
		}
	}
	const must = "ids must be a list of at most 100 ids, which are integers from 1 to 9223372036854775807, not "
	for query, want := range map[string]string{
		"ids=1,x":                       `"x"`,
		"ids=0":                         `"0"`,
		"ids=-1":                        `"-1"`,
		"ids=1.0":                       `"1.0"`,
		"ids=1+2":                       `"1 2"`,
		"ids=9223372036854775808":       `"9223372036854775808"`,
		"ids=" + strings.Join(ids, ","): "101 of them",
	} {
		for _, on := range []Endpoints{List, Search} {
			if got := fails(t, on, "q=a&"+query, index.Free); got != must+want {
				t.Errorf("%.40s: %s", query, got)
			}
		}
	}
}

func TestX11_Exclude(t *testing.T) {
	t.Parallel()
	not := func(counties string) string {
		return "where not (county,countyName) in " + counties
	}
	for _, tt := range []struct{ query, want string }{
		{"exclude_filing_types=", "where "},
		{"exclude_filing_types=Tax Lien,b&exclude_filing_types=B", `where not (filingType) in ("b","tax lien")`},
		{"exclude_categories=land,residential", `where not (categories) in ("land","residential")`},
		{"exclude_counties=Orange, FL;LEE, fl;", not(`("lee, fl","orange, fl")`)},
		{"exclude_counties=Orange, FL&exclude_counties=Lee, FL", not(`("lee, fl","orange, fl")`)},
		{"exclude_counties=Orange", not(`("orange")`)},
		{"exclude_counties=St. Mary, of the Lake, LA", not(`("st. mary, of the lake, la")`)},
		{"exclude_counties=Orange,FL;Lee FL", not(`("lee fl","orange,fl")`)}, // as people write it (rule X30)
		{"exclude_counties=Foo, Bar", not(`("foo, bar")`)},                   // as county has it
		{"exclude_counties=Foo,Bar;Orange, F1", not(`("foo,bar","orange, f1")`)},
		{"owner=Röwangate,  FRANCIS", `where (ownerKey) in ("francis rowangate")`},
		{"holder=Sample Fund, LLC", `where (filingHolder) in ("sample fund, llc")`},
		{"exclude_holders=Sample Fund, LLC;b;&exclude_holders=B", `where not (filingHolder) in ("b","sample fund, llc")`},
		{"filing_type=a&exclude_filing_types=a", `where (filingType) in ("a") and not (filingType) in ("a")`},
	} {
		q, _, err := newTable().parse(List, strings.NewReplacer(";", "%3B", " ", "+").Replace(tt.query))
		if got := q.Query.Where.String(); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.query, got, err, tt.want)
		}
	}
	const counties = "exclude_counties must be a list of counties, as in Orange, FL or Orange, separated by semicolons, not "
	for query, want := range map[string]string{
		"owner=--":                              `owner must be a name, which has a letter or digit, or up to 100 of them, separated by semicolons, not "--"`,
		"exclude_counties=, FL":                 counties + `", FL"`,
		"exclude_counties=Orange,":              counties + `"Orange,"`,
		"exclude_counties=Orange, FL, Lee":      counties + `"Orange, FL, Lee"`,
		"exclude_counties=Orange, FL, Lee, FL":  counties + `"Orange, FL, Lee, FL"`,
		"exclude_categories=residential,houses": `exclude_categories must be a list of residential, commercial, multi_family, land, not "residential,houses"`,
		"exclude_filing_types=%ff":              "exclude_filing_types must be percent-encoded UTF-8; a semicolon is written %3B",
	} {
		if got := fails(t, List, strings.NewReplacer(";", "%3B", " ", "+").Replace(query), index.Free); got != want {
			t.Errorf("%s: %s\nwant %s", query, got, want)
		}
	}
	// Only where they separate counties, semicolons stand for themselves.
	q, _, err := newTable().parse(List, "exclude_counties=Orange,+FL;Lee,+FL")
	if got, want := q.Query.Where.String(), not(`("lee, fl","orange, fl")`); err != nil || got != want {
		t.Errorf("not escaped: %s, %v, want %s", got, err, want)
	}
	if got := fails(t, List, "exclude_categories=land;residential", index.Free); got != "exclude_categories must be percent-encoded UTF-8; a semicolon is written %3B" {
		t.Error(got)
	}
}

// TestX54_Filters: what each text is, or the message that it gets.
func TestX54_Filters(t *testing.T) {
	t.Parallel()
	many := func(name string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "&%s=%05d", name, i)
		}
		return b.String()[1:]
	}
	for query, want := range map[string]string{
		"state=fl":                           `(state) in ("fl")`,
		"state=Florida,+new++york&state=D.C": `(state) in ("dc","fl","ny")`,
		"state=zz":                           `(state) in ("zz")`,
		"zip=32801,+32803&zip=32801":         `(zip) in ("32801","32803")`,
		"min_current_amount=-1.5":            `currentAmount in [-1.5,]`,
		"owner=Fern,+L.L.C.;ASH,+ROWAN&owner=ash,+rowan": `(ownerKey) in ("fern llc","rowan ash")`,
		"address=12+north+elm+Str.;7+Elm+St+%234,+Ocoee,+FL+34761&address=12+N+Elm+St": `(addressKey) in (` +
			`"12 n elm st\x00*\x00*\x00*\x00*",` +
			`"7 elm st\x004\x0034761\x00*\x00*","7 elm st\x004\x00\x00ocoee\x00fl")`,
		"county=Orange,+FL;lee&county=Lake": `(county,countyName) in ("lake","lee","orange, fl")`,
		"added_since=2026-01-31":            "createdAt in [1769817600000000,9223372036854775807]",
		"added_until=2026-01-31":            "createdAt in [-9223372036854775807,1769903999999999]",
		"added_since=2026-01-31T09:30:00%2B01:00&added_until=2026-01-31T08:30:00Z": "createdAt in [1769848200000000,1769848200000000]",
		"added_since=2026-01-31T09:30:00+01:00":                                    "createdAt in [1769848200000000,9223372036854775807]",
		"added_since=2026-01-31T08:30:00.0000001Z":                                 "createdAt in [1769848200000001,9223372036854775807]",
		"added_until=2026-01-31T08:30:00.0000009Z":                                 "createdAt in [-9223372036854775807,1769848200000000]",
		"added_since=1600-01-01":                                                   "createdAt in [-11676096000000000,9223372036854775807]",
	} {
		q, raw, err := newTable().parse(List, query)
		if err != nil || len(raw.Unknown) > 0 || !strings.Contains(q.Text, want) {
			t.Errorf("%s: %s, %v, want %s", query, q.Text, err, want)
		}
	}
	for query, want := range map[string]string{
		"state=Floridia": `state must be a list of states: their codes, such as FL, or their names, not "Floridia"`,
		"zip=3280":       `zip must be a list of at most 100 ZIP codes of five digits, not "3280"`,
		"zip=32801-1234": `zip must be a list of at most 100 ZIP codes of five digits, not "32801-1234"`,
		many("zip", 101): "zip must be a list of at most 100 ZIP codes of five digits, not 101 of them",
		many("owner", 101): "owner must be a name, which has a letter or digit, or up to 100 of them, separated by " +
			"semicolons, not 101 of them",
		many("county", 51): "county must be a list of at most 50, separated by semicolons, not 51 of them",
		"address=Elm+St,+Orlando,+FL": "address must be an address that begins with a house number and a street, such " +
			`as 12 Elm St, Orlando, FL, or up to 100 of them, separated by semicolons, not "Elm St, Orlando, FL"`,
		"added_since=2026-02-30": `added_since must be a day as YYYY-MM-DD, or a time with its zone such as ` +
			`2026-01-31T09:30:00Z, not "2026-02-30"`,
		"added_until=2026-01-31T09:30:00": `added_until must be a day as YYYY-MM-DD, or a time with its zone such as ` +
			`2026-01-31T09:30:00Z, not "2026-01-31T09:30:00"`,
		"added_since=2026-02-02&added_until=2026-02-01": "added_since must not be after added_until",
		"min_current_amount=5&max_current_amount=4":     "min_current_amount must not be above max_current_amount",
	} {
		if got := fails(t, List, query, index.Free); got != want {
			t.Errorf("%s: %s\nwant %s", query, got, want)
		}
	}
	since := "since=20261121-051409.330172&"
	if got := fails(t, Changes, since+"added_since=2026-01-01", index.Free); !strings.Contains(got, "added_since is not supported here, because changes") {
		t.Error(got)
	}
}
