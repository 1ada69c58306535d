package sidecar

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/wire"
)

// owners counts filings by owner and by word. It takes some 300 bytes for each writing of an owner,
// and 80 for each word.
type owners struct {
	writings []writing
	written  numbers // as on the records
	keys     numbers
	counties numbers
	shares   map[share]uint32 // filings of a writing in counties but its first one
	words    *wordCounter
}

// writing is how an owner is written.
type writing struct {
	owner, county            uint32 // the county of its first filing
	filings, amounts, inThat uint32
	first, last              uint32 // days, as numbers that are written alike; 0 for none
	cents                    float64
}

// share is some filings of a writing, or of an owner, in a county.
type share struct{ number, county uint32 }

// numbers numbers texts by their first use.
type numbers struct {
	byText map[string]uint32
	texts  []string
}

func newNumbers() numbers { return numbers{byText: map[string]uint32{}} }

// number returns the number of a text, and whether it is new.
func (n *numbers) number(text string) (number uint32, isNew bool) {
	number, ok := n.byText[text]
	if !ok {
		number = uint32(len(n.texts))
		n.texts = append(n.texts, strings.Clone(text)) // it may be a part of a longer one
		n.byText[n.texts[number]] = number
	}
	return number, !ok
}

// newOwners returns owners of no filing.
func newOwners() *owners {
	c := &owners{
		written: newNumbers(), keys: newNumbers(), counties: newNumbers(),
		shares: map[share]uint32{}, words: newWordCounter(),
	}
	c.keys.number("") // 0 is no key
	return c
}

// add counts a filing.
func (c *owners) add(f *index.Facts) {
	if f.Owner == "" {
		c.words.add(-1, "", f.Address)
		return
	}
	number, isNew := c.written.number(f.Owner)
	if isNew {
		c.writings = append(c.writings, c.newWriting(f))
	}
	c.addTo(&c.writings[number], number, f)
	words := ""
	if isNew && c.keys.texts[c.writings[number].owner] != "" {
		words = f.Owner
	}
	c.words.add(int(number), words, f.Address)
}

func (c *owners) newWriting(f *index.Facts) (w writing) {
	w.owner, _ = c.keys.number(index.OwnerKeyOf(f.Owner))
	w.county, _ = c.counties.number(f.County)
	return w
}

func (c *owners) addTo(w *writing, number uint32, f *index.Facts) {
	w.filings++
	if f.HasAmount {
		w.amounts++
		w.cents += index.Cents(f.Amount)
	}
	if day := index.DayNumber(f.FilingDate); day > 0 {
		if w.first == 0 || day < w.first {
			w.first = day
		}
		w.last = max(w.last, day)
	}
	if f.County == c.counties.texts[w.county] {
		w.inThat++
	} else {
		county, _ := c.counties.number(f.County)
		c.shares[share{number, county}]++
	}
}

// wordCounter counts filings by the words of owner and address. It counts a batch of them while the
// next one is filled: counting in line would make a load longer.
type wordCounter struct {
	batch    []byte
	counting errgroup.Group // one batch at a time

	// Of counting alone, and of the caller after finish.
	words     numbers
	counts    []wordCount
	byWriting [][]uint32 // the words of each writing of an owner
	filings   uint32
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
		for items := (wire.Reader{Rest: full}); len(items.Rest) > 0; {
			c.count(int(items.Number()), items.Text(), items.Text())
		}
		return nil
	})
}

func (c *wordCounter) count(writing int, owner, address []byte) {
	c.filings++
	if writing > len(c.byWriting) {
		c.byWriting = append(c.byWriting, c.wordsOf(string(owner)))
	}
	var counted []uint32
	if writing > 0 {
		counted = c.byWriting[writing-1]
	}
	for word, rest := index.CutWord(address); len(word) > 0; word, rest = index.CutWord(rest) {
		if !correctable(word) {
			continue
		}
		number, known := c.words.byText[string(word)]
		if !known {
			number = c.word(string(word))
		}
		if count := &c.counts[number]; count.last != c.filings && !slices.Contains(counted, number) {
			count.last = c.filings
			count.filings++
		}
	}
}

func (c *wordCounter) wordsOf(owner string) (words []uint32) {
	for _, word := range index.Words(owner) {
		if correctable(word) {
			words = append(words, c.word(word))
		}
	}
	return words
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
	for i, words := range c.byWriting {
		for _, word := range words {
			c.counts[word].filings += writings[i].filings
		}
	}
}

// correctable reports whether a word can be a correction. A corrected word has 5 characters or more
// and no digit, so no word of fewer than 4 is near it, and none of more than two digits.
func correctable[T string | []byte](word T) bool {
	digits := 0
	for i := range len(word) {
		if '0' <= word[i] && word[i] <= '9' {
			digits++
		}
	}
	return len(word) >= 4 && digits <= 2
}

// words are the words of a generation, by how many characters they have, then by their bytes.
type words struct {
	texts   []string
	filings []uint32
	letters []uint64 // lettersOf each
	first   []int    // by characters: the first word of so many, or more
}

func readWords(r *wire.Reader) (w words, size int) {
	for len(r.Rest) > 0 {
		text := string(r.Text())
		for len(w.first) <= utf8.RuneCountInString(text) {
			w.first = append(w.first, len(w.texts))
		}
		w.texts, w.letters = append(w.texts, text), append(w.letters, lettersOf(text))
		w.filings = append(w.filings, uint32(r.Number()))
		size += len(text)
	}
	return w, size + 16*cap(w.texts) + 4*cap(w.filings) + 8*cap(w.letters)
}

// start returns the first word of so many characters, or more.
func (w *words) start(characters int) int {
	if characters < len(w.first) {
		return w.first[max(0, characters)]
	}
	return len(w.texts)
}

// lettersOf returns a bit for each letter or digit that a word has; some letters share one. To
// insert or delete a character changes one of them, to replace it two.
func lettersOf(word string) (letters uint64) {
	for _, r := range word {
		letters |= 1 << (uint32(r) % 64)
	}
	return letters
}

// Nearest implements index.Reader.
func (d *Directory) Nearest(ctx context.Context, typed []string) ([][]string, error) {
	w, err := cached(ctx, d, sectionWords, readWords)
	if err != nil {
		return nil, err
	}
	nearest := make([][]string, len(typed))
	for i, word := range typed {
		if reach := index.Reach(word); reach > 0 && !w.has(word) {
			if nearest[i], err = w.nearest(ctx, word, reach); err != nil {
				return nil, err
			}
		}
	}
	return nearest, nil
}

func (w *words) has(word string) bool {
	n := utf8.RuneCountInString(word)
	first, end := w.start(n), w.start(n+1)
	i := first + sort.SearchStrings(w.texts[first:end], word)
	return i < end && w.texts[i] == word
}

// lookEvery is how many words are between two looks at the context: less than a few milliseconds.
const lookEvery = 4096

// nearest returns the words at the smallest distance, which is at most reach.
func (w *words) nearest(ctx context.Context, word string, reach int) ([]string, error) {
	letters, typed := lettersOf(word), []rune(word)
	var found []int
	for i := w.start(len(typed) - reach); i < w.start(len(typed)+reach+1); i++ {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if bits.OnesCount64(letters^w.letters[i]) > 2*reach {
			continue
		}
		switch distance := index.Distance(typed, []rune(w.texts[i]), true); {
		case distance < reach:
			reach, found = distance, append(found[:0], i)
		case distance == reach:
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.filings[b], w.filings[a]), strings.Compare(w.texts[a], w.texts[b]))
	})
	var nearest []string
	for _, i := range found[:min(len(found), index.MaxNearest)] {
		nearest = append(nearest, w.texts[i])
	}
	return nearest, nil
}
