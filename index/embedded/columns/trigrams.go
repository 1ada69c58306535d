package columns

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"filings/index/bitset"
)

// The search texts of a chunk have an index: for each three bytes in a row, the blocks of 16 rows
// in which they occur. A term can only be in the blocks that have all of its trigrams, so only
// these are read.
//
// The smaller the blocks, the fewer bytes are read, and the larger is the index. Of the 26 MB of
// texts of the figures, a name has 430 kB read in blocks of 32 rows, 160 kB in blocks of 16 and 63
// kB in blocks of 8, with indexes of 9, 13 and 17 MB.
//
// Bytes are told apart by class: letters, digits, the blank and the end of a value each have one of
// their own, other bytes share the rest. So there are few trigrams whatever the texts are, and an
// index has at most two bytes for each byte of them, beside a megabyte; with names and addresses
// half a byte. A block that has the classes of a term may lack the term: the index only saves
// reading.

// Classes of bytes: 26 letters, 10 digits, and these.
const (
	classBlank = 36 + iota
	classEnd
	classMark   // other ASCII
	classBeyond // and the seven after it: bytes beyond ASCII
	classes     = classBeyond + 8
)

// classOf is the class of each byte.
var classOf = func() (class [256]uint32) {
	for b := range class {
		switch {
		case b >= 'a' && b <= 'z':
			class[b] = uint32(b - 'a')
		case b >= '0' && b <= '9':
			class[b] = uint32(26 + b - '0')
		case b == ' ':
			class[b] = classBlank
		case b == textEnd:
			class[b] = classEnd
		case b < 0x80:
			class[b] = classMark
		default:
			class[b] = classBeyond + uint32(b%8)
		}
	}
	return class
}()

// trigram returns the number of three bytes. Trigrams that begin alike have neighboring numbers.
func trigram(a, b, c byte) uint32 { return (classOf[a]*classes+classOf[b])*classes + classOf[c] }

// setColumn collects sets of the rows, or blocks, of a chunk by numbers, and writes them with it.
type setColumn struct {
	sink        Sink
	index, sets string // the names of its columns
	size        int    // of the bits of all rows or blocks, in bytes
	lists       []rowList
	used        []uint32 // the numbers that have a set
}

func (c *setColumn) add(number uint32, row int) {
	l := &c.lists[number]
	if len(l.steps) == 0 {
		c.used = append(c.used, number)
	}
	l.add(row)
}

// put writes the numbers that have a set, rising, and where the set of each ends; and the sets.
func (c *setColumn) put(chunk int) error {
	slices.Sort(c.used)
	var sets []byte
	ends := make([]uint32, 0, len(c.used))
	for _, number := range c.used {
		l := &c.lists[number]
		sets = l.appendTo(sets, c.size)
		ends = append(ends, uint32(len(sets)))
		*l = rowList{steps: l.steps[:0]}
	}
	data, err := binary.Append(nil, binary.LittleEndian, slices.Concat(c.used, ends))
	c.used = c.used[:0]
	return cmp.Or(err, c.sink(c.index, chunk, data), c.sink(c.sets, chunk, sets))
}

// rowList is rows, or blocks, of a chunk that are added in rising order.
type rowList struct {
	last  int
	steps []byte // from each to the next one, the first from 0, as uvarints
}

func (l *rowList) add(row int) {
	if len(l.steps) > 0 && l.last == row {
		return
	}
	l.steps = binary.AppendUvarint(l.steps, uint64(row-l.last))
	l.last = row
}

// appendTo appends the list, or, if it is not shorter, the bits of all rows or blocks, size bytes.
func (l *rowList) appendTo(dst []byte, size int) []byte {
	if len(l.steps) < size {
		return append(dst, l.steps...)
	}
	set := bitset.New(8 * size)
	follow(set, l.steps, 8*size)
	for _, word := range set {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	return dst
}

// addSet adds a set of appendTo, of count rows or blocks, to sum, whose last words may be missing
// if there are no such rows. It returns false for bytes that are no such set.
func addSet(sum bitset.Set, set []byte, count int) bool {
	if len(set) < count/8 {
		return follow(sum, set, count)
	}
	for i := range min(len(sum), len(set)/8) {
		sum[i] |= binary.LittleEndian.Uint64(set[8*i:])
	}
	return len(set) == count/8
}

// follow adds the rows of a list.
func follow(rows bitset.Set, steps []byte, count int) bool {
	for row := uint64(0); len(steps) > 0; {
		step, n := uint64(steps[0]), 1
		if step >= 0x80 {
			step, n = binary.Uvarint(steps)
		}
		if row += step; n <= 0 || step >= uint64(count) || row >= uint64(64*len(rows)) {
			return false
		}
		steps = steps[n:]
		rows.Add(int(row))
	}
	return true
}

// trigramColumn is the blocks of each trigram.
type trigramColumn struct{ setColumn }

func newTrigramColumn(sink Sink) *trigramColumn {
	lists := make([]rowList, classes*classes*classes)
	return &trigramColumn{setColumn{
		sink: sink, index: columnTrigrams, sets: columnSets, size: blocksAChunk / 8, lists: lists,
	}}
}

// add notes the trigrams of a row in a block of the chunk: those that begin at any byte of its
// texts, so that a term of one or two bytes begins a trigram wherever it is. After the texts are
// more ends.
func (c *trigramColumn) add(block int, texts []byte) {
	byteAt := func(i int) byte {
		if i < len(texts) {
			return texts[i]
		}
		return textEnd
	}
	for i := range texts {
		c.setColumn.add(trigram(texts[i], byteAt(i+1), byteAt(i+2)), block)
	}
}

// setIndex says which trigrams, or runs, a chunk has, and where their sets end.
type setIndex struct{ numbers, ends []uint32 }

func (t *Table) setIndex(ctx context.Context, column string, chunk int) (setIndex, error) {
	return decoded(ctx, t, column, chunk, func(data []byte) (setIndex, int, bool) {
		n := len(data) / 8
		values, size, ok := decodeValues[uint32](data, 2*n)
		x := setIndex{values[:n], values[n:]}
		return x, size, ok && slices.IsSorted(x.numbers) && slices.IsSorted(x.ends)
	})
}

// beginningWith returns the range of trigrams that begin with one to three bytes.
func (x *setIndex) beginningWith(prefix []byte) (first, end int) {
	least, many := uint32(0), uint32(1)
	for i := range 3 {
		least *= classes
		if i < len(prefix) {
			least += classOf[prefix[i]]
		} else {
			many *= classes
		}
	}
	first, _ = slices.BinarySearch(x.numbers, least)
	end, _ = slices.BinarySearch(x.numbers, least+many)
	return first, end
}

// end returns where the sets of the first n trigrams end.
func (x *setIndex) end(n int) int {
	if n == 0 {
		return 0
	}
	return int(x.ends[n-1])
}

// candidates returns the blocks in which term, which is not empty, may be.
func (t *Table) candidates(ctx context.Context, chunk int, term []byte) (bitset.Set, error) {
	x, err := t.setIndex(ctx, columnTrigrams, chunk)
	if err != nil {
		return nil, err
	}
	blocks := bitset.Full(t.blocksOf(chunk))
	for i := range term[:max(1, len(term)-2)] {
		having, err := t.union(ctx, chunk, &x, term[i:min(len(term), i+3)])
		if err != nil {
			return nil, err
		}
		if blocks.Keep(having); blocks.IsEmpty() {
			break
		}
	}
	return blocks, nil
}

// union returns the blocks that have a trigram which begins with one to three bytes.
func (t *Table) union(ctx context.Context, chunk int, x *setIndex, prefix []byte) (bitset.Set, error) {
	blocks := bitset.New(t.blocksOf(chunk))
	first, end := x.beginningWith(prefix)
	if first == end {
		return blocks, nil
	}
	start := x.end(first)
	sets, err := t.source(ctx, columnSets, chunk, start, x.end(end))
	for i := first; i < end && err == nil; i++ {
		if !addSet(blocks, sets[x.end(i)-start:x.end(i+1)-start], blocksAChunk) {
			err = t.damaged(chunk, columnSets)
		}
	}
	return blocks, err
}
