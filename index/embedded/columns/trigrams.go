package columns

import (
	"context"
	"encoding/binary"
	"slices"
	"sort"
)

// The search texts of a chunk have an index: for each three bytes in a row, a bit for each block of 128 rows in which they
// occur. A term can only be in the blocks that have all of its trigrams, so only these are read.
//
// Bytes are told apart by class: letters, digits, the blank and the end of a value each have one of their own, other bytes
// share the rest. So there are few trigrams whatever the texts are, and the index of a chunk has at most 7 MB; with names and
// addresses a tenth of that. A block that has the classes of a term may lack the term: the index only saves reading.

const (
	// trigramRows is how many rows a bit stands for.
	trigramRows = 128
	// trigramWords is how many words of 64 bits a trigram takes in the index of a chunk.
	trigramWords = ChunkRows / trigramRows / 64
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
	bits []uint64 // trigramWords for each trigram
}

func newTrigramColumn(to Sink) *trigramColumn {
	return &trigramColumn{to, make([]uint64, classes*classes*classes*trigramWords)}
}

// add notes the trigrams of a row of the chunk: those that begin at any byte of its texts, so that a term of one or two
// bytes begins a trigram wherever it is. Behind the texts are more ends.
func (c *trigramColumn) add(row int, texts []byte) {
	word, bit := row/trigramRows/64, uint64(1)<<(row/trigramRows%64)
	at := func(i int) byte {
		if i < len(texts) {
			return texts[i]
		}
		return textEnd
	}
	for i := range texts {
		c.bits[trigram(texts[i], at(i+1), at(i+2))*trigramWords+uint32(word)] |= bit
	}
}

// put writes the index of a chunk: the trigrams that occur, rising, and behind all of them the bits of each.
func (c *trigramColumn) put(chunk int) error {
	numbers, sets := []byte{}, []byte{} // nil would be NULL
	for n := uint32(0); n < classes*classes*classes; n++ {
		set := c.bits[n*trigramWords:][:trigramWords]
		if !slices.ContainsFunc(set, func(word uint64) bool { return word != 0 }) {
			continue
		}
		numbers = binary.LittleEndian.AppendUint32(numbers, n)
		for _, word := range set {
			sets = binary.LittleEndian.AppendUint64(sets, word)
		}
	}
	clear(c.bits)
	return c.to(columnTrigrams, chunk, append(numbers, sets...))
}

// trigrams is the index of a chunk.
type trigrams struct {
	numbers []uint32
	sets    []uint64 // trigramWords for each number
}

// trigrams returns the index of a chunk.
func (t *Table) trigrams(ctx context.Context, chunk int) (trigrams, error) {
	return decoded(ctx, t, columnTrigrams, chunk, func(data []byte) (trigrams, int, bool) {
		const each = 4 + 8*trigramWords
		n := len(data) / each
		x := trigrams{make([]uint32, n), make([]uint64, n*trigramWords)}
		read, err := binary.Decode(data, binary.LittleEndian, x.numbers)
		if err != nil || n*each != len(data) {
			return x, 0, false
		}
		_, err = binary.Decode(data[read:], binary.LittleEndian, x.sets)
		return x, len(data), err == nil
	})
}

// blocks are some blocks of a chunk, a bit each.
type blocks [trigramWords]uint64

// candidates returns the blocks in which term, which is not empty, may be.
func (x trigrams) candidates(term []byte) (b blocks) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	for i := range term[:max(1, len(term)-2)] {
		b.keep(x.beginningWith(term[i:min(len(term), i+3)]))
	}
	return b
}

// beginningWith returns the blocks that have a trigram which begins with one to three bytes.
func (x trigrams) beginningWith(prefix []byte) (b blocks) {
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
	from := sort.Search(len(x.numbers), func(i int) bool { return x.numbers[i] >= first })
	for i := from; i < len(x.numbers) && x.numbers[i] < first+many; i++ {
		for j, word := range x.sets[i*trigramWords:][:trigramWords] {
			b[j] |= word
		}
	}
	return b
}

func (b *blocks) keep(others blocks) {
	for i := range b {
		b[i] &= others[i]
	}
}

// each calls visit for each run of blocks with the rows that it has, from first to before end.
func (b *blocks) each(rows int, visit func(first, end int)) {
	first := -1
	for i := range ChunkRows / trigramRows {
		switch is := b[i/64]>>(i%64)&1 == 1; {
		case is && first < 0:
			first = i * trigramRows
		case !is && first >= 0:
			visit(first, min(i*trigramRows, rows))
			first = -1
		}
	}
	if first >= 0 && first < rows {
		visit(first, rows)
	}
}
