package columns

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"filings/index/cache"
)

// Whatever blocks a trigram is in, it is found there: few, which are listed, or many, whose bits are kept, and on both sides
// of the bound between them.
func TestTrigrams_SetsOfAllSizes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 100, bitsSize - 1, bitsSize, bitsSize + 1, trigramBlocks / 2, trigramBlocks} {
		for _, step := range []int{1, 2, 7, 127, 128, 129, trigramBlocks - 1} {
			var l blockList
			var want blocks
			for i := range n {
				if block := i * step; block < trigramBlocks {
					l.add(block)
					l.add(block) // a second row of it
					want[block/64] |= 1 << (block % 64)
				}
			}
			set := l.appendTo(nil)
			if len(set) > bitsSize {
				t.Errorf("%d blocks, each %d behind the one before: %d bytes", n, step, len(set))
			}
			var got blocks
			if got.add(set); got != want {
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
	rows[5*trigramRows] = []string{"quincy"}
	rows[ChunkRows-1] = []string{"quinn"}
	x, err := textTable(t, rows).trigrams(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string][]int{
		"quin": {0, 1}, "quinc": {0}, "nn": {1}, "q": {0, 1}, "z": {}, "zz": {}, "zzz": {}, "st": nil, "smith j": nil,
	} {
		var got []int
		b := x.candidates([]byte(term))
		for i, block := range []int{5, ChunkRows/trigramRows - 1} {
			if b[block/64]>>(block%64)&1 == 1 {
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
	whole := []byte{
		2, 0, 0, 0, // trigrams
		7, 0, 0, 0, 9, 0, 0, 0, // their numbers
		1, 0, 0, 0, 3, 0, 0, 0, // where their sets end
		5, 5, 6,
	}
	read := func(data []byte) error {
		source := func(context.Context, string, int) ([]byte, error) { return data, nil }
		_, err := Open("test", 1, source, cache.New(1<<20)).trigrams(t.Context(), 0)
		return err
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	more, falling := slices.Clone(whole), slices.Clone(whole)
	more[0], falling[12] = 3, 4
	endless, beyond := slices.Clone(whole), slices.Clone(whole)
	endless[len(whole)-1] = 0x80
	copy(beyond[len(whole)-2:], []byte{0xff, 0x7f}) // a step over more blocks than a chunk has
	long := append(slices.Clone(whole), make([]byte, bitsSize)...)
	binary.LittleEndian.PutUint32(long[16:], bitsSize+3)
	for what, data := range map[string][]byte{
		"empty": {}, "short": whole[:3], "of more trigrams": more, "without the last step": whole[:len(whole)-1], "of sets that overlap": falling,
		"of a step without an end": endless, "of a block beyond the chunk": beyond, "of a set that is longer than its bits": long,
	} {
		if err := read(data); !errors.Is(err, ErrDamaged) {
			t.Errorf("an index that is %s: %v", what, err)
		}
	}
}
