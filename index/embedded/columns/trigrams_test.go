package columns

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"filings/index/bitset"
	"filings/index/cache"
)

// Whatever blocks a trigram is in, it is found there: few, which are listed, or many, whose bits
// are kept, and on both sides of the bound between them.
func TestTrigrams_SetsOfAllSizes(t *testing.T) {
	t.Parallel()
	const bound = blocksAChunk / 8 // bytes
	for _, n := range []int{1, 2, 100, bound - 1, bound, bound + 1, blocksAChunk / 2, blocksAChunk} {
		for _, step := range []int{1, 2, 7, 127, 128, 129, blocksAChunk - 1} {
			var l rowList
			want, got := bitset.New(blocksAChunk), bitset.New(blocksAChunk)
			for i := range n {
				if block := i * step; block < blocksAChunk {
					l.add(block)
					l.add(block) // a second row of it
					want.Add(block)
				}
			}
			set := l.appendTo(nil, blocksAChunk/8)
			if len(set) > (blocksAChunk / 8) {
				t.Errorf("%d blocks, each %d behind the one before: %d bytes", n, step, len(set))
			}
			if !addSet(got, set, blocksAChunk) || !slices.Equal(got, want) {
				t.Errorf("%d blocks, each %d behind the one before: others are found", n, step)
			}
		}
	}
}

// Texts are read only where the trigrams of a term are.
func TestContains_ReadsCandidatesOnly(t *testing.T) {
	t.Parallel()
	rows := make([][]string, ChunkRows)
	for i := range rows {
		rows[i] = []string{"smith john", "12 main st"}
	}
	rows[5*rowsABlock] = []string{"quincy"}
	rows[ChunkRows-1] = []string{"quinn"}
	table := textTable(t, rows)
	for term, want := range map[string][]int{
		"quin": {0, 1}, "quinc": {0}, "nn": {1}, "q": {0, 1}, "z": {}, "zz": {}, "zzz": {}, "st": nil, "smith j": nil,
	} {
		var got []int
		b, err := table.candidates(t.Context(), 0, []byte(term))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range []int{5, ChunkRows/rowsABlock - 1} {
			if b.Has(block) {
				got = append(got, i)
			}
		}
		others := b[0] & 1
		if want == nil {
			if others == 0 {
				t.Errorf("%q is no candidate where it is", term)
			}
		} else if others == 1 || !slices.Equal(got, want) {
			t.Errorf("%q: candidates %v, others %v, want %v alone", term, got, others == 1, want)
		}
	}
}

// An index that is not as it was written is an error.
func TestTrigrams_Damaged(t *testing.T) {
	t.Parallel()
	number := make([]byte, 4)
	binary.LittleEndian.PutUint32(number, trigram('a', 'b', 'c'))
	after := slices.Clone(number)
	after[0]++
	header := slices.Concat(number, after, []byte{1, 0, 0, 0, 3, 0, 0, 0}) // where the sets end
	read := func(header, sets []byte) error {
		chunks := &stored{chunks: map[cache.Key][]byte{}}
		if err := errors.Join(chunks.put(columnTrigrams, 0, header), chunks.put(columnSets, 0, sets)); err != nil {
			t.Fatal(err)
		}
		_, err := Open("test", 1, chunks.get, cache.New(1<<20)).candidates(t.Context(), 0, []byte("ab"))
		return err
	}
	sets := []byte{5, 5, 6}
	if err := read(header, sets); err != nil {
		t.Fatal(err)
	}
	falling, long := slices.Clone(header), slices.Clone(header)
	falling[8] = 4
	binary.LittleEndian.PutUint32(long[12:], (blocksAChunk/8)+3)
	for what, err := range map[string]error{
		"short":                         read(header[:3], sets),
		"of sets that overlap":          read(falling, sets),
		"of a step without an end":      read(header, []byte{5, 5, 0x80}),
		"of a block beyond the chunk":   read(header, []byte{5, 0xff, 0x7f}),
		"of a set longer than its bits": read(long, append(sets, make([]byte, (blocksAChunk/8))...)),
	} {
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("an index that is %s: %v", what, err)
		}
	}
}

// An index of runs that is not as it was written is an error.
func TestRuns_Damaged(t *testing.T) {
	t.Parallel()
	words := []byte("\x05smith")
	header := []byte{0, 0, 0, 0, 1, 0, 0, 0} // the rows of code 0 end after one byte
	read := func(words, header, rows []byte) error {
		chunks := &stored{chunks: map[cache.Key][]byte{}}
		err := errors.Join(chunks.put(columnLetters+wordsSuffix, 0, words),
			chunks.put(columnLetters, 0, header), chunks.put(columnLetterRows, 0, rows),
			chunks.put(columnLetterOrders, 0, make([]byte, 4)), chunks.put(columnLetterOrders, 1, make([]byte, 4)))
		if err != nil {
			t.Fatal(err)
		}
		holds, isRun, err := Open("test", 3, chunks.get, cache.New(1<<20)).ofRuns(t.Context(), "smith")
		if err != nil {
			return err
		}
		bits := []uint64{0}
		if err := holds(t.Context(), 0, bits); err == nil && (!isRun || bits[0] != 1<<2) {
			t.Errorf("rows %b are found", bits[0])
		}
		return holds(t.Context(), 0, bits)
	}
	if err := read(words, header, []byte{2}); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"a dictionary that is cut":  read(words[:3], header, []byte{2}),
		"an index that is cut":      read(words, header[:7], []byte{2}),
		"a row beyond the chunk":    read(words, header, []byte{70}),
		"a step without an end":     read(words, header, []byte{0x80}),
		"rows as bits, of a length": read(words, []byte{0, 0, 0, 0, 1, 32, 0, 0}, make([]byte, ChunkRows/8+1)),
	} {
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
