package source

import (
	"archive/zip"
	"bytes"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"filings/index/sorter"
)

// zipped is a zip archive of members: a name and a text each.
func zipped(t testing.TB, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		m, err := w.Create(members[i])
		if err == nil {
			_, err = m.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestX44_Member: of a zip archive its only member is read, or the one that --member names, in the form that its name says.
func TestX44_Member(t *testing.T) {
	t.Parallel()
	csv := "id,county\n1,\"Orange, FL\"\n"
	several := zipped(t, "liens/", "", "liens/2025.csv", csv, "notes.txt", "hello", "__MACOSX/liens/._2025.csv", "x", ".DS_Store", "x")
	for name, tt := range map[string]struct {
		file, text string
		form       Form
		wrong      string // "" for one row
	}{
		"its only member":        {"a.zip", zipped(t, "a/", "", "a/2025.csv", csv, "__MACOSX/a/._2025.csv", "x"), Form{}, ""},
		"by its bytes":           {"a.csv", zipped(t, "a.bin", csv), Form{}, ""},
		"the format is given":    {"a.zip", zipped(t, "a.bin", csv), Form{Format: CSV}, ""},
		"one of several":         {"a.zip", several, Form{Member: "liens/2025.csv"}, ""},
		"a document":             {"a.zip", zipped(t, "a.json", `{"a":[{"id":1}]}`), Form{Path: ".a[]"}, ""},
		"a compressed member":    {"a.zip", zipped(t, "a.csv.gz", gzipped(t, csv)), Form{}, ""},
		"which of several":       {"a.zip", several, Form{}, `the zip archive has 2 members, "liens/2025.csv", "notes.txt": name one with --member`},
		"another member":         {"a.zip", several, Form{Member: "2025.csv"}, `has no member "2025.csv"; it has "liens/2025.csv", "notes.txt"`},
		"a member of no archive": {"a.csv", csv, Form{Member: "a.csv"}, "it is not a zip archive"},
		"no archive":             {"a.zip", csv, Form{}, "it is not a zip archive"},
		"an empty archive":       {"a.zip", zipped(t), Form{}, "the zip archive is empty"},
		"a member of no format":  {"a.zip", zipped(t, "a.bin", csv), Form{}, `the name of its member "a.bin" does not say its format: give --format`},
		"an archive in it":       {"a.zip", zipped(t, "b.zip", several), Form{}, `the name of its member "b.zip" does not say its format`},
		"a document, no path":    {"a.zip", zipped(t, "a.json", "[]"), Form{}, "a JSON document needs --path"},
		"cut off":                {"a.zip", several[:len(several)-30], Form{}, "the zip archive is cut off or damaged"},
		"encrypted":              {"a.zip", strings.NewReplacer("PK\x01\x02\x14\x00\x14\x00\x08", "PK\x01\x02\x14\x00\x14\x00\x09").Replace(zipped(t, "a.csv", csv)), Form{}, `its member "a.csv" is encrypted`},
		"another method":         {"a.zip", strings.NewReplacer("PK\x01\x02\x14\x00\x14\x00\x08\x00\x08", "PK\x01\x02\x14\x00\x14\x00\x08\x00\x09").Replace(zipped(t, "a.csv", csv)), Form{}, "compressed with Deflate64, an unsupported compression"},
		"bzip2":                  {"a.zip", strings.NewReplacer("PK\x01\x02\x14\x00\x14\x00\x08\x00\x08", "PK\x01\x02\x14\x00\x14\x00\x08\x00\x0c").Replace(zipped(t, "a.csv", csv)), Form{}, "compressed with bzip2"},
		"a name of DOS":          {"a.zip", zipped(t, "a\xa4o.csv", csv, "b.csv", csv), Form{Member: "año.csv"}, ""},
		"names of DOS":           {"a.zip", zipped(t, "a\xa4o.csv", csv, "b.csv", csv), Form{}, `2 members, "año.csv", "b.csv"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := texts(t, write(t, tt.file, tt.text), tt.form)
			if tt.wrong == "" && (err != nil || len(got) != 1) {
				t.Errorf("%v, %v; want one record", got, err)
			}
			if tt.wrong != "" && (!errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("%v; want %s", err, tt.wrong)
			}
		})
	}
	book, err := os.ReadFile(book(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := texts(t, write(t, "a.zip", zipped(t, "a.xlsx", string(book))), Form{Sheet: "Other one"}); err != nil || len(got) != 1 {
		t.Errorf("a spreadsheet in an archive: %v, %v", got, err)
	}
}

// TestX44_DamagedMember: a checksum that is wrong is an error, however many records were read before.
func TestX44_DamagedMember(t *testing.T) {
	t.Parallel()
	text := []byte(zipped(t, "a.ndjson", manyFilings(10_000)))
	text[len(text)/2] ^= 0x10
	if _, _, err := texts(t, write(t, "a.zip", string(text)), Form{}); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "zip stream cannot be decompressed") {
		t.Error(err)
	}
}

// TestX74_Temporary: what the sources of a load write to temporary files counts together, however it is packed, for as long as it is
// there; the next source has the room of the one before.
func TestX74_Temporary(t *testing.T) {
	t.Parallel()
	csv := "id,county\n1,\"Orange, FL\"\n"
	content, err := os.ReadFile(book(t))
	if err != nil {
		t.Fatal(err)
	}
	sheet, size := string(content), int64(len(content))
	wide := zipped(t, "a.csv", csv+strings.Repeat("2,\"Orange, FL\"\n", 100_000))
	endless := gzipped(t, sheet+strings.Repeat("\x00", 1<<20))
	inZip := zipped(t, "a.xlsx", sheet)
	sheets := []string{write(t, "a.xlsx", sheet), write(t, "b.xlsx", sheet), write(t, "c.xlsx.gz", gzipped(t, sheet))}
	for name, test := range map[string]struct {
		names []string
		most  int64
		fits  bool
	}{
		"one after the other":   {sheets, size, true},
		"room for itself alone": {sheets[:1], size, true},
		"no room for one":       {sheets[:1], size - 1, false},
		"packed":                {sheets[2:], size - 1, false},
		"endless":               {[]string{write(t, "a.xlsx.gz", endless)}, size + 1000, false},
		"in a zip archive":      {[]string{write(t, "a.zip", inZip)}, int64(len(inZip)) + size + 1000, true},
		"both count":            {[]string{write(t, "a.zip", inZip)}, int64(len(inZip)) + size - 1, false},
		"text in a zip archive": {[]string{write(t, "a.zip", wide)}, int64(len(wide)), true}, // read as it is decompressed
		"a zip archive":         {[]string{write(t, "a.zip", wide)}, int64(len(wide)) - 1, false},
		"damaged, and the next": {[]string{write(t, "a.parquet", sheet), sheets[0]}, size + 1000, false},
		"any":                   {sheets, 0, true},
		"Parquet":               {[]string{"parquet/testdata/types.parquet"}, 100, false},
		"web server":            {[]string{serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }) + "/a.xlsx"}, size - 1, false},
	} {
		all, err := Find(t.Context(), named(test.names), Options{Temporary: test.most})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if _, failed := readSource(s); err == nil || errors.Is(failed, sorter.ErrSpace) {
				err = failed
			}
			if left := s.space.Take(test.most); left != nil {
				t.Errorf("%s: what %s took was not given back: %v", name, s.Name, left)
			}
			s.space.Free(test.most)
		}
		if name != "damaged, and the next" && (err == nil) != test.fits || errors.Is(err, sorter.ErrSpace) == (test.fits || len(test.names) == 2) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
