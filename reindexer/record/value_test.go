package record

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

// TestL3L4_Values gives one value beside a good id and county, and wants it back or rejected.
func TestL3L4_Values(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule   string
		field  string
		in     string // JSON
		want   any    // nil: missing
		reason string // not "": rejected
	}{
		{"L3 empty text is missing", "owner", `""`, nil, ""},
		{"L3 null is missing", "owner", `null`, nil, ""},
		{"L3 null amount is missing", "filingAmount", `null`, nil, ""},
		{"L3 empty amount is missing", "filingAmount", `""`, nil, ""},
		{"L3 no categories are missing", "categories", `[]`, nil, ""},
		{"L3 empty categories are missing", "categories", `""`, nil, ""},
		{"L3 null date is missing", "filingDate", `null`, nil, ""},

		{"L4 leap day", "filingDate", `"2024-02-29"`, "2024-02-29", ""},
		{"L4 no leap day", "filingDate", `"2023-02-29"`, nil, `"2023-02-29" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 century is no leap year", "filingDate", `"1900-02-29"`, nil, `"1900-02-29" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 fourth century is one", "filingDate", `"2000-02-29"`, "2000-02-29", ""},
		{"L4 first day", "filingDate", `"1600-01-01"`, "1600-01-01", ""},
		{"L4 day before", "filingDate", `"1599-12-31"`, nil, `"1599-12-31" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 last day", "filingDate", `"2999-12-31"`, "2999-12-31", ""},
		{"L4 day after", "filingDate", `"3000-01-01"`, nil, `"3000-01-01" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 month 0", "filingDate", `"2024-00-10"`, nil, `"2024-00-10" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 month 13", "filingDate", `"2024-13-10"`, nil, `"2024-13-10" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 day 31 of April", "filingDate", `"2024-04-31"`, nil, `"2024-04-31" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 date with time", "filingDate", `"2024-04-30T00:00:00Z"`, nil, `"2024-04-30T00:00:00Z" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 date without zero", "filingDate", `"2024-4-3"`, nil, `"2024-4-3" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 date in other digits", "filingDate", `"２024-04-3"`, nil, `"２024-04-3" is not a day YYYY-MM-DD from 1600 to 2999`},
		{"L4 number as date", "lastSaleDate", `20240430`, nil, `the number 20240430 is not text`},

		{"L4 date range", "dateRange", `"2024-01-01 to 2024-01-01"`, "2024-01-01 to 2024-01-01", ""},
		{"L4 date range backwards", "dateRange", `"2024-01-02 to 2024-01-01"`, nil, `"2024-01-02 to 2024-01-01" is not "YYYY-MM-DD to YYYY-MM-DD", the start first`},
		{"L4 date range without to", "dateRange", `"2024-01-01 - 2024-01-02"`, nil, `"2024-01-01 - 2024-01-02" is not "YYYY-MM-DD to YYYY-MM-DD", the start first`},

		{"L4 time", "createdAt", `"2024-05-06T07:08:09Z"`, "2024-05-06T07:08:09Z", ""},
		{"L4 time is cut to microseconds", "createdAt", `"2024-05-06T07:08:09.9999999Z"`, "2024-05-06T07:08:09.999999Z", ""},
		{"L4 time without zone", "createdAt", `"2024-05-06T07:08:09"`, nil, `the text "2024-05-06T07:08:09" is not an RFC 3339 time such as 2024-01-31T23:59:59Z, years 1600 to 2999`},
		{"L4 time of year 0", "createdAt", `"0001-01-01T00:00:00Z"`, nil, `the text "0001-01-01T00:00:00Z" is not an RFC 3339 time such as 2024-01-31T23:59:59Z, years 1600 to 2999`},

		{"L4 negative filingAmount", "filingAmount", `-0.01`, -0.01, ""},
		{"L4 negative currentAmount", "currentAmount", `-1`, -1.0, ""},
		{"L4 negative homeEquityEstimate", "homeEquityEstimate", `-1.005`, -1.005, ""},
		{"L4 negative estimatedValue", "estimatedValue", `-1`, nil, "the number -1 is below 0"},
		{"L4 negative acres", "lotSizeAcres", `-0.5`, nil, "the number -0.5 is below 0"},
		{"L4 negative zero", "lotSizeAcres", `-0`, 0.0, ""},
		{"L4 infinite", "estimatedValue", `1e999`, nil, "the number 1e999 is too large"},
		{"L4 infinite below", "homeEquityEstimate", `-1e999`, nil, "the number -1e999 is too large"},
		{"L4 infinite amount", "filingAmount", `1e999`, nil, "the number 1e999 is too large"},
		{"L4 exponent", "estimatedValue", `1.5E+3`, 1500.0, ""},
		{"L4 tiny", "estimatedValue", `1e-999`, 0.0, ""},
		{"L4 number as text", "filingAmount", `"12.50"`, nil, `the text "12.50" is not a number`},
		{"L4 boolean as number", "bedrooms", `true`, nil, "the boolean true is not a number"},
		{"L4 object as number", "bedrooms", `{"n":3}`, nil, "an object is not a number"},
		{"L4 list as text", "owner", `["a"]`, nil, "a list is not text"},
		{"L4 number as text field", "caseNumber", `12`, nil, "the number 12 is not text"},
		{"L4 boolean as text", "owner", `false`, nil, "the boolean false is not text"},

		{"L4 yearBuilt with decimals", "yearBuilt", `1987.5`, nil, "the number 1987.5 is not an integer from 0 to 9007199254740992, without decimals"},
		{"L4 yearBuilt with zero decimals", "yearBuilt", `1987.0`, nil, "the number 1987.0 is not an integer from 0 to 9007199254740992, without decimals"},
		{"L4 yearBuilt with exponent", "yearBuilt", `1.987e3`, nil, "the number 1.987e3 is not an integer from 0 to 9007199254740992, without decimals"},
		{"L4 yearBuilt below 0", "yearBuilt", `-1`, nil, "the number -1 is not an integer from 0 to 9007199254740992, without decimals"},
		{"L4 yearBuilt as text", "yearBuilt", `"1987"`, nil, `the text "1987" is not an integer from 0 to 9007199254740992, without decimals`},

		{"L4 categories", "categories", `["land","residential"]`, []any{"land", "residential"}, ""},
		{"L4 other category", "categories", `["land","House"]`, nil, `"House" is not one of residential, commercial, multi_family, land`},
		{"L4 empty category", "categories", `[""]`, nil, `"" is not one of residential, commercial, multi_family, land`},
		{"L4 category as text", "categories", `"land"`, nil, `the text "land" is not a list of texts`},
		{"L4 category as number", "categories", `["land",1]`, nil, "a list is not a list of texts"},

		{"L4 NUL", "owner", `"a\u0000b"`, nil, "has a NUL character"},
		{"L4 other control characters", "owner", `"a\u0001\tb"`, "a\u0001\tb", ""},
		{"L4 lone surrogate", "owner", `"\ud800"`, nil, "has a lone surrogate, which is no character"},
		{"L4 second half first", "owner", `"\udc00\ud800"`, nil, "has a lone surrogate, which is no character"},
		{"L4 half and a character", "owner", `"\ud800\u0041"`, nil, "has a lone surrogate, which is no character"},
		{"L4 surrogate pair", "owner", `"\ud83c\udf1e"`, "\U0001f31e", ""},
		{"L4 longest text", "owner", `"` + strings.Repeat("é", 8000) + `"`, strings.Repeat("é", 8000), ""},
		{"L4 longer text", "owner", `"` + strings.Repeat("é", 8001) + `"`, nil, "has 8001 characters; at most 8000 are allowed"},
		{"L4 longest summary", "aiSummary", `"` + strings.Repeat("é", 100000) + `"`, strings.Repeat("é", 100000), ""},
		{"L4 longer summary", "aiSummary", `"` + strings.Repeat("é", 100001) + `"`, nil, "has 100001 characters; at most 100000 are allowed"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			text := `{"` + test.field + `":` + test.in + `,"id":5,"county":"Orange, FL"}`
			if test.reason != "" {
				f, got := parse(text, Rules{})
				if diff := cmp.Diff(Result{Field: test.field, Reason: test.reason}, got); diff != "" || f.ID != 5 {
					t.Errorf("id %d, result (-want +got):\n%s", f.ID, diff)
				}
				return
			}
			got := values(t, good(t, text))[test.field]
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.field, diff)
			}
		})
	}
}

// TestL3L4_Records gives whole records.
func TestL3L4_Records(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule, in, field, reason string
	}{
		{"L3 least", `{"id":1,"county":"A, FL"}`, "", ""},
		{"L3 id missing", `{"county":"A, FL"}`, "id", "is missing"},
		{"L3 id null", `{"id":null,"county":"A, FL"}`, "id", "is missing"},
		{"L3 id 0", `{"id":0,"county":"A, FL"}`, "id", "the number 0 is not an integer from 1 to 9223372036854775807"},
		{"L3 id below 0", `{"id":-7,"county":"A, FL"}`, "id", "the number -7 is not an integer from 1 to 9223372036854775807"},
		{"L3 id 2^63", `{"id":9223372036854775808,"county":"A, FL"}`, "id", "the number 9223372036854775808 is not an integer from 1 to 9223372036854775807"},
		{"L3 id with exponent", `{"id":1e3,"county":"A, FL"}`, "id", "the number 1e3 is not an integer from 1 to 9223372036854775807"},
		{"L3 id with huge exponent", `{"id":1e999999999,"county":"A, FL"}`, "id", "the number 1e999999999 is not an integer from 1 to 9223372036854775807"},
		{"L3 id with decimals", `{"id":1.0,"county":"A, FL"}`, "id", "the number 1.0 is not an integer from 1 to 9223372036854775807"},
		{"L4 id as text", `{"id":"1","county":"A, FL"}`, "id", `the text "1" is not an integer from 1 to 9223372036854775807`},
		{"L3 county missing", `{"id":1}`, "county", "is missing"},
		{"L3 county empty", `{"id":1,"county":""}`, "county", "is missing"},
		{"L3 county without state", `{"id":1,"county":"Orange"}`, "county", `"Orange" is not "<County>, <ST>" with two capital letters for the state`},
		{"L3 state in lower case", `{"id":1,"county":"Orange, fl"}`, "county", `"Orange, fl" is not "<County>, <ST>" with two capital letters for the state`},
		{"L3 state missing", `{"id":1,"county":"Orange, "}`, "county", `"Orange, " is not "<County>, <ST>" with two capital letters for the state`},
		{"L3 state only", `{"id":1,"county":", FL"}`, "county", `", FL" is not "<County>, <ST>" with two capital letters for the state`},
		{"L3 name blank", `{"id":1,"county":" , FL"}`, "county", `" , FL" is not "<County>, <ST>" with two capital letters for the state`},
		{"L3 name with comma", `{"id":1,"county":"A, B, FL"}`, "", ""},
		{"L3 name with accent", `{"id":1,"county":"Doña Ana, NM"}`, "", ""},
		{"L4 both coordinates", `{"id":1,"county":"A, FL","geocodedLatitude":90,"geocodedLongitude":-180}`, "", ""},
		{"L4 latitude alone", `{"id":1,"county":"A, FL","geocodedLatitude":0}`, "geocodedLongitude", "is missing, but there is a geocodedLatitude"},
		{"L4 longitude alone", `{"id":1,"county":"A, FL","geocodedLongitude":0,"geocodedLatitude":null}`, "geocodedLatitude", "is missing, but there is a geocodedLongitude"},
		{"L4 latitude", `{"id":1,"county":"A, FL","geocodedLatitude":90.0000001,"geocodedLongitude":0}`, "geocodedLatitude", "the number 90.0000001 is not a latitude, -90 to 90"},
		{"L4 longitude", `{"id":1,"county":"A, FL","geocodedLatitude":0,"geocodedLongitude":-181}`, "geocodedLongitude", "the number -181 is not a longitude, -180 to 180"},
		{"L4 deleted", `{"id":1,"county":"A, FL","deleted":false}`, "deleted", "is only for --update; a full load or --replace already removes filings that the source lacks"},
		{"L4 first fault counts", `{"id":1,"county":"A","owner":5}`, "county", `"A" is not "<County>, <ST>" with two capital letters for the state`},
		{"L4 name twice", `{"id":1,"county":"A, FL","owner":"a","owner":"a"}`, "owner", "appears twice"},
		{"L4 name twice, once null", `{"id":1,"county":"A, FL","owner":null,"owner":"a"}`, "owner", "appears twice"},
		{"L4 name twice, once escaped", `{"id":1,"county":"A, FL","o\u0077ner":"a","owner":"a"}`, "owner", "appears twice"},
		{"L4 unknown name twice", `{"id":1,"county":"A, FL","x":1,"x":1}`, "x", "appears twice"},
		{"L4 not UTF-8", "{\"id\":1,\"county\":\"A, FL\",\"owner\":\"\xff\"}", "owner", "has text that is not UTF-8"},
		{"L4 surrogate as UTF-8", "{\"id\":1,\"county\":\"\xed\xa0\x80, FL\"}", "county", "has text that is not UTF-8"},
		{"L4 list", `[{"id":1,"county":"A, FL"}]`, "", "a list is no record, which is an object {…}"},
		{"L4 trailing comma", `{"id":1,"county":"A, FL",}`, "", "not JSON at byte 25: invalid character ',' at start of value"},
		{"L4 two objects", `{"id":1,"county":"A, FL"}{"id":2}`, "", "not JSON after byte 25: something follows the record"},
		{"L4 raw control character", "{\"id\":1,\"county\":\"A,\tFL\"}", "", "not JSON at byte 21: invalid character '\\t' in string (expecting non-control character)"},
		{"L4 leading zero", `{"id":01,"county":"A, FL"}`, "", "not JSON at byte 8: invalid character '1' after object value (expecting ',' or '}')"},
		{"L4 NaN", `{"id":1,"county":"A, FL","filingAmount":NaN}`, "", "not JSON at byte 41: invalid character 'N' at start of value"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			_, got := parse(test.in, Rules{})
			if diff := cmp.Diff(Result{Field: test.field, Reason: test.reason}, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestL4_AmountsAreRounded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		rounded  int64
		original float64
		current  float64
	}{
		`{"id":1,"county":"A, FL","filingAmount":1.005,"currentAmount":2.675}`: {2, 1.01, 2.68},
		`{"id":2,"county":"A, FL","filingAmount":1.00,"currentAmount":-2.675}`: {1, 1, -2.68},
	} {
		f, got := parse(text, Rules{})
		original, _ := f.Number(index.FilingAmount)
		current, _ := f.Number(index.CurrentAmount)
		if got != (Result{Rounded: want.rounded}) || original != want.original || current != want.current {
			t.Errorf("%s: %v and %v, result %+v", text, original, current, got)
		}
	}
}

// TestX61_Normalized: texts are taken in NFC, and counted if they were not, and keep what else they have. One without a character
// that is seen is none. No county has such a name.
func TestX61_Normalized(t *testing.T) {
	t.Parallel()
	half := index.MaxText/2 + 1
	for in, want := range map[string]struct {
		normalized int64
		owner      string
		reason     string
	}{
		`{"id":1,"county":"Don\u0303a Ana, NM","owner":"Pen\u0303a, Rosa","propertyAddress":"1 Élm St"}`: {2, "Peña, Rosa", ""},
		`{"id":2,"county":"Doña Ana, NM","owner":"PE\u00adÑA’S\u200b – ﬁ"}`:                              {0, "PE\u00adÑA’S\u200b – ﬁ", ""},
		`{"id":3,"county":"A\u200b, FL","owner":"\u200b\u00ad\ufeff"}`:                                   {0, "", ""},
		`{"id":4,"county":"A, FL","owner":" \u200b"}`:                                                    {0, " \u200b", ""},
		`{"id":5,"county":"A, FL","owner":"` + strings.Repeat("n\u0303", half) + `"}`:                    {1, strings.Repeat("ñ", half), ""},
		`{"id":6,"county":"\u200b, FL"}`:                                                                 {0, "", `is not "<County>, <ST>"`},
		`{"id":7,"county":"\u200b A, FL"}`:                                                               {0, "", `is not "<County>, <ST>"`},
		`{"id":8,"county":"A, FL","filingDate":"2026\u201102-03"}`:                                       {0, "", "is not a day"},
	} {
		f, got := parse(in, Rules{})
		if got.Normalized != want.normalized || f.Text(index.Owner) != want.owner || !strings.Contains(got.Reason, want.reason) || (got.Reason == "") != (want.reason == "") {
			t.Errorf("%s: owner %q, result %+v", in, f.Text(index.Owner), got)
		}
	}
}

func TestL6_ReasonsStayShort(t *testing.T) {
	t.Parallel()
	for _, long := range []string{`"` + strings.Repeat("ü", 100_000) + `"`, `1` + strings.Repeat("0", 100_000)} {
		_, got := parse(`{"id":1,"county":"A, FL","filingDate":`+long+`}`, Rules{})
		if got.Reason == "" || len(got.Reason) > 600 {
			t.Errorf("a reason has %d bytes", len(got.Reason))
		}
	}
}
