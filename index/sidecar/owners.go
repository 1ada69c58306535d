package sidecar

import (
	"strings"

	"filings/index"
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
type share struct{ of, county uint32 }

// numbers numbers texts by their first use.
type numbers struct {
	of    map[string]uint32
	texts []string
}

func newNumbers() numbers { return numbers{of: map[string]uint32{}} }

// number returns the number of a text, and whether it is new.
func (n *numbers) number(text string) (number uint32, isNew bool) {
	number, ok := n.of[text]
	if !ok {
		number = uint32(len(n.texts))
		n.texts = append(n.texts, strings.Clone(text)) // it may be a part of a longer one
		n.of[n.texts[number]] = number
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
