package columns

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// The search texts of a chunk have an index: for each three bytes in a row, the blocks of 16 rows in which they occur. A term
// can only be in the blocks that have all of its trigrams, so only these are read.
//
// The smaller the blocks, the fewer bytes are read, and the larger is the index. Of the 26 MB of texts of the figures, a
// name has 430 kB read in blocks of 32 rows, 160 kB in blocks of 16 and 63 kB in blocks of 8, with indexes of 9, 13 and 17 MB.
//
// Bytes are told apart by class: letters, digits, the blank and the end of a value each have one of their own, other bytes
// share the rest. So there are few trigrams whatever the texts are, and an index has at most two bytes for each byte of them,
// beside a megabyte; with names and addresses half a byte. A block that has the classes of a term may lack the term: the
// index only saves reading.

const (
	// trigramRows is how many rows a block has.
	trigramRows = 16
	// trigramBlocks is how many blocks a chunk has.
	trigramBlocks = ChunkRows / trigramRows
)

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

// trigram returns the number of three bytes. Trigrams that begin alike have neighbouring numbers.
func trigram(a, b, c byte) uint32 { return (classOf[a]*classes+classOf[b])*classes + classOf[c] }

// trigramColumn collects the trigrams of a chunk, and writes them with it.
type trigramColumn struct {
	to   Sink
	sets []blockList // by trigram
}

// blockList is blocks that are added in rising order.
type blockList struct {
	last  int
	steps []byte // from each block to the next one, the first from 0, as uvarints
}

func (l *blockList) add(block int) {
	if len(l.steps) > 0 && l.last == block {
		return
	}
	l.steps = binary.AppendUvarint(l.steps, uint64(block-l.last))
	l.last = block
}

// appendTo appends the list, or the bits of its blocks if these are not longer.
func (l *blockList) appendTo(dst []byte) []byte {
	if len(l.steps) < bitsSize {
		return append(dst, l.steps...)
	}
	var b blocks
	b.follow(l.steps)
	for _, word := range b {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	return dst
}

func newTrigramColumn(to Sink) *trigramColumn {
	return &trigramColumn{to, make([]blockList, classes*classes*classes)}
}

// add notes the trigrams of a row of the chunk: those that begin at any byte of its texts, so that a term of one or two
// bytes begins a trigram wherever it is. Behind the texts are more ends.
func (c *trigramColumn) add(row int, texts []byte) {
	at := func(i int) byte {
		if i < len(texts) {
			return texts[i]
		}
		return textEnd
	}
	for i := range texts {
		c.sets[trigram(texts[i], at(i+1), at(i+2))].add(row / trigramRows)
	}
}

// put writes the index of a chunk: how many trigrams occur, their numbers, rising, where the set of each ends, and the sets.
func (c *trigramColumn) put(chunk int) error {
	var header, sets []byte
	var numbers, ends []uint32
	for n := range c.sets {
		l := &c.sets[n]
		if len(l.steps) == 0 {
			continue
		}
		sets = l.appendTo(sets)
		numbers, ends = append(numbers, uint32(n)), append(ends, uint32(len(sets)))
		*l = blockList{steps: l.steps[:0]}
	}
	header = binary.LittleEndian.AppendUint32(header, uint32(len(numbers)))
	for _, n := range slices.Concat(numbers, ends) {
		header = binary.LittleEndian.AppendUint32(header, n)
	}
	return c.to(columnTrigrams, chunk, append(header, sets...))
}

// trigrams is the index of a chunk.
type trigrams struct {
	numbers, ends []uint32 // of each trigram, and of its set
	sets          []byte
}

// trigrams returns the index of a chunk.
func (t *Table) trigrams(ctx context.Context, chunk int) (trigrams, error) {
	return decoded(ctx, t, columnTrigrams, chunk, func(data []byte) (x trigrams, size int, ok bool) {
		var n uint32
		at, err := binary.Decode(data, binary.LittleEndian, &n)
		if err != nil || int(n) > (len(data)-at)/8 {
			return x, 0, false
		}
		both := make([]uint32, 2*n)
		size, err = binary.Decode(data[at:], binary.LittleEndian, both)
		x = trigrams{both[:n], both[n:], data[at+size:]}
		ok = err == nil && slices.IsSorted(x.ends) && (n == 0 || int(x.ends[n-1]) == len(x.sets)) && x.valid()
		return x, len(data), ok
	})
}

// valid reports whether each set is of blocks of a chunk, so that searches need not look again.
func (x *trigrams) valid() bool {
	for i := range x.ends {
		set := x.set(i)
		if len(set) == bitsSize {
			continue
		}
		for block := uint64(0); len(set) > 0; {
			step, n := binary.Uvarint(set)
			if n <= 0 || step >= trigramBlocks || block+step >= trigramBlocks || len(set) > bitsSize {
				return false
			}
			block, set = block+step, set[n:]
		}
	}
	return true
}

// set returns the set of the i-th trigram.
func (x *trigrams) set(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = x.ends[i-1]
	}
	return x.sets[start:x.ends[i]]
}

// blocks are some blocks of a chunk, a bit each.
type blocks [trigramBlocks / 64]uint64

// bitsSize is how many bytes the bits of blocks take.
const bitsSize = trigramBlocks / 8

// add adds a set: the steps of a list, or bits, which no list in an index is as long as.
func (b *blocks) add(set []byte) {
	if len(set) < bitsSize {
		b.follow(set)
		return
	}
	for i := range b {
		b[i] |= binary.LittleEndian.Uint64(set[8*i:])
	}
}

// follow adds the blocks of a list.
func (b *blocks) follow(steps []byte) {
	for block := uint64(0); len(steps) > 0; {
		step, n := uint64(steps[0]), 1
		if step >= 0x80 {
			step, n = binary.Uvarint(steps)
		}
		block, steps = block+step, steps[n:]
		b[block/64] |= 1 << (block % 64)
	}
}

// candidates returns the blocks in which term, which is not empty, may be.
func (x *trigrams) candidates(term []byte) (b blocks) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	for i := range term[:max(1, len(term)-2)] {
		others := x.beginningWith(term[i:min(len(term), i+3)])
		left := uint64(0)
		for j := range b {
			b[j] &= others[j]
			left |= b[j]
		}
		if left == 0 {
			break
		}
	}
	return b
}

// beginningWith returns the blocks that have a trigram which begins with one to three bytes.
func (x *trigrams) beginningWith(prefix []byte) (b blocks) {
	padded := [3]byte{}
	copy(padded[:], prefix)
	first, many := uint32(0), uint32(1)
	for i := range padded {
		first *= classes
		if i < len(prefix) {
			first += classOf[prefix[i]]
		} else {
			many *= classes
		}
	}
	from, _ := slices.BinarySearch(x.numbers, first)
	for i := from; i < len(x.numbers) && x.numbers[i] < first+many; i++ {
		b.add(x.set(i))
	}
	return b
}

// each calls visit for runs of blocks with the rows that they have, of so many in the chunk: from first to before end.
func (b *blocks) each(rows int, visit func(first, end int)) {
	for i, word := range b {
		for word != 0 {
			start := bits.TrailingZeros64(word)
			behind := start + bits.TrailingZeros64(^(word >> start))
			visit((i*64+start)*trigramRows, min((i*64+behind)*trigramRows, rows))
			word &= math.MaxUint64 << behind // 0 from 64 on
		}
	}
}
