package reindexer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// countyFile is a file of 100 rows as a county publishes it.
func countyFile(letter, county string) string {
	text := "Case,Owner,Filed,Due,Parcel,Place\n"
	for i := 1; i <= 100; i++ {
		text += fmt.Sprintf("%s-%04d,%s SAMPLE %d,%02d/%02d/2025,%d.50,%d,\"(28.%02d, -81.%02d)\"\n", letter, i, county, i, i%12+1, i%9+1, i, 70_000+i, i%90, i%90)
	}
	return text
}

// countyMap is the mapping of such a file.
func countyMap(county string) string {
	return fmt.Sprintf(`(.Place | point) as $p | {id: id("%s, FL"; .Case), county: "%s, FL", caseNumber: .Case, owner: .Owner, filingType: "Tax Lien",
  filingAmount: (.Due | money), filingDate: (.Filed | date("MM/DD/YYYY")), geocodedLatitude: $p.latitude, geocodedLongitude: $p.longitude}`, county, county)
}

// operated is a load as an operator makes it: two counties, each with a file and a mapping.
type operated struct {
	orange, lake, orangeMap, lakeMap string
	set                              func(*Config, []Input) // nil: a full load of both
}

// each changes the rows of Orange, but for its header.
func (o *operated) each(from, to string) {
	head, rows, _ := strings.Cut(o.orange, "\n")
	o.orange = head + "\n" + regexp.MustCompile("(?m)"+from).ReplaceAllString(rows, to)
}

// inMap changes the mapping of Orange.
func (o *operated) inMap(from, to string) { o.orangeMap = strings.ReplaceAll(o.orangeMap, from, to) }

// operatorMistakes are what an operator does wrong, and what the load says. Those without a kind of error are promoted, with a warning.
var operatorMistakes = []struct {
	name string
	make func(o *operated)
	kind error
	says string
}{
	{"the files of two counties are swapped", func(o *operated) { o.orange, o.lake = o.lake, o.orange }, ErrRenewed, "100 of 100 filings of Lake, FL are gone"},
	{"one file is loaded for both counties", func(o *operated) { o.lake = o.orange }, ErrRenewed, "filings of Lake, FL are gone"},
	{"a spreadsheet took the zeros of the case numbers", func(o *operated) { o.each("^O-0+", "O-") }, ErrRenewed, "filings of Orange, FL are gone"},
	{"case numbers are padded with blanks", func(o *operated) { o.each("^(O-[0-9]+),", "$1   ,") }, nil, "100 of 100 filings of Orange, FL have other values than before"},
	{"case numbers are in lower case", func(o *operated) { o.each("^O-", "o-") }, ErrRenewed, "filings of Orange, FL are gone"},
	{"case numbers lost their hyphen", func(o *operated) { o.each("^O-", "O") }, ErrRenewed, "filings of Orange, FL are gone"},
	{"the id is made of another column too", func(o *operated) { o.inMap("; .Case)", "; .Case; .Owner)") }, ErrRenewed, "filings of Orange, FL are gone"},
	{"the county's name in the id is written in another way", func(o *operated) { o.inMap(`id("Orange, FL"`, `id("Orange"`) }, ErrRenewed, "filings of Orange, FL are gone"},
	{"the same file once more, under another id", func(o *operated) {
		o.inMap(`{id: id("Orange, FL"; .Case)`, `{id: (id("Orange, FL"; .Case), id("Orange"; .Case))`)
	}, nil, "Orange, FL has 200 filings, and had 100"},
	{"last year's rows are still in the file, under other numbers", func(o *operated) {
		o.orange += strings.ReplaceAll(strings.Join(strings.SplitAfter(o.orange, "\n")[1:], ""), "O-", "P-")
	}, nil, "Orange, FL has 200 filings, and had 100"},
	{"amounts are in cents", func(o *operated) { o.each(`,(\d+)\.50,`, ",${1}50,") }, ErrValues, "the median filingAmount of Orange, FL is 5050, and was 50.5"},
	{"amounts are in thousands", func(o *operated) { o.each(`,(\d+)\.50,`, ",0.0$1,") }, ErrValues, "the median filingAmount of Orange, FL is"},
	{"amounts are all 0", func(o *operated) { o.each(`,\d+\.50,`, ",0.00,") }, ErrValues, "is 0, and was 50.5"},
	{"the amount is read from the parcel's column", func(o *operated) { o.inMap("(.Due | money)", "(.Parcel | number)") }, ErrValues, "is 70050, and was 50.5"},
	{"most amounts are empty", func(o *operated) { o.each(`,([3-9]\d|\d|100)\.50,`, ",,") }, ErrEmptied, "of 100 filings of Orange, FL have filingAmount, and 100 of 100 had"},
	{"an unexpected word hides most amounts", func(o *operated) {
		o.each(`,(\d+)\.50,`, ",USD $1.50,")
		o.inMap("(.Due | money)", "(.Due | try money catch null)")
	}, ErrEmptied, "0 of 100 filings of Orange, FL have filingAmount"},
	{"the amount's field is mistyped", func(o *operated) { o.inMap("filingAmount:", "fillingAmount:") }, ErrUsage, `no field has the name "fillingAmount"; is "filingAmount" meant?`},
	{"owners are gone for half of the rows and more", func(o *operated) { o.each(`,ORANGE SAMPLE [1-6]\d*,`, ",,") }, ErrEmptied, "filings of Orange, FL have owner"},
	{"years are typed the wrong way round", func(o *operated) { o.each("/2025,", "/2052,") }, ErrValues, "100 of 100 dates of Orange, FL lie after today"},
	{"the date is that of a hearing to come", func(o *operated) { o.each(`,\d\d/\d\d/2025,`, ",04/15/2026,") }, ErrValues, "dates of Orange, FL lie after today"},
	{"days and months change places", func(o *operated) { o.inMap(`"MM/DD/YYYY"`, `"DD/MM/YYYY"`) }, ErrValues, "the newest filing of Orange, FL is of 2025-09-12, and there is one of 2025-12-09"},
	{"it is last year's file", func(o *operated) { o.each("/2025,", "/2024,") }, ErrValues, "the newest filing of Orange, FL is of 2024-12-09, and there is one of 2025-12-09"},
	{"it is last month's file", func(o *operated) { o.each("(?:^.*,12/0[2-9]/2025,.*\n|^.*,11/0[3-9]/2025,.*\n)", "") }, ErrValues, "the newest filing of Orange, FL is of"},
	{"latitude and longitude change places", func(o *operated) {
		o.inMap("geocodedLatitude: $p.latitude, geocodedLongitude: $p.longitude", "geocodedLatitude: $p.longitude, geocodedLongitude: $p.latitude")
	}, nil, "points outside of the United States: 100"},
	{"longitudes lost their sign", func(o *operated) { o.each(`, -81`, ", 81") }, nil, "points outside of the United States: 100"},
	{"two columns change places", func(o *operated) { o.inMap("caseNumber: .Case, owner: .Owner", "caseNumber: .Owner, owner: .Case") }, nil, "100 of 100 filings of Orange, FL have other values than before"},
	{"rows are sorted in one column alone", func(o *operated) {
		rows := strings.Split(o.orange, "\n")
		for i := 1; i <= 100; i++ {
			rows[i] = regexp.MustCompile(`SAMPLE \d+`).ReplaceAllString(rows[i], fmt.Sprintf("SAMPLE %d", 101-i))
		}
		o.orange = strings.Join(rows, "\n")
	}, nil, "100 of 100 filings of Orange, FL have other values than before"},
	{"a county is not in the load", func(o *operated) { o.set = func(c *Config, all []Input) { c.Inputs = all[:1] } }, ErrShrunk, "0 instead of 100 of Lake, FL"},
	{"a county is not in the load, with --force", func(o *operated) {
		o.set = func(c *Config, all []Input) { c.Inputs, c.MaxShrink = all[:1], 100 }
	}, nil, "Lake, FL has no filing any more, and had 100"},
	{"the mapping was copied, with the other county's name", func(o *operated) { o.lakeMap = strings.ReplaceAll(o.lakeMap, "Lake, FL", "Orange, FL") }, ErrShrunk, "0 instead of 100 of Lake, FL"},
	{"the county is of another state", func(o *operated) { o.inMap(`county: "Orange, FL"`, `county: "Orange, TX"`) }, ErrShrunk, "0 instead of 100 of Orange, FL"},
	{"a condition leaves out most rows", func(o *operated) { o.orangeMap = `select(.Due | money > 60) | ` + o.orangeMap }, ErrShrunk, "of Orange, FL"},
	{"errors are caught, and their rows lost", func(o *operated) {
		o.each(`,([3-9]\d|\d)\.50,`, ",n/k,")
		o.inMap("(.Due | money)", "(try (.Due | money))")
	}, ErrShrunk, "of Orange, FL"},
	{"the download was cut at its first part", func(o *operated) { o.orange = strings.Join(strings.SplitAfter(o.orange, "\n")[:40], "") }, ErrShrunk, "39 instead of 100 of Orange, FL"},
	{"the download was cut within its last amount", func(o *operated) {
		o.orange = regexp.MustCompile(`,\d+,"[^"]*"(\n|$)`).ReplaceAllString(strings.Replace(o.orange, ",Parcel,Place", "", 1), "$1")
		o.orange, o.orangeMap = strings.TrimSuffix(o.orange, ".50\n"), strings.Replace(strings.Replace(o.orangeMap, "(.Place | point) as $p | ", "", 1), ", geocodedLatitude: $p.latitude, geocodedLongitude: $p.longitude", "", 1)
		o.set = func(c *Config, all []Input) {
			c.Inputs, c.MayChange = all, []string{"geocodedLatitude", "geocodedLongitude"}
		}
	}, nil, "has no line end, and all others have one"},
	{"the export was empty", func(o *operated) { o.orange = o.orange[:strings.Index(o.orange, "\n")+1] }, ErrNoRows, "it has a header and no rows"},
	{"a page of the web server was saved", func(o *operated) { o.orange = "<!DOCTYPE html>\n<html><body>Please log in</body></html>\n" }, ErrSource, "HTML page"},
	{"a column has another name this month", func(o *operated) { o.orange = strings.Replace(o.orange, "Due,", "Amount Due,", 1) }, ErrUsage, `has no column "Due"`},
	{"names are in another encoding", func(o *operated) { o.each("SAMPLE 7,", "PE\xd1A,") }, ErrRejected, "1 of 200"},
	{"a text has a comma that is not in quotes", func(o *operated) { o.each("ORANGE SAMPLE 7,", "SAMPLE, ORANGE 7,") }, ErrRejected, "1 of 200"},
	{"a list of new filings is loaded as a full file", func(o *operated) { o.orange = strings.Join(strings.SplitAfter(o.orange, "\n")[:4], "") }, ErrShrunk, "3 instead of 100 of Orange, FL"},
	{"a whole file of other ids is loaded as an update", func(o *operated) {
		o.each("^O-0+", "O-")
		o.set = func(c *Config, all []Input) { c.Inputs, c.Update = all[:1], true }
	}, nil, "Orange, FL has 200 filings, and had 100"},
	{"another county's file replaces this one", func(o *operated) {
		o.set = func(c *Config, all []Input) { c.Inputs, c.Replace = all[1:], []string{"Orange, FL"} }
	}, ErrRejected, "100 of 100"},
	{"an update has the other county's name", func(o *operated) {
		o.inMap(`county: "Orange, FL"`, `county: "Lake, FL"`)
		o.set = func(c *Config, all []Input) { c.Inputs, c.Update = all[:1], true }
	}, ErrShrunk, "0 instead of 100 of Orange, FL"},
	{"the id is of a column that repeats", func(o *operated) { o.inMap("; .Case)", "; .Filed)") }, ErrRejected, "64 of 200"},
	{"the export has each row twice", func(o *operated) { o.orange += o.orange[strings.Index(o.orange, "\n")+1:] }, nil, "count once: 100"},
	{"a mapping still has a word that inspect left", func(o *operated) { o.inMap(`"Tax Lien"`, `"Filing type"`) }, ErrUsage, `"Filing type" stands for a type`},
	{"a form of dates that the file does not have", func(o *operated) { o.inMap(`"MM/DD/YYYY"`, `"YYYY-MM-DD"`) }, ErrRejected, "100 of 200"},
	{"a bracket is missing in the mapping", func(o *operated) { o.orangeMap = strings.TrimSuffix(o.orangeMap, "}") }, ErrUsage, "unexpected EOF"},
}

// TestX68_Mistakes: mistakes of an operator, each made on a live service of two counties. None makes wrong data live without a
// word. The record of trials has a row for each.
func TestX68_Mistakes(t *testing.T) {
	t.Parallel()
	right := operated{countyFile("O", "ORANGE"), countyFile("L", "LAKE"), countyMap("Orange"), countyMap("Lake"), nil}
	record, err := os.ReadFile("../docs/records/tested.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, mistake := range operatorMistakes {
		answer := "a warning"
		if mistake.kind != nil {
			answer = "refused"
		}
		if row := fmt.Sprintf("\n| %s | %s: `%s` |\n", mistake.name, answer, mistake.says); !strings.Contains(string(record), row) {
			t.Errorf("the record of trials lacks the row%s", row)
		}
		t.Run(mistake.name, func(t *testing.T) {
			t.Parallel()
			store := embeddedStore(t)
			load := func(o operated) (Report, error) {
				dir, cfg := t.TempDir(), config(t, store, "")
				var all []Input
				for _, county := range [][3]string{{"orange.csv", o.orange, o.orangeMap}, {"lake.csv", o.lake, o.lakeMap}} {
					path := filepath.Join(dir, county[0])
					if err := os.WriteFile(path, []byte(county[1]), 0o600); err != nil {
						t.Fatal(err)
					}
					all = append(all, mappedBy("m.jq", county[2], path)...)
				}
				if cfg.Inputs = all; o.set != nil {
					o.set(&cfg, all)
				}
				return Run(t.Context(), cfg)
			}
			if _, err := load(right); err != nil {
				t.Fatal(err)
			}
			wrong := right
			mistake.make(&wrong)
			before := liveName(t, store)
			report, err := load(wrong)
			said := fmt.Sprint(err, report.Warnings)
			if mistake.kind == nil && err != nil || !errors.Is(err, mistake.kind) || !strings.Contains(said, mistake.says) {
				t.Errorf("%s\nwant %v: %s", said, mistake.kind, mistake.says)
			}
			if mistake.kind != nil && (report.Promoted || liveName(t, store) != before) {
				t.Errorf("it was promoted: %+v", report)
			}
		})
	}
}
