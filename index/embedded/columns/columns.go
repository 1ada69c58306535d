// Package columns lays filings out in columns and finds them there. It owns the columns, the
// evaluation of filters, sorts and aggregations over them, and the cache of chunks. It doesn't know
// where the columns are kept: Build hands chunks of bytes to a Sink, and a Table reads them back
// through a Source.
//
// # Design
//
// Filings are numbered in the default order: row 0 is the first filing of an unfiltered list. The
// values by which filings are found and sorted lie in columns, in chunks of 65,536 rows:
//
//   - coded columns (county, city, filing type, date, …) hold a number for each row, which a
//     dictionary explains. A predicate is evaluated once for each word of the dictionary, then the
//     rows are looked up. Groups are counted by the numbers of their words.
//   - numbers (amounts, coordinates, instants) are compared as they are.
//   - search texts stand side by side. An index of their runs of letters says which rows have a
//     word, and an index of their trigrams in which blocks of 16 rows any other term may be; these
//     are read, and searched byte by byte.
//   - records stand in compressed blocks of 16 rows. A list of all ids says in which row each is.
//   - orders list the rows sorted by owner, amount, and so on, in both directions.
//
// A filter is evaluated chunk by chunk into one bit a row. Its bits, and for each sort how many of
// them precede every 4,096th position of that order, are cached; so a page costs the same at any
// offset.
//
// Why not SQL, over indexed columns? A driver in Go takes 0.5 µs and more to hand over each
// matching row number, which for a county with 480,000 filings is a quarter of a second; the loop
// over its column takes a millisecond. And every index would cost its share of every load. The
// index of trigrams only says where to read, so a term is found exactly in every script. It is paid
// once for a filter, not for a page.
//
// Build sorts the filings that were put by an external merge sort (package sorter), and merges them
// with the rows and the orders of the table that it changes, if there is one. Besides dictionaries,
// which grow by the number of different words, it needs some 12 bytes of memory a filing.
package columns

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/wire"
)

// ChunkRows is how many rows a chunk of a column holds: a multiple of 64, so that chunks are whole
// words of a bitset; large enough for long loops, small enough to be read (half a megabyte, search
// texts three) while a client waits.
const ChunkRows = 1 << 16

// Names of columns that belong to no field.
const (
	columnID           = "id"
	columnCreated      = "createdAt"
	columnSearch       = "search"
	columnStarts       = "search starts"     // of each block, in the chunk of columnSearch, and where the last one ends
	columnTrigrams     = "search trigrams"   // the index of a chunk of columnSearch
	columnSets         = "search sets"       // the sets of that index
	columnLetters      = "search runs"       // the index of the runs of a chunk of columnSearch
	columnLetterRows   = "search run rows"   // the rows of that index
	columnLetterOrders = "search run orders" // the codes of runs by how they begin, and by how they end
	columnRecords      = "records"           // as they were put; a chunk for each block
	columnByID         = "by id"             // each id with its row, by id
	columnFirstIDs     = "first ids"         // of each block of columnByID, in one chunk
	runsSuffix         = " runs"             // the keys of an order, and how many rows have each, in one chunk
	wordsSuffix        = " words"            // the dictionary of a coded column, in one chunk
	sortedSuffix       = " sorted"           // the codes of a dictionary by their words, in one chunk

	columnCountyTexts = "county texts" // the search texts of county's dictionary, in no file: in the cache only
)

// Sink stores a chunk of a column. data is valid during the call only.
type Sink func(name string, chunk int, data []byte) error

// Source returns a chunk as a Sink stored it, from byte start to before byte end (-1: to the last
// one), or an error that names the attempt. The bytes that it returns are as they were written.
type Source func(ctx context.Context, name string, chunk, start, end int) (data []byte, err error)

// ErrDamaged is the error of stored values and chunks that are not as they were written.
var ErrDamaged = fmt.Errorf("%w: roll back, or load the filings anew", index.ErrDamaged)

// coded is the table of the columns that are looked up by word. A row holds one word, "" where the
// filing has none; a word may list several values (see joined). A column that belongs to a field
// has its name.
var coded = [...]codedField{
	codedDate:   {"filingDate", text(index.FilingDate)},
	codedCounty: {"county", text(index.County)},
	codedCity:   {"city", func(_ *index.Filing, d *index.Derived) string { return d.WrittenCity }},
	{"filingType", text(index.FilingType)},
	{"propertyClassification", text(index.PropertyClassification)},
	{"categories", func(f *index.Filing, _ *index.Derived) string { return index.Fold(joined(f.Categories)) }},
	{"foreclosureStatus", folded(index.ForeclosureStatus)},
	{"dateRange", text(index.DateRange)},
	{"filingHolder", text(index.FilingHolder)},
	codedTraits:  {"traits", traits},
	codedZIP:     {"zip", func(_ *index.Filing, d *index.Derived) string { return d.ZIP }},
	codedOwner:   {"ownerKey", text(index.Owner)}, // a row's word lists the key too, before it; "" without a key
	codedAddress: {"addressKey", func(f *index.Filing, d *index.Derived) string { return d.AddressWord(f) }},
}

type codedField struct {
	name string
	word func(*index.Filing, *index.Derived) string
}

// isSorted reports whether words of the i-th coded column are found by their first values: a column
// may have as many as filings, and a client asks for a hundred.
func isSorted(i int) bool { return i == codedZIP || i == codedOwner || i == codedAddress }

// Positions in coded.
const (
	codedDate    = 0
	codedCounty  = 1
	codedCity    = 2
	codedTraits  = 9
	codedZIP     = 10
	codedOwner   = 11
	codedAddress = 12
)

// numbers is the table of the columns of numbers; NaN is a missing one.
var numbers = [...]struct {
	field index.Field
	value func(*index.Filing, *index.Derived) (float64, bool)
}{
	numberFilingAmount: {index.FilingAmount, number(index.FilingAmount)},
	{index.CurrentAmount, number(index.CurrentAmount)},
	numberLatitude:  {index.Latitude, number(index.Latitude)},
	numberLongitude: {index.Longitude, number(index.Longitude)},
	{index.LotSizeAcres, number(index.LotSizeAcres)},
	{index.EquityPercent, equityPercent},
}

// Positions in numbers.
const (
	numberFilingAmount = 0
	numberLatitude     = 2
	numberLongitude    = 3
)

// numberOf returns the position of field in numbers, -1 if it has no column of numbers.
func numberOf(field index.Field) int {
	for i, c := range numbers {
		if c.field == field {
			return i
		}
	}
	return -1
}

func text(field index.Field) func(*index.Filing, *index.Derived) string {
	return func(f *index.Filing, _ *index.Derived) string { return f.Text(field) }
}

func folded(field index.Field) func(*index.Filing, *index.Derived) string {
	return func(f *index.Filing, _ *index.Derived) string { return index.Fold(f.Text(field)) }
}

func number(field index.Field) func(*index.Filing, *index.Derived) (float64, bool) {
	return func(f *index.Filing, _ *index.Derived) (float64, bool) { return f.Number(field) }
}

func equityPercent(_ *index.Filing, d *index.Derived) (float64, bool) {
	return d.EquityPercent, d.HasEquity
}

// traits lists which of the yes-or-no fields hold.
func traits(_ *index.Filing, d *index.Derived) string {
	var hold []string
	if d.PropertyData {
		hold = append(hold, index.PropertyData.String())
	}
	if d.Trust {
		hold = append(hold, index.Trust.String())
	}
	if d.Estate {
		hold = append(hold, index.Estate.String())
	}
	return joined(hold)
}

// dimension is the coded column of an index.Dimension, and the key that a word of it has: "" for
// none. A word of categories has several keys.
type dimension struct {
	column string
	key    func(word string) string
}

var dimensions = map[index.Dimension]dimension{
	index.ByState:                  {"county", stateOf},
	index.ByCounty:                 {"county", whole},
	index.ByCity:                   {"city", whole},
	index.ByFilingType:             {"filingType", whole},
	index.ByDay:                    {"filingDate", whole},
	index.ByMonth:                  {"filingDate", month},
	index.ByYear:                   {"filingDate", year},
	index.ByPropertyClassification: {"propertyClassification", whole},
	index.ByHolder:                 {"filingHolder", whole},
	index.ByOwner:                  {"ownerKey", writtenOwner},
	index.ByAddress:                {"addressKey", whole},
	index.ByDateRange:              {"dateRange", whole},
	index.ByCategory:               {"categories", nil},
}

func (d *dimension) keys(word string) []string {
	switch {
	case d.key != nil:
		return []string{d.key(word)}
	case word == "":
		return []string{""}
	}
	return slices.Compact(slices.Sorted(slices.Values(listed(word))))
}

// valueEnd separates the values of a word. No text of a filing contains it (rule L4).
const valueEnd = "\x00"

func joined(values []string) string { return strings.Join(values, valueEnd) }

// listed returns the values that word lists.
func listed(word string) []string {
	if word == "" {
		return nil
	}
	return strings.Split(word, valueEnd)
}

func lists(word, v string) bool { return slices.Contains(listed(word), v) }

func whole(word string) string { return word }

func stateOf(county string) string {
	_, state := index.SplitCounty(county)
	return state
}

// writtenOwner returns the owner as written of a word of that column.
func writtenOwner(word string) string {
	_, written, _ := strings.Cut(word, valueEnd)
	return written
}

// month returns the month of a date, "" for none.
func month(date string) string { return date[:min(len(date), len("2006-01"))] }

func year(date string) string { return date[:min(len(date), len("2006"))] }

// noTime is the created of a filing without CreatedAt.
const noTime = index.NoTime

// storedValues are the values by which a filing is found and sorted.
type storedValues struct {
	id      int64
	created int64 // microseconds since 1970, or noTime
	words   [len(coded)][]byte
	numbers [len(numbers)]float64
	owner   []byte // folded, for sorting
	search  []byte // the texts of index.Derived, each followed by textEnd
}

// textEnd ends a value of the search texts. No UTF-8 has it, so that no term is found across it.
const textEnd = 0xff

// rowEnd ends the search texts of a row. No UTF-8 has it either.
const rowEnd = 0xfe

// appendValues appends the stored values of f to dst, as read reads them: id, created, a bit for
// each number that there is, those numbers, and the texts, each after its length. d has the derived
// values of f.
func appendValues(dst []byte, f *index.Filing, d *index.Derived) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.ID))
	created := int64(noTime)
	if f.Has(index.CreatedAt) {
		created = f.CreatedAt.UnixMicro()
	}
	dst = binary.LittleEndian.AppendUint64(dst, uint64(created))
	present := len(dst)
	dst = append(dst, 0)
	for i, c := range numbers {
		if v, ok := c.value(f, d); ok {
			dst[present] |= 1 << i
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}
	}
	for _, c := range coded {
		dst = protowire.AppendString(dst, c.word(f, d))
	}
	dst = protowire.AppendString(dst, d.Owner)
	size := 0
	for _, s := range d.Search {
		size += len(s) + 1
	}
	dst = protowire.AppendVarint(dst, uint64(size))
	for _, s := range d.Search {
		dst = append(append(dst, s...), textEnd)
	}
	return dst
}

// read sets v to values that appendValues wrote, and returns the bytes after them. v refers to data.
func (v *storedValues) read(data []byte) (rest []byte, err error) {
	r := wire.Reader{Rest: data}
	v.id, v.created = int64(r.Word()), int64(r.Word())
	present := r.Byte()
	for i := range v.numbers {
		v.numbers[i] = math.NaN()
		if present&(1<<i) != 0 {
			v.numbers[i] = math.Float64frombits(r.Word())
		}
	}
	for i := range v.words {
		v.words[i] = r.Text()
	}
	if v.owner, v.search = r.Text(), r.Text(); r.Failed {
		return nil, ErrDamaged
	}
	return r.Rest, nil
}

// readTexts returns the texts that stand in data, each after its length; false for other data.
func readTexts(data []byte) (texts []string, ok bool) {
	r := wire.Reader{Rest: data}
	for len(r.Rest) > 0 {
		texts = append(texts, string(r.Text()))
	}
	return texts, !r.Failed
}
