package sidecar

import (
	"slices"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// wordCounter counts filings by the words of owner and address. It counts a batch of them while the
// next one is filled: what is done in line makes a load longer.
type wordCounter struct {
	batch    []byte
	counting errgroup.Group // one batch at a time

	// Of counting alone, and of the caller after finish.
	words   numbers
	counts  []wordCount
	of      [][]uint32 // the words of each writing of an owner
	filings uint32
}

type wordCount struct {
	filings, last uint32 // last is the filing that was counted last, so that each counts once
}

// batchBytes is how much is counted at once.
const batchBytes = 256 << 10

func newWordCounter() *wordCounter {
	c := &wordCounter{words: newNumbers()}
	c.counting.SetLimit(1)
	return c
}

// add counts a filing by the words of its address that its owner does not have. The first filing of
// a writing, which are numbered from 0, brings the owner; of no owner the number is -1.
func (c *wordCounter) add(writing int, owner, address string) {
	c.batch = protowire.AppendString(protowire.AppendVarint(c.batch, uint64(writing+1)), owner)
	c.batch = protowire.AppendString(c.batch, address)
	if len(c.batch) >= batchBytes {
		c.countBatch()
	}
}

func (c *wordCounter) countBatch() {
	full := c.batch
	c.batch = make([]byte, 0, cap(full))
	c.counting.Go(func() error {
		for in := (cutter{data: full}); len(in.data) > 0; {
			c.count(int(in.number()), in.text(), in.text())
		}
		return nil
	})
}

func (c *wordCounter) count(writing int, owner, address []byte) {
	c.filings++
	if writing > len(c.of) {
		c.of = append(c.of, c.wordsOf(string(owner)))
	}
	var counted []uint32
	if writing > 0 {
		counted = c.of[writing-1]
	}
	for word, rest := index.CutWord(address); len(word) > 0; word, rest = index.CutWord(rest) {
		if !matters(word) {
			continue
		}
		number, known := c.words.of[string(word)]
		if !known {
			number = c.word(string(word))
		}
		if count := &c.counts[number]; count.last != c.filings && !slices.Contains(counted, number) {
			count.last = c.filings
			count.filings++
		}
	}
}

func (c *wordCounter) wordsOf(owner string) (of []uint32) {
	for _, word := range index.Words(owner) {
		if matters(word) {
			of = append(of, c.word(word))
		}
	}
	return of
}

func (c *wordCounter) word(text string) uint32 {
	number, isNew := c.words.number(text)
	if isNew {
		c.counts = append(c.counts, wordCount{})
	}
	return number
}

// finish counts the rest, and for each writing its filings by the words of its owner.
func (c *wordCounter) finish(writings []writing) {
	c.countBatch()
	_ = c.counting.Wait() // counting does not fail
	for i, of := range c.of {
		for _, word := range of {
			c.counts[word].filings += writings[i].filings
		}
	}
}

// matters reports whether a word can be near what was typed: that has 5 characters or more and no
// digit, so no word of fewer than 4 is near it, and none of more than two digits.
func matters[T string | []byte](word T) bool {
	digits := 0
	for i := range len(word) {
		if '0' <= word[i] && word[i] <= '9' {
			digits++
		}
	}
	return len(word) >= 4 && digits <= 2
}
