package sidecar

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"filings/index"
)

// words are the words of a generation, by how many characters they have, then by their bytes.
type words struct {
	texts   []string
	filings []uint32
	letters []uint64 // lettersOf each
	first   []int    // by characters: the first word of so many, or more
}

func readWords(c *cutter) (w words, size int) {
	for len(c.data) > 0 {
		text := string(c.text())
		for len(w.first) <= utf8.RuneCountInString(text) {
			w.first = append(w.first, len(w.texts))
		}
		w.texts, w.letters = append(w.texts, text), append(w.letters, lettersOf(text))
		w.filings = append(w.filings, uint32(c.number()))
		size += len(text)
	}
	return w, size + 16*cap(w.texts) + 4*cap(w.filings) + 8*cap(w.letters)
}

// from returns the first word of so many characters, or more.
func (w *words) from(characters int) int {
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
	all := make([][]string, len(typed))
	for i, word := range typed {
		if reach := index.Reach(word); reach > 0 && !w.has(word) {
			if all[i], err = w.nearest(ctx, word, reach); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (w *words) has(word string) bool {
	n := utf8.RuneCountInString(word)
	first, end := w.from(n), w.from(n+1)
	i := first + sort.SearchStrings(w.texts[first:end], word)
	return i < end && w.texts[i] == word
}

// lookEvery is how many words are looked at between two looks at the context: less than a few milliseconds.
const lookEvery = 4096

// nearest returns the words at the smallest distance, which is at most reach.
func (w *words) nearest(ctx context.Context, word string, reach int) ([]string, error) {
	letters, typed := lettersOf(word), []rune(word)
	var found []int
	for i := w.from(len(typed) - reach); i < w.from(len(typed)+reach+1); i++ {
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
