package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	rels         = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	relationType = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	spreadsheet  = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
)

// parts are those of a workbook with a sheet of these rows, and with these in their place.
func parts(rows string, others map[string]string) map[string]string {
	all := map[string]string{
		"_rels/.rels":     rels + `<Relationship Id="a" Type="` + relationType + `officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook` + spreadsheet + `><sheets><sheet name="A" sheetId="1" r:id="s1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": rels + `<Relationship Id="s1" Type="` + relationType + `worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="t" Type="` + relationType + `sharedStrings" Target="sharedStrings.xml"/>` +
			`<Relationship Id="f" Type="` + relationType + `styles" Target="/xl/styles.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": `<?xml version="1.0" encoding="UTF-8"?><worksheet` + spreadsheet + `><sheetData>` + rows + `</sheetData><mergeCells/></worksheet>`,
	}
	maps.Copy(all, others)
	return all
}

func archive(t testing.TB, parts map[string]string) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// open opens the first sheet at its first row, without a header.
func open(in *bytes.Reader) (*Sheet, error) {
	b, err := openBook(in, in.Size())
	if err != nil {
		return nil, err
	}
	s := &Sheet{book: b}
	if s.part, err = b.open(b.sheets[0].part); err != nil {
		return nil, err
	}
	s.xml = newElements(s.part)
	return s, nil
}

// read returns the rows of the first sheet: "number: column=text …", a number with # before it.
func read(in *bytes.Reader) (all []string, err error) {
	s, err := open(in)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		cells, err := s.cells()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, fmt.Errorf("row %d: %w", s.Line(), err) // as a source has it
		}
		line := fmt.Sprintf("%d:", s.Line())
		for _, c := range cells {
			_, text := c.value.(string)
			line += fmt.Sprintf(" %d=%s%v", c.column, map[bool]string{false: "#"}[text], c.value)
		}
		all = append(all, line)
	}
}

// TestX21_Cells: what a cell holds, in each way that programs store it.
func TestX21_Cells(t *testing.T) {
	t.Parallel()
	shared := map[string]string{"xl/sharedStrings.xml": `<sst` + spreadsheet + `><si><t>plain</t></si><si><r><rPr><b/></rPr><t>two </t></r><r><t xml:space="preserve">runs </t></r><rPh sb="0" eb="1"><t>spoken</t></rPh><phoneticPr/></si><si><t/></si><si/><si><t><![CDATA[<a&b>]]></t></si><si><t>a&amp;b&#10;c&#x20AC;_x000D__x005F_x_</t></si></sst>`}
	styles := map[string]string{"xl/styles.xml": `<styleSheet` + spreadsheet + `><numFmts><numFmt numFmtId="164" formatCode="mmm\ d&quot; of &quot;yyyy"/><numFmt numFmtId="165" formatCode="[Red]&quot;day&quot; 0.00;[$-409]d"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs></styleSheet>`}
	from1904 := map[string]string{"xl/workbook.xml": `<workbook` + spreadsheet + `><workbookPr date1904="1"/><sheets><sheet name="A" r:id="s1"/></sheets></workbook>`}
	maps.Copy(from1904, styles)
	for name, tt := range map[string]struct {
		rows   string
		others map[string]string
		want   []string
	}{
		"shared":       {`<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c><c r="C2" t="s"><v>2</v></c><c r="D2" t="s"><v>3</v></c><c r="E2" t="s"><v>4</v></c><c r="F2" t="s"><v> 5 </v></c></row>`, shared, []string{"2: 0=plain 1=two runs  4=<a&b> 5=a&b\nc€\r_x_"}},
		"inline":       {`<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><r><t>b</t></r><r><t>c</t></r></is></c><c t="inlineStr"><is/></c><c t="inlineStr"><is><t>_x005F_x000D_</t></is></c></row>`, nil, []string{"1: 0=a 1=bc 3=_x000D_"}},
		"a formula":    {`<row><c t="str"><f>A1&amp;"x"</f><v>12</v></c><c><f t="shared" si="0"/><v>7</v></c></row>`, nil, []string{"1: 0=12 1=#7"}},
		"booleans":     {`<row><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c></row>`, nil, []string{"1: 0=TRUE 1=FALSE 2=#N/A"}},
		"numbers":      {`<row><c><v>1E-3</v></c><c t="n"><v>-0.5</v></c><c s="0"><v>12345678901234567890</v></c><c s="99"><v>3</v></c></row>`, styles, []string{"1: 0=#0.001 1=#-0.5 2=#12345678901234567890 3=#3"}},
		"dates":        {`<row><c s="1"><v>42968</v></c><c s="2"><v>42968.75</v></c><c s="3"><v>42968</v></c><c s="4"><v>0.5</v></c><c s="1"><v>-1</v></c><c s="1"><v>2958466</v></c></row>`, styles, []string{"1: 0=2017-08-21 1=2017-08-21 2=#42968 3=#0.5 4=#-1 5=#2958466"}},
		"early dates":  {`<row><c s="1"><v>1</v></c><c s="1"><v>59</v></c><c s="1"><v>61</v></c><c s="1"><v>0</v></c><c s="1"><v>2958465</v></c></row>`, styles, []string{"1: 0=1900-01-01 1=1900-02-28 2=1900-03-01 3=#0 4=9999-12-31"}},
		"from 1904":    {`<row><c s="1"><v>0</v></c><c s="1"><v>41506</v></c></row>`, from1904, []string{"1: 0=1904-01-01 1=2017-08-21"}},
		"ISO dates":    {`<row><c t="d"><v>2017-08-21T00:00:00</v></c><c t="d"><v>2017-08-21</v></c></row>`, nil, []string{"1: 0=2017-08-21 1=2017-08-21"}},
		"gaps":         {`<row r="3"><c r="C3"><v>1</v></c><c><v>2</v></c><c r="F3"/><c r="G3"><v/></c><c r="H3"><v></v></c><c><v>5</v></c></row><row/><row r="9"/><row><c><v>3</v></c></row>`, nil, []string{"3: 2=#1 3=#2 8=#5", "4:", "9:", "10: 0=#3"}},
		"the last":     {`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`, nil, []string{"1048576: 16383=#1"}},
		"prefixes":     {`<x:row r='1'><x:c r = "A1" t="inlineStr"><!-- <c> --><x:is><x:t>a > b</x:t></x:is></x:c ></x:row>`, nil, []string{"1: 0=a > b"}},
		"quoted >":     {`<row spans="1:>2"><c r="A1" x='">'><v>1</v></c></row>`, nil, []string{"1: 0=#1"}},
		"no rows":      {``, nil, nil},
		"comment last": {``, map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet><!---->`}, []string{"1: 0=#1"}},
		"text between": {"\n<row>\n <c>\n <v>1</v>\n </c>\n</row>\n", nil, []string{"1: 0=#1"}},
	} {
		got, err := read(archive(t, parts(tt.rows, tt.others)))
		if err != nil || !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v %s", name, err, cmp.Diff(tt.want, got))
		}
	}
}

// TestX21_Uncomputed: a formula without a value is counted, as openpyxl writes one too, with an empty value that is no text; one whose
// value is an empty text is not.
func TestX21_Uncomputed(t *testing.T) {
	t.Parallel()
	in := archive(t, parts(`<row><c><f>A2</f></c><c><f t="shared" si="0"/></c><c t="str"><f>""</f><v></v></c><c t="str"><f>""</f><v/></c><c><f>1</f><v>1</v></c><c/><c><f>B2</f><v/></c><c t="n"><f>B2</f><v></v></c></row>`, nil))
	s, err := open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if cells, err := s.cells(); err != nil || len(cells) != 1 || s.Uncomputed != 4 {
		t.Errorf("%v, %d, %v", cells, s.Uncomputed, err)
	}
}

// TestX21_ManyTexts: more texts than memory is meant for are refused, be they long or many.
func TestX21_ManyTexts(t *testing.T) {
	t.Parallel()
	for texts, fits := range map[string]bool{
		strings.Repeat("<si><t>"+strings.Repeat("x", 1<<15-sizeOfText)+"</t></si>", 32): true,
		strings.Repeat("<si><t>"+strings.Repeat("x", 1<<15-sizeOfText)+"</t></si>", 33): false,
		strings.Repeat("<si/>", 1<<20/sizeOfText):                                       true,
		strings.Repeat("<si/>", 1<<20/sizeOfText+1):                                     false,
		strings.Repeat("<x/>", 1<<20-10):                                                true,
		strings.Repeat("<x/>", 1<<20):                                                   false, // and takes long to read
	} {
		in := archive(t, parts("", map[string]string{"xl/texts.xml": "<sst>" + texts + "</sst>"}))
		b, err := openBook(in, in.Size())
		if err != nil {
			t.Fatal(err)
		}
		if err = b.readTexts("xl/texts.xml", 1<<20); fits != (err == nil) || err != nil && err.Error() != "it has more than 1 MiB of texts: save it as CSV" {
			t.Errorf("%d bytes: %v", len(texts), err)
		}
	}
}

// TestX21_Damaged: what no spreadsheet has is an error that says what it is, and costs no memory.
func TestX21_Damaged(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxText+1)
	for name, tt := range map[string]struct {
		rows   string
		others map[string]string
		want   string
	}{
		"no such text":     {`<row><c t="s"><v>3</v></c></row>`, map[string]string{"xl/sharedStrings.xml": `<sst><si><t>a</t></si></sst>`}, "row 1: column 1: damaged XLSX: a cell refers to a shared string that does not exist"},
		"no texts":         {`<row><c t="s"><v>0</v></c></row>`, nil, "damaged XLSX: a cell refers to a shared string that does not exist"},
		"no number":        {`<row><c t="s"><v>x</v></c></row>`, nil, "damaged XLSX: a cell refers to a shared string that does not exist"},
		"cell beyond":      {`<row r="7"><c r="XFE7"><v>1</v></c></row>`, nil, `row 7: it has a cell "XFE7"`},
		"cells beyond":     {`<row>` + strings.Repeat(`<c/>`, lastColumn+1) + `</row>`, nil, "more than 16384 cells"},
		"cells again":      {`<row>` + strings.Repeat(`<c r="A1"><v>1</v></c>`, lastColumn+1) + `</row>`, nil, "more than 16384 cells"},
		"row beyond":       {`<row r="1048577"/>`, nil, `it has a row "1048577"`},
		"rows beyond":      {`<row r="1048576"/><row/>`, nil, `it has a row "1048577"`},
		"row zero":         {`<row r="0"/>`, nil, `it has a row "0"`},
		"long text":        {`<row><c t="str"><v>` + long + `</v></c></row>`, nil, "a text of more than 128 KiB"},
		"long inline":      {`<row><c t="inlineStr"><is><t>` + long + `</t></is></c></row>`, nil, "a text of more than 128 KiB"},
		"long shared":      {``, map[string]string{"xl/sharedStrings.xml": `<sst><si><t>` + long + `</t></si></sst>`}, "its part xl/sharedstrings.xml: it has a text of more than 128 KiB"},
		"long tag":         {`<row r="` + strings.Repeat(" ", maxElement+128<<10) + `"/>`, nil, "a text of more than 1024 KiB"},
		"entities":         {`<row><c t="str"><v>&lol;</v></c></row>`, nil, "row 1: XML syntax error on line 1: invalid character entity &lol;"},
		"open entity":      {`<row><c t="str"><v>a & b</v></c></row>`, nil, "invalid character entity & (no semicolon)"},
		"no character":     {`<row><c t="str"><v>&#0;</v></c></row>`, nil, "illegal character code U+0000"},
		"not UTF-8":        {"<row><c t=\"str\"><v>\xff</v></c></row>", nil, "row 1: XML syntax error on line 1: invalid UTF-8"},
		"a control":        {"<row><c t=\"str\"><v>\x08</v></c></row>", nil, "illegal character code U+0008"},
		"document type":    {``, map[string]string{"xl/worksheets/sheet1.xml": `<!DOCTYPE a [<!ENTITY lol "lol">]><worksheet/>`}, "a document type"},
		"cut":              {``, map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c><v>1`}, "unexpected EOF"},
		"cut in a tag":     {``, map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData><ro`}, "unexpected EOF"},
		"ends twice":       {``, map[string]string{"xl/worksheets/sheet1.xml": `<worksheet></worksheet></worksheet>`}, "unexpected end element </worksheet>"},
		"deep":             {strings.Repeat(`<a>`, maxDepth), nil, "its elements are nested more than 64 deep"},
		"deep in a cell":   {`<row><c>` + strings.Repeat(`<v>`, maxElement/3+64<<10), nil, "a text of more than 1024 KiB"},
		"long row":         {`<row>` + strings.Repeat(`<c t="str"><v>`+long[1:]+`</v></c>`, maxRow/maxText+1), nil, "row 1: it has more than 32 MiB"},
		"crossing tags":    {`<row><c></row></c>`, nil, "row 1: XML syntax error on line 1: element <c> closed by </row>"},
		"no sheet":         {``, map[string]string{"xl/workbook.xml": `<workbook/>`}, "it has no sheet"},
		"no workbook":      {``, map[string]string{"_rels/.rels": rels + `<Relationship Type="/officeDocument" Target="other.xml"/></Relationships>`}, "its part other.xml is missing"},
		"sheet is missing": {``, map[string]string{"xl/_rels/workbook.xml.rels": rels + `<Relationship Id="s1" Type="/worksheet" Target="none.xml"/></Relationships>`}, "its part xl/none.xml is missing"},
		"large workbook":   {``, map[string]string{"xl/workbook.xml": `<workbook>` + strings.Repeat(" ", maxPart)}, "its part xl/workbook.xml has more than 16 MiB"},
		"expanding":        {``, map[string]string{"xl/workbook.xml": `<!DOCTYPE a [<!ENTITY lol "lol">]><workbook>&lol;</workbook>`}, "invalid character entity &lol;"},
	} {
		if _, err := read(archive(t, parts(tt.rows, tt.others))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// TestX21_Memory: a sheet takes as much memory as one with four times the rows, besides its texts.
func TestX21_Memory(t *testing.T) {
	taken := func(count int) (most int64) {
		var texts, rows strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&texts, "<si><t>%d %s</t></si>", i, strings.Repeat("x", 400))
		}
		for i := range count {
			fmt.Fprintf(&rows, `<row><c t="s"><v>%d</v></c><c t="inlineStr"><is><t>%d %400d</t></is></c></row>`, i%1000, i, i)
		}
		in := archive(t, parts(rows.String(), map[string]string{"xl/sharedStrings.xml": "<sst>" + texts.String() + "</sst>"}))
		texts.Reset()
		rows.Reset()
		before := heap()
		sheet, err := Open(in, in.Size(), Choice{Sheet: "A"})
		if err != nil {
			t.Fatal(err)
		}
		defer sheet.Close()
		for i := range count - 1 {
			if _, err := sheet.Next(); err != nil {
				t.Fatal(err)
			}
			if i%(count/4) == count/4-2 {
				most = max(most, heap()-before)
			}
		}
		return most
	}
	few, many := taken(10_000), taken(40_000)
	if many > few+few/4 || many > 2<<20 {
		t.Errorf("40,000 rows take %d bytes, 10,000 of them %d", many, few)
	}
}

// heap returns how much memory is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestX21_ShowsDate: codes of formats that show a date.
func TestX21_ShowsDate(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"m/d/yy": true, "yyyy-mm-dd": true, "mmm-yy": true, "d": true, "[$-409]mmmm d, yyyy;@": true, "m/d/yy h:mm AM/PM": true, "mm": true,
		"mmm": true, "yyyy\"年\"m\"月\"": true, "dddd": true, "DD.MM.YYYY": true, "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy": true,
		"General": false, "0.00": false, "h:mm": false, "mm:ss": false, "[h]:mm": false, "[mm]:ss": false, "[Red]0": false, `"day" 0`: false, `\d0`: false,
		"0;d": false, "h:mm AM/PM": false, "@": false, "_(* #,##0_)": false, "0.00E+00": false, "": false, "[m]": false, `_d0*y`: false,
	} {
		if showsDate(code) != want {
			t.Errorf("%s: %v", code, !want)
		}
	}
}

// FuzzX21_Sheet: whatever a sheet and its texts hold, reading ends with rows that a sheet can have, or with an error.
func FuzzX21_Sheet(f *testing.F) {
	f.Add(`<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c><v>1</v></c></row></sheetData></worksheet>`, `<sst><si><t>a&amp;_x000D_</t></si></sst>`)
	f.Add(`<a:worksheet><sheetData><row><c t="inlineStr"><is><t>x</t><rPh><t>y</t></rPh></is></c></row>`, `<sst><si><r><t><![CDATA[x]]></t></r></si>`)
	f.Fuzz(func(t *testing.T, sheet, texts string) {
		in := archive(t, parts("", map[string]string{"xl/worksheets/sheet1.xml": sheet, "xl/sharedStrings.xml": texts}))
		rows, _ := read(in)
		if len(rows) > len(sheet) {
			t.Errorf("%d rows of %d bytes", len(rows), len(sheet))
		}
	})
}
