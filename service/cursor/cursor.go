// Package cursor encodes and decodes cursors: the text with which a client continues a crawl. It
// owns that text's form. It refuses to know the meaning of the query and of the position in it.
//
// A cursor holds all that the next page needs, so that the service keeps nothing of a crawl. Its
// checksum finds damage, by a client or on the way. It is no signature: a client that makes up a
// cursor learns nothing that a query would not have returned, since each request applies its key's
// tier.
package cursor

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index/wire"
)

// First is a client's cursor for the first page.
const First = "*"

// Cursor is a position between two pages of a crawl.
type Cursor struct {
	Generation  string    // the public id of the generation that all pages come from
	Endpoint    string    // of the pages
	Query       string    // the parameters of the pages, as a query string
	Day         time.Time // on which the crawl began, midnight UTC: relative filters stay as they were then
	After       string    // the position, in the engine's own words (index.Query.Start)
	Seen, Total int64     // filings before the position, and in all
}

// A version begins a cursor's bytes. Another form of them gets another one.
const (
	version       = 1
	versionPacked = 2 // the query is packed, being longer than MaxQuery
)

// MaxQuery is how many bytes a cursor has for a query. A cursor is in an address and in a header,
// of which servers between take 4 KiB at least. A hundred ids of any size fit.
const MaxQuery = 2048

// Fits reports whether a cursor has room for a query, packed if it is long: so the hundred corners of a polygon fit.
func Fits(query string) bool { return len(query) <= MaxQuery || len(pack(query)) <= MaxQuery }

// packed are the characters that take half a byte: those of numbers, and of their separators in a
// query. Others take one and a half.
const packed = "0123456789.,-%B"

// pack writes a query with packed characters as their position, and each other one as the first
// value after these positions and its own halves.
func pack(query string) string {
	var halves []byte
	for _, c := range []byte(query) {
		if i := strings.IndexByte(packed, c); i >= 0 {
			halves = append(halves, byte(i))
		} else {
			halves = append(halves, byte(len(packed)), c>>4, c&15)
		}
	}
	if len(halves)%2 == 1 {
		halves = append(halves, byte(len(packed)))
	}
	whole := make([]byte, len(halves)/2)
	for i := range whole {
		whole[i] = halves[2*i]<<4 | halves[2*i+1]
	}
	return string(whole)
}

// unpack reads a text of pack. Of anything else it makes a text that pack changes.
func unpack(text string) string {
	var query []byte
	half := func(i int) byte { return text[i/2] >> (4 * (1 - i%2)) & 15 }
	for i := 0; i < 2*len(text); i++ {
		if c := half(i); int(c) < len(packed) {
			query = append(query, packed[c])
		} else if i+2 < 2*len(text) {
			query = append(query, half(i+1)<<4|half(i+2))
			i += 2
		}
	}
	return string(query)
}

// ErrDamaged is the error of a text that String did not write.
var ErrDamaged = errors.New("not a cursor, or a damaged one")

var (
	encoding = base64.RawURLEncoding.Strict() // strict: else the last character would have several forms
	table    = crc32.MakeTable(crc32.Castagnoli)
)

const secondsADay = 24 * 60 * 60

// String returns the text of c, of letters, digits, - and _: a third longer than the values of c.
func (c Cursor) String() string {
	b := []byte{version}
	if len(c.Query) > MaxQuery {
		b[0], c.Query = versionPacked, pack(c.Query)
	}
	for _, s := range c.texts() {
		b = protowire.AppendString(b, *s)
	}
	for _, n := range []int64{c.Day.Unix() / secondsADay, c.Seen, c.Total} {
		b = protowire.AppendVarint(b, uint64(n))
	}
	return encoding.EncodeToString(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, table)))
}

func (c *Cursor) texts() []*string { return []*string{&c.Generation, &c.Endpoint, &c.Query, &c.After} }

// Parse reads a text of String, or returns ErrDamaged.
func Parse(text string) (c Cursor, err error) {
	b, err := encoding.DecodeString(text)
	end := len(b) - crc32.Size
	if err != nil || end < 1 || b[0] != version && b[0] != versionPacked ||
		binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], table) {
		return Cursor{}, ErrDamaged
	}
	r := wire.Reader{Rest: b[1:end]}
	for _, s := range c.texts() {
		*s = string(r.Text())
	}
	if b[0] == versionPacked {
		c.Query = unpack(c.Query)
	}
	day, seen, total := r.Number(), r.Number(), r.Number()
	if r.Failed || len(r.Rest) > 0 || max(day, seen, total) > largest {
		return Cursor{}, ErrDamaged
	}
	c.Day = time.Unix(int64(day)*secondsADay, 0).UTC()
	c.Seen, c.Total = int64(seen), int64(total)
	if c.Day.Year() > lastYear || c.String() != text {
		return Cursor{}, ErrDamaged
	}
	return c, nil
}

// lastYear is the last one that a day as text has: engines compare days as texts.
const lastYear = 9999

// largest bounds numbers, so that no sum and no date made from two of them overflows.
const largest = 1 << 40
