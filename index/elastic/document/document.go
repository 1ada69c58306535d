// Package document is the form of a filing in Elasticsearch, in both directions: the document that
// is written of it, and the records that are cut out of a response. It also names the fields of a
// document and reads the facts of a sealed generation in its mapping. It does no I/O and builds no
// request.
//
// # Design
//
// A document is the filing's record, which `_source` gives back, and beside it the object x with
// everything that is derived to be searched, sorted by or counted (package mappings says which
// field has which purpose). `_source` is handed to a client as it came: records are cut out of a
// response, at 2.5 GB/s for a page of 20 (`go test -run '^$' -bench Records
// ./index/elastic/document`, AMD EPYC). jsontext, which looks at every byte, reads 0.5: 50 µs more
// for a page of 30 kB, on which the service spends 130 in all.
package document

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"filings/index"
	"filings/index/address"
)

// Names of fields that no field of package index has.
const (
	DayField     = "x.day"     // FilingDate as days since 1970-01-01
	MarksField   = "x.is"      // words that are true of the filing: names of fields
	TextField    = "x.text"    // search texts, each followed by TextEnd
	RunsField    = "x.runs"    // the ends of the runs of search texts
	AddressField = "x.address" // address.Terms of its word
	CentsField   = "x.cents"   // FilingAmount in whole cents
	PointField   = "x.point"   // the coordinates, rounded

	writtenCityField, yearField = "writtenCity", "year" // in x, to group by
)

// RunLetters is the most letters of a word of RunsField. A shorter word is the end of its run.
const RunLetters = 12

// appendRuns appends the words of RunsField. For each letter of a run that is followed by enough
// letters (index.MinRun), it writes up to RunLetters letters from there. So any part of a run is
// the prefix of one of these words.
func appendRuns(dst []byte, text string) []byte {
	for run, rest := index.CutRun(text); run != ""; run, rest = index.CutRun(rest) {
		letters := []rune(run)
		for i := range len(letters) - index.MinRun + 1 {
			dst = append(append(dst, string(letters[i:min(len(letters), i+RunLetters)])...), ' ')
		}
	}
	return dst
}

// SidecarIndex names the hidden index beside a generation that has a kind of chunks of package
// sidecar, a document for each chunk.
func SidecarIndex(generation, kind string) string { return generation + "-" + kind }

// ChunkID names a document of it.
func ChunkID(section string, chunk int) string { return section + " " + strconv.Itoa(chunk) }

// Chunk is a document of it.
type Chunk struct {
	Data []byte `json:"data"`
}

// TextEnd follows each search text: its last two characters begin trigrams too. No text holds NUL.
const TextEnd = "\x00\x00"

// WrittenCity names the field of x that holds the city as written.
const WrittenCity = "x." + writtenCityField

// Derived names the field of x that holds field, folded or computed.
func Derived(field index.Field) string { return "x." + field.String() }

// Code names the field that holds the code of field.
func Code(field index.Field) string { return "x.code." + field.String() }

// Key names the field that holds the keys of d, as written.
func Key(d index.Dimension) string {
	return [...]string{
		index.ByState: Derived(index.State), index.ByCounty: index.County.String(), index.ByCity: WrittenCity,
		index.ByFilingType: index.FilingType.String(), index.ByDay: index.FilingDate.String(),
		index.ByMonth: Derived(index.Month), index.ByYear: "x." + yearField,
		index.ByPropertyClassification: index.PropertyClassification.String(),
		index.ByCategory:               index.Categories.String(),
		index.ByHolder:                 index.FilingHolder.String(), index.ByOwner: index.Owner.String(),
		index.ByAddress: Derived(index.AddressKey), index.ByDateRange: index.DateRange.String(),
	}[d]
}

// Day returns the days from 1970-01-01 to date; nil for no date.
func Day(date string) (*int64, error) {
	if date == "" {
		return nil, nil
	}
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil, err
	}
	const secondsADay = 24 * 60 * 60
	days := t.Unix() / secondsADay // whole: t is a midnight
	return &days, nil
}

// Meta has the facts of a generation in its mapping's `_meta`. It is written once, when the
// generation is finished, and finishes it. It says nothing of whether the load that did so held the
// lock: the catalog does.
type Meta struct {
	Generation string `json:"generation"` // whose meta this is: a clone begins with its source's
	Filings    int64  `json:"filings"`
	Writes     int64  `json:"writes"` // the highest version of a document, in it or deleted from it
	// Identity is the generation.Identity of the sealing.
	Identity map[string]string `json:"identity,omitempty"`
}

// Append appends the document of f, and returns its fingerprint too, which is that of its record.
func Append(dst []byte, f *index.Filing) ([]byte, index.Fingerprint) {
	start := len(dst)
	dst = index.AppendRecord(dst, f)
	d := index.Derive(f)
	fingerprint := index.FingerprintOf(f, &d, dst[start:])
	x := members{append(dst[:len(dst)-1], `,"x":{`...)}

	x.text(index.County.String(), d.County)
	x.text(index.CountyName.String(), d.CountyName)
	x.text(index.State.String(), d.State)
	x.text(index.City.String(), d.City)
	x.text(writtenCityField, d.WrittenCity)
	x.text(index.ZIP.String(), d.ZIP)
	x.text(index.Month.String(), d.Month)
	x.text(yearField, d.Year)
	if day, err := Day(f.Text(index.FilingDate)); err == nil && day != nil {
		x.integer("day", *day)
	}
	for _, field := range []index.Field{
		index.Owner, index.FilingType, index.FilingHolder, index.PropertyClassification, index.ForeclosureStatus,
	} {
		x.text(field.String(), index.Fold(f.Text(field)))
	}
	x.text(index.OwnerKey.String(), index.OwnerKeyOf(f.Text(index.Owner)))
	word := d.AddressWord(f)
	x.text(index.AddressKey.String(), word)
	x.array("address", address.Terms(word), "")
	x.array(index.Categories.String(), f.Categories, "")
	x.array("is", marks(f, &d), "")
	x.array("text", slices.DeleteFunc(d.Search[:], func(text string) bool { return text == "" }), TextEnd)
	var runs []byte
	for _, text := range d.Search {
		runs = appendRuns(runs, text)
	}
	x.text("runs", string(runs))
	if v, ok := f.Number(index.FilingAmount); ok {
		cents := index.Cents(v)
		x.number("cents", cents)
		if d.County != "" {
			value, _ := CountyCents(countyNumber(d.County), cents)
			x.integer("countyCents", value)
		}
	}
	if d.HasEquity {
		x.number(index.EquityPercent.String(), d.EquityPercent)
	}
	if created := fingerprint.Created; created != index.NoTime {
		x.integer(index.CreatedAt.String(), created)
	}
	x.point(f)
	x.name("code")
	x.dst = append(appendCodes(x.dst, f, &d), "}}"...)
	return x.dst, fingerprint
}

// marks names the marks of f: fields with a value, and kinds of owners.
func marks(f *index.Filing, d *index.Derived) []string {
	m := make([]string, 0, 4)
	mark := func(field index.Field, holds bool) {
		if holds {
			m = append(m, field.String())
		}
	}
	mark(index.ForeclosureStatus, f.Has(index.ForeclosureStatus))
	mark(index.PropertyData, d.PropertyData)
	mark(index.Trust, d.Trust)
	mark(index.Estate, d.Estate)
	return m
}

// members appends members to a JSON object that was begun. A missing value is left out.
type members struct{ dst []byte }

func (m *members) name(name string) {
	if m.dst[len(m.dst)-1] != '{' {
		m.dst = append(m.dst, ',')
	}
	m.dst = append(append(append(m.dst, '"'), name...), `":`...)
}

func (m *members) text(name, v string) {
	if v != "" {
		m.name(name)
		m.dst = index.AppendString(m.dst, v)
	}
}

func (m *members) number(name string, v float64) {
	m.name(name)
	m.dst = index.AppendNumber(m.dst, v)
}

func (m *members) integer(name string, v int64) {
	m.name(name)
	m.dst = strconv.AppendInt(m.dst, v, 10)
}

// array appends texts, each followed by end.
func (m *members) array(name string, texts []string, end string) {
	if len(texts) == 0 {
		return
	}
	m.name(name)
	separator := byte('[')
	for _, text := range texts {
		m.dst = index.AppendString(append(m.dst, separator), text+end)
		separator = ','
	}
	m.dst = append(m.dst, ']')
}

// point appends the filing's coordinates in the order that Elasticsearch wants: longitude first.
func (m *members) point(f *index.Filing) {
	lat, ok1 := f.Number(index.Latitude)
	lon, ok2 := f.Number(index.Longitude)
	if !ok1 || !ok2 {
		return
	}
	m.name("point")
	m.dst = index.AppendNumber(append(m.dst, '['), lon)
	m.dst = index.AppendNumber(append(m.dst, ','), lat)
	m.dst = append(m.dst, ']')
}

// A code is a short text that many neighboring values share, and that sorts as they do: the code of
// the lesser value is never the greater one. Counting a filter's filings by code, a few thousand
// counts at the most, shows near which value any offset lies (package reader).

// appendCodes appends the object x.code: the codes of f's sort keys, and of its id, which breaks
// ties. A filing date is its own code.
func appendCodes(dst []byte, f *index.Filing, d *index.Derived) []byte {
	code := members{append(dst, '{')}
	for _, field := range []index.Field{index.FilingAmount, index.CurrentAmount} {
		if v, ok := f.Number(field); ok {
			code.text(field.String(), numberCode(v))
		}
	}
	code.text(index.Owner.String(), textCode(d.Owner))
	if f.Has(index.CreatedAt) {
		code.text(index.CreatedAt.String(), f.CreatedAt.UTC().Format("2006-01-02"))
	}
	code.text(index.ID.String(), numberCode(float64(f.ID)))
	return append(code.dst, '}')
}

// numberCode is the code of a number: sign, exponent and the first 8 bits of the fraction, that is
// 256 codes for each doubling.
func numberCode(v float64) string {
	const digits = 5                                                      // of 16
	code := strconv.FormatUint(index.OrderedBits(v+0)>>(64-4*digits), 16) // -0 + 0 is 0
	return "00000"[len(code):] + code
}

// textCode is the code of a text: its first three characters. UTF-8 sorts by code point, so that
// texts cut between characters sort as they did.
func textCode(s string) string {
	end := 0
	for range 3 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end]
}

// CountyCentsField holds the amount of a filing in cents after a number of its county.
// Elasticsearch counts a range of one number by the index of it, without visiting the filings where
// none of a segment was deleted: how many a county has from one amount to another.
const CountyCentsField = "x.countyCents"

const (
	countyBits = 20
	centsBits  = 43 // 44 billion dollars and their negatives; amounts beyond stand at the ends
	zeroCents  = 1 << (centsBits - 1)
)

// CountyCents returns the value of CountyCentsField for whole cents in the county with this number.
// It is exact unless the cents stand at an end.
func CountyCents(number int64, cents float64) (value int64, exact bool) {
	const end = 1<<centsBits - 1
	scaled := max(0, min(end, cents+zeroCents))
	return number<<centsBits + int64(scaled), 0 < scaled && scaled < end
}

// countyNumber returns the number of a folded county. Others may have the same.
func countyNumber(county string) int64 { return int64(xxhash.Sum64String(county) >> (64 - countyBits)) }

// CountyNumber returns the number of the one folded county that a text names, with or without its
// state; false where it names none or several, or another county has the same number.
func CountyNumber(text string, folded []string) (number int64, ok bool) {
	var named string
	for _, county := range folded {
		if name, _ := index.SplitCounty(county); county != text && name != text {
			continue
		}
		if named != "" {
			return 0, false
		}
		named = county
	}
	number = countyNumber(named)
	shared := func(county string) bool { return county != named && countyNumber(county) == number }
	return number, named != "" && !slices.ContainsFunc(folded, shared)
}

// LeastCents returns the fewest whole cents that are at least so many dollars; MostCents the most
// that are at most so many.
func LeastCents(dollars float64) float64 {
	cents := index.Cents(dollars)
	if index.Dollars(cents) < dollars {
		cents++
	}
	return cents
}

// MostCents is described at LeastCents.
func MostCents(dollars float64) float64 { return -LeastCents(-dollars) }
