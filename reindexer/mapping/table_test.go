package mapping

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const orangeTable = `field,column
id,Case number; Year
county,"""Orange, FL"""
caseNumber,Case number
owner,Purchaser
# owner,Seller
filingType,"""Tax Sale"""
filingAmount,money: Winning Bid
currentAmount,money or nothing: Due
filingDate,date MM/DD/YYYY or YYYY-MM-DD: Date Sold
propertyAddress,"join: Street; City; ""FL"""
geocodedLatitude,latitude: Place
geocodedLongitude,Longitude: Place
filingHolder,
`

// TestX20_Table: a table is the program that a person would write, and names its cells where something is wrong.
func TestX20_Table(t *testing.T) {
	t.Parallel()
	rows, err := readTable(orangeTable)
	if err != nil {
		t.Fatal(err)
	}
	const want = `"Orange, FL" as $county | {
  id: id($county; ."Case number"; .Year),
  county: $county,
  caseNumber: (."Case number" | text),
  owner: (.Purchaser | text),
  filingType: "Tax Sale",
  filingAmount: (."Winning Bid" | money),
  currentAmount: (.Due | try money catch unread),
  filingDate: (."Date Sold" | date("MM/DD/YYYY"; "YYYY-MM-DD")),
  propertyAddress: text(.Street; .City; "FL"),
  geocodedLatitude: (.Place | (point | .latitude?)),
  geocodedLongitude: (.Place | (point | .longitude?))
}
`
	if got, err := ProgramOf(rows); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, table := range []string{orangeTable, "\ufeff" + strings.ReplaceAll(orangeTable, "\n", "\r\n"), `field;column
id;"Case number; Year"
county;"""Orange, FL"""
filingAmount;money: Winning Bid
filingDate;date MM/DD/YYYY: Date Sold
`} {
		p, err := CompileTable("county.csv", table, today)
		if err != nil {
			t.Fatal(err)
		}
		records, err := p.Run(map[string]any{"Case number": "K-1", "Year": json.Number("2017"), "Winning Bid": "$1.50", "Due": "see note", "Date Sold": "8/21/2017", "Street": "1 ELM", "Place": ""})
		if err != nil || len(records) != 1 || records[0]["county"] != "Orange, FL" || records[0]["filingAmount"] != 1.5 || records[0]["filingDate"] != "2017-08-21" {
			t.Errorf("%v, %v", records, err)
		}
	}
}

// TestX20_TableOfTwoLines: a name of two lines, as the header of a spreadsheet may have, is read as one of one line is.
func TestX20_TableOfTwoLines(t *testing.T) {
	t.Parallel()
	table := strings.NewReplacer("money: Winning Bid", "\"money: Winning\nBid\"", "join: Street", "join: Street\nname").Replace(orangeTable)
	p, err := CompileTable("county.csv", table, today)
	if err != nil {
		t.Fatal(err)
	}
	records, err := p.Run(map[string]any{"Case number": "K-1", "Year": "2017", "Winning\nBid": "$1.50", "Street\nname": "1 ELM", "City": "X"})
	if err != nil || len(records) != 1 || records[0]["filingAmount"] != 1.5 || records[0]["propertyAddress"] != "1 ELM, X, FL" {
		t.Errorf("%v, %v", records, err)
	}
}

// TestX42_TablePlaces: what a table's program reads, and where it fails, are places in the table.
func TestX42_TablePlaces(t *testing.T) {
	t.Parallel()
	p, err := CompileTable("county.csv", orangeTable, today)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(p.Reads()), `[{Case number 2:2} {Year 2:2} {Purchaser 5:2} {Winning Bid 8:2} {Due 9:2} {Date Sold 10:2} {Street 11:2} {City 11:2} {Place 12:2}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, err = p.Run(map[string]any{"Case number": "K-1", "Year": "2017", "Winning Bid": "five"})
	if err == nil || err.Error() != `the mapping fails: money cannot read "five"; it reads amounts such as "$1,234.50" and "(12.00)"` {
		t.Error(err)
	}
	for table, want := range map[string]string{
		"":                        "county.csv:1:1: a table begins with the header field,column",
		"id,Case\n":               "county.csv:1:1: a table begins with the header field,column",
		"field,column\nid,Case\n": "county.csv:1:1: it lacks a row of county",
		"field,column\ncounty,\"\"\"Orange, FL\"\"\"\n":                      "county.csv:1:1: it lacks a row of id",
		"field,column\nid,A\ncounty,\"\"\"County, ST\"\"\"\n":                `county.csv:3:2: "County, ST" stands for a county`,
		"field,column\nid,A\ncounty,B\nfilingType,\"\"\"Filing type\"\"\"\n": `county.csv:4:2: "Filing type" stands for a type`,
		"field,column\nid,A\ncounty,B\nfilingamuont,C\n":                     `county.csv:4:1: "filingamuont" is no field of a record`,
		"field,column\nid,A\ncounty,B\nid,C\n":                               `county.csv:4:1: there is a row of id above`,
		"field,column\nid,A\ncounty,B\nowner,C; D\n":                         `county.csv:4:2: owner: one column is read, or several with "join: C; D"`,
		"field,column\nid,A\ncounty,B\nfilingDate,date: C\n":                 `county.csv:4:2: filingDate: a date needs a form`,
		"field,column\nid,A\ncounty,B\nfilingDate,date MM/DD: C\n":           `county.csv:4:2: date("MM/DD"): a form has a year`,
		"field,column\nid,A\ncounty,B\nfilingAmount,money please: C\n":       `county.csv:4:2: filingAmount: "money please" does not say how`,
		"field,column\nid,A\ncounty,\"B\n":                                   `county.csv: it is not CSV`,
		"field,column\nid,\xe4\n":                                            `county.csv: it is not UTF-8`,
	} {
		if _, err := CompileTable("county.csv", table, today); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", table, err, want)
		}
	}
}

// TestX72_Table: a table says which words are no value, and which rows are records.
func TestX72_Table(t *testing.T) {
	t.Parallel()
	const table = "field,column\nid,Case\ncounty,\"\"\"Orange, FL\"\"\"\nowner,Owner\nfilingAmount,money or nothing: Due\npropertyAddress,\"join: Street; City\"\n"
	for name, tt := range map[string]struct{ rows, row, want string }{
		"a word":             {`nothing,"None, nan"`, `{"Owner": " none", "Street": "nan", "City": "X", "Due": "NaN"}`, `null null "X"`},
		"words by semicolon": {`nothing,"see note; (null)"`, `{"Owner": "(null)", "Due": "See Note"}`, `null null null`},
		"an error":           {``, `{"Owner": "#REF!", "Street": "#N/A", "City": " X "}`, `null null "X"`},
		"no such word":       {`nothing,None`, `{"Owner": "None Such", "Due": "5"}`, `"None Such" 5 null`},
		"of an id":           {`nothing,K-1`, `{"Owner": "A"}`, `id needs all of its texts`},
		"a row that is":      {`where,Status = OPEN`, `{"Status": "Open ", "Owner": "A"}`, `"A" null null`},
		"a row that is not":  {`where,Status = OPEN`, `{"Status": "REOPENED", "Owner": "A"}`, `none`},
		"one of several":     {`where,Status=OPEN; Active`, `{"Status": "ACTIVE", "Owner": "A"}`, `"A" null null`},
		"all but":            {`where,Status != PAID`, `{"Status": "paid", "Owner": "A"}`, `none`},
		"all but, and is":    {`where,Status != PAID`, `{"Status": "due", "Owner": "A"}`, `"A" null null`},
		"empty":              {`where,Status =`, `{"Status": "N/A", "Owner": "A"}`, `"A" null null`},
		"not empty":          {`where,Status !=`, `{"Status": " ", "Owner": "A"}`, `none`},
		"two conditions":     {"where,Status = OPEN\nwhere,Kind != Fee", `{"Status": "OPEN", "Kind": "FEE", "Owner": "A"}`, `none`},
		"a number":           {`where,Status = 1`, `{"Status": 1, "Owner": "A"}`, `"A" null null`},
		"a nested column":    {`where,.x.Status = OPEN`, `{"x": {"Status": "OPEN"}, "Owner": "A"}`, `"A" null null`},
		"no condition":       {`where,Status`, ``, `county.csv:7:2: "Status" is no condition`},
	} {
		p, err := CompileTable("county.csv", table+tt.rows+"\n", today)
		got := fmt.Sprint(err)
		if err == nil {
			row := map[string]any{}
			if err := json.Unmarshal([]byte(tt.row), &row); err != nil {
				t.Fatal(err)
			}
			row["Case"] = "K-1"
			records, err := p.Run(row)
			if got = fmt.Sprint(err); err == nil && len(records) == 0 {
				got = "none"
			} else if err == nil {
				got = asJSON(records[0]["owner"]) + " " + asJSON(records[0]["filingAmount"]) + " " + asJSON(records[0]["propertyAddress"])
			}
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// TestX20_Expect: a mapping makes of a row what is expected of it, or says which member differs.
func TestX20_Expect(t *testing.T) {
	t.Parallel()
	p, err := CompileTable("county.csv", orangeTable+"where,Status != PAID\n", today)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`[{"row": {"Case number": "K-1", "Year": "2017", "Winning Bid": "$20.00"}, "record": {"filingAmount": 20.0, "owner": null, "county": "Orange, FL"}}]`: "",
		`[{"row": {"Case number": "K-1", "Year": 2017, "Status": "Paid"}, "record": null}]`:                                                                   "",
		`[]`: "",
		`[{"row": {"Case number": "K-1", "Year": "2017", "Winning Bid": "$20.00"}, "record": {"filingAmount": 200}}]`:                                                                                     "expectation 1 of county.csv: filingAmount is 20, and 200 is expected",
		`[{"row": {"Case number": "K-1", "Year": "1"}, "record": {"caseNumber": "K-1"}}, {"row": {"Case number": "K-1", "Year": "1", "Date Sold": "8/21/2017"}, "record": {"filingDate": "2017-08-22"}}]`: `expectation 2 of county.csv: filingDate is "2017-08-21", and "2017-08-22" is expected`,
		`[{"row": {"Case number": "K-1", "Year": "1"}, "record": null}]`:                                                                                                                                  "it makes a record, and none is expected",
		`[{"row": {"Case number": "K-1", "Year": "1", "Status": "PAID"}, "record": {"owner": "A"}}]`:                                                                                                      "it makes 0 records, and one is expected",
		`[{"row": {"Case number": "K-1", "Year": "1", "Winning Bid": "x"}, "record": {"filingAmount": 1}}]`:                                                                                               `money cannot read "x"`,
		`[{"row": {"Case number": "K-1", "Year": "1"}, "record": {}}]`:                                                                                                                                    "its record names no field",
		`[{"row": {"Case number": "K-1", "Year": "1"}}]`:                                                                                                                                                  `it has a "row" and a "record"`,
		`[{"row": {}, "records": {}}]`: `it has to be a list such as`,
		`{"row": {}}`:                  `it has to be a list such as`,
	} {
		all, err := ReadExpectations([]byte(text))
		if err == nil {
			err = p.Expect(all)
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
