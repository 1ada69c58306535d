package mapping

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"filings/reindexer/record"
)

// Row is a row of a table: it says which columns of a county's file a field is read from, and how.
// A table is CSV of two columns:
//
//	field,column
//	id,Case number
//	county,"""Orange, FL"""
//	filingAmount,money: Winning Bid
//	filingDate,date MM/DD/YYYY: Date Sold
//	propertyAddress,join: Street; City; Zip
//	nothing,"None, see note"
//	where,Status = OPEN
type Row struct {
	Field   string
	How     string   // money, number, date FORM, join, latitude or longitude; "": a text; "… or nothing": or null
	Columns []string // names; texts in double quotes; paths in jq of nested values, such as .owner.name
	Notes   []string // comments below the row
	Sure    string   // how sure the row is, as a comment; "": nothing is said
	Or      []Row    // others that the field may be read from, as comments too; without Columns they are all there is

	line int // of the table
}

// OrNothing ends how a column is read.
const OrNothing = " or nothing"

// Rows of these names are no fields: the words that stand for no value, and which rows of the file
// are records ("Status = OPEN; ACTIVE", "Status != PAID").
const (
	Nothing = "nothing"
	Where   = "where"
)

var isPath = regexp.MustCompile(`^(\.[A-Za-z_]\w*|\."(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")+$`)

// pathOf returns the path by which a program reads a column, whose name may be a path already.
func pathOf(name string) string {
	if isPath.MatchString(name) {
		return name
	}
	return Member(name)
}

// ColumnOf returns how a table names a column, which a program reads by path.
func ColumnOf(path, name string) string {
	_, isConstant := constant(name)
	r, err := parseRow(0, "owner", name)
	isColumn := err == nil && !isConstant && r.How == "" && slices.Equal(r.Columns, []string{name})
	if isColumn && !strings.ContainsAny(name, "\r\n") && pathOf(name) == path {
		return name
	}
	return path
}

// constant returns a part as a text in jq, if it is one.
func constant(part string) (string, bool) {
	if len(part) < 2 || part[0] != '"' || part[len(part)-1] != '"' {
		return "", false
	}
	return jsonText(part[1 : len(part)-1]), true
}

// condition matches that of a row of Where.
var condition = regexp.MustCompile(`(?s)^(.+?)\s*(!?=)\s*(.*)$`)

// preamble returns the text of a program before it makes a record, and the one for each column
// before that is read.
func preamble(rows []Row) (program, column string, err error) {
	for _, r := range rows {
		switch r.Field {
		case Nothing:
			column = " | blank(" + quotedList(r.Columns) + ")"
		case Where:
			m := condition.FindStringSubmatch(r.Columns[0])
			if m == nil {
				return "", "", fmt.Errorf(":%d:2: %q is no condition, such as Status = OPEN; ACTIVE or Status != PAID", r.line,
					r.Columns[0])
			}
			test := pathOf(m[1]) + " | equals(" + quotedList(strings.Split(m[3], ";")) + ")"
			program += "select(" + test + map[string]string{"!=": " | not"}[m[2]] + ") | "
		}
	}
	return program, column, nil
}

// quotedList returns words as arguments in jq.
func quotedList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = jsonText(strings.Trim(strings.TrimSpace(word), `"`))
	}
	return strings.Join(quoted, "; ")
}

// expression returns the jq of r's value; first is the text for each column.
func (r Row) expression(first string) (string, error) {
	var paths []string
	for _, c := range r.Columns {
		path, isConstant := constant(c)
		if !isConstant {
			path = pathOf(c) + first
		}
		paths = append(paths, path)
	}
	how, maybe := strings.CutSuffix(r.How, OrNothing)
	kind, forms, _ := strings.Cut(how, " ")
	switch {
	case r.Field == "id" && how == "":
		return "id($county; " + strings.Join(paths, "; ") + ")", nil
	case how == "join":
		return "text(" + strings.Join(paths, "; ") + ")", nil
	case len(paths) > 1:
		return "", fmt.Errorf(`one column is read, or several with "join: %s"`, strings.Join(r.Columns, "; "))
	case how == "":
		if _, isConstant := constant(r.Columns[0]); isConstant {
			return paths[0], nil
		}
		how = "text"
	case kind == "date" && forms == "":
		return "", errors.New(`a date needs a form: "date MM/DD/YYYY: …"`)
	case kind == "date":
		var quoted []string
		for form := range strings.SplitSeq(forms, " or ") {
			quoted = append(quoted, jsonText(strings.TrimSpace(form)))
		}
		how = "date(" + strings.Join(quoted, "; ") + ")"
	case forms != "":
		return "", fmt.Errorf("%q does not say how a column is read", r.How)
	case how == "latitude", how == "longitude":
		how = "(point | ." + how + "?)"
	}
	if maybe {
		how = "try " + how + " catch unread"
	}
	return "(" + paths[0] + " | " + how + ")", nil
}

// ProgramOf returns the program that rows mean, which have one of the county. Each of its lines but
// the first, the last and comments is that of a row.
func ProgramOf(rows []Row) (string, error) {
	var b strings.Builder
	program, first, err := preamble(rows)
	if err != nil {
		return "", err
	}
	b.WriteString(program)
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Field == Nothing || r.Field == Where })
	for i, r := range slices.Concat(rows[slices.IndexFunc(rows, isCounty):][:1], rows) {
		value, err := "", error(nil)
		if len(r.Columns) > 0 {
			value, err = r.expression(first)
		}
		switch {
		case err != nil:
			return "", fmt.Errorf(":%d:2: %s: %w", r.line, r.Field, err)
		case i == 0:
			b.WriteString(value + " as $county | {")
			continue
		case isCounty(r):
			value = "$county"
		}
		if value != "" {
			fmt.Fprintf(&b, "\n  %s: %s", r.Field, value)
			if i < len(rows) {
				b.WriteByte(',')
			}
		}
		for _, note := range r.Notes {
			b.WriteString("\n  # " + note)
		}
		for _, alternative := range r.Or {
			if value, err = alternative.expression(first); err == nil {
				b.WriteString("\n  # or: " + value)
			}
		}
		if r.Sure != "" {
			b.WriteString("\n  # " + r.Sure)
		}
	}
	b.WriteString("\n}\n")
	return b.String(), nil
}

// TableOf returns the rows as CSV, without the header.
func TableOf(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		if len(r.Columns) > 0 {
			w := csv.NewWriter(&b)
			_ = w.Write([]string{r.Field, r.cell()}) // a builder takes everything
			w.Flush()
		}
		for _, note := range r.Notes {
			b.WriteString("# " + note + "\n")
		}
		for _, alternative := range r.Or {
			b.WriteString("# or: " + alternative.cell() + "\n")
		}
		if r.Sure != "" {
			b.WriteString("# " + r.Sure + "\n")
		}
	}
	return b.String()
}

func (r Row) cell() string {
	columns := strings.Join(r.Columns, "; ")
	if r.Field == Nothing {
		columns = strings.Join(r.Columns, ", ")
	}
	if r.How == "" {
		return columns
	}
	return r.How + ": " + columns
}

func isCounty(r Row) bool { return r.Field == "county" }

// CompileTable is Compile for a table. The places in errors and of Reads are cells of it.
func CompileTable(name, table string, today time.Time) (*Program, error) {
	rows, err := readTable(table)
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	program, err := ProgramOf(rows)
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	return compile(name, program, script{table, true}, today)
}

// readTable reads a table. Rows that begin with #, and fields without a column, are left out. An
// error begins with a place in it.
func readTable(table string) (rows []Row, err error) {
	if !utf8.ValidString(table) {
		return nil, errors.New(": it is not UTF-8: save it as CSV in UTF-8")
	}
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(table, "\ufeff")))
	reader.FieldsPerRecord, reader.Comment = -1, '#'
	if header, _, _ := strings.Cut(table, "\n"); strings.Contains(header, ";") {
		reader.Comma = ';'
	}
	named := map[string]bool{}
	for first := true; ; first = false {
		cells, err := reader.Read()
		if err == io.EOF && !first {
			break
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf(": it is not CSV: %w", err)
		}
		line := 0
		if len(cells) > 0 {
			line, _ = reader.FieldPos(0)
		}
		switch {
		case first && (len(cells) < 2 || !strings.EqualFold(strings.TrimSpace(cells[0]), "field")):
			return nil, errors.New(":1:1: a table begins with the header field,column")
		case first || len(cells) < 2 || strings.TrimSpace(cells[1]) == "" || strings.HasPrefix(cells[0], "#"):
			continue
		}
		r, err := parseRow(line, cells[0], strings.TrimSpace(cells[1]))
		if err != nil {
			return nil, err
		}
		if named[r.Field] && r.Field != Where {
			return nil, fmt.Errorf(":%d:1: there is a row of %s above", line, r.Field)
		}
		rows, named[r.Field] = append(rows, r), true
	}
	for _, field := range []string{"id", "county"} {
		if !named[field] {
			return nil, fmt.Errorf(":1:1: it lacks a row of %s", field)
		}
	}
	return rows, nil
}

var (
	// how matches the word before a colon that says how columns are read.
	how = regexp.MustCompile(`(?is)^(money|number|join|latitude|longitude|date)\b([^:"]*):(.*)$`)
	// part matches a column of several: a path, a text in quotes, or all up to the next semicolon.
	part = regexp.MustCompile(`\s*((?:\.(?:\w+|"(?:[^"\\]|\\.)*"))+|"[^"]*"|[^;]+?)\s*(?:;|$)`)
)

// parseRow reads a row of a table.
func parseRow(line int, field, cell string) (Row, error) {
	name, known, _ := record.NameOf(strings.TrimSpace(field))
	switch strings.ToLower(name) {
	case Where:
		return Row{Field: Where, Columns: []string{cell}, line: line}, nil
	case Nothing:
		words := strings.FieldsFunc(cell, func(c rune) bool { return c == ',' || c == ';' })
		return Row{Field: Nothing, Columns: words, line: line}, nil
	}
	if !known {
		return Row{}, fmt.Errorf(":%d:1: %q is no field of a record", line, field)
	}
	r := Row{Field: name, line: line}
	if m := how.FindStringSubmatch(cell); m != nil {
		r.How, cell = strings.ToLower(m[1])+strings.TrimRight(m[2], " "), m[3]
	}
	for _, m := range part.FindAllStringSubmatch(cell, -1) {
		r.Columns = append(r.Columns, m[1])
	}
	if len(r.Columns) == 0 {
		return Row{}, fmt.Errorf(":%d:2: %q names no column", line, cell)
	}
	return r, nil
}
