package sidecar

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// factsSize is how many bytes follow the texts of facts.
const factsSize = 8 + 1

// appendFacts appends f as cutter.facts reads it.
func appendFacts(dst []byte, f *index.Facts) []byte {
	for _, text := range [...]string{f.Owner, f.County, f.FilingDate, f.Address} {
		dst = protowire.AppendString(dst, text)
	}
	flags := byte(0)
	for i, is := range [...]bool{f.HasAmount, f.HasCoordinates, f.Trust, f.Estate} {
		if is {
			flags |= 1 << i
		}
	}
	return append(binary.LittleEndian.AppendUint64(dst, math.Float64bits(f.Amount)), flags)
}

// facts reads what appendFacts wrote. text is what data was: texts are parts of it, which need no
// memory of their own.
func (c *cutter) facts(text string) (f index.Facts) {
	part := func() string {
		n, end := len(c.text()), len(text)-len(c.data)
		return text[end-n : end]
	}
	f.Owner, f.County, f.FilingDate, f.Address = part(), part(), part(), part()
	if len(c.data) < factsSize {
		c.skip(-1)
		return f
	}
	f.Amount = math.Float64frombits(binary.LittleEndian.Uint64(c.data))
	flags := c.data[factsSize-1]
	f.HasAmount, f.HasCoordinates, f.Trust, f.Estate = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	c.skip(factsSize)
	return f
}
