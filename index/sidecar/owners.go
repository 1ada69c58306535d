package sidecar

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// Owners counts filings by owner and by word. It takes some 300 bytes for each writing of an owner, and 80 for each word.
type Owners struct {
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
func (n *numbers) number(text []byte) (number uint32, isNew bool) {
	number, ok := n.of[string(text)]
	if !ok {
		number = uint32(len(n.texts))
		n.texts = append(n.texts, string(text))
		n.of[n.texts[number]] = number
	}
	return number, !ok
}

// NewOwners returns Owners of no filing.
func NewOwners() *Owners {
	c := &Owners{written: newNumbers(), keys: newNumbers(), counties: newNumbers(), shares: map[share]uint32{}, words: newWordCounter()}
	c.keys.number(nil) // 0 is no key
	return c
}

// Facts is what counts of a filing. Texts are "" where they are missing.
type Facts struct {
	Owner, County, Date []byte  // as written
	Key                 []byte  // of the owner; nil where it is not known
	Address             []byte  // SearchText
	Amount              float64 // NaN for none
}

// Append appends f as ReadFacts reads it.
func (f *Facts) Append(dst []byte) []byte {
	for _, text := range [][]byte{f.Owner, f.County, f.Date, f.Address} {
		dst = protowire.AppendBytes(dst, text)
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f.Amount))
}

// ReadFacts reads what Append wrote. Its texts refer to data.
func ReadFacts(data []byte) (f Facts, err error) {
	c := cutter{data: data}
	f.Owner, f.County, f.Date, f.Address = c.text(), c.text(), c.text(), c.text()
	if c.failed || len(c.data) != 8 {
		return f, ErrDamaged
	}
	f.Amount = math.Float64frombits(binary.LittleEndian.Uint64(c.data))
	return f, nil
}

// Add counts a filing, and returns the number of its owner's writing, from 0 in the order of their first filings; -1 without an owner.
func (c *Owners) Add(f *Facts) (writing int) {
	if len(f.Owner) == 0 {
		c.words.add(-1, nil, f.Address)
		return -1
	}
	number, isNew := c.written.number(f.Owner)
	if isNew {
		c.writings = append(c.writings, c.newWriting(f))
	}
	c.addTo(&c.writings[number], number, f)
	var words []byte
	if isNew && c.Key(int(number)) != "" {
		words = f.Owner
	}
	c.words.add(int(number), words, f.Address)
	return int(number)
}

// Key returns the key of a writing, "" for none.
func (c *Owners) Key(writing int) string { return c.keys.texts[c.writings[writing].owner] }

func (c *Owners) newWriting(f *Facts) (w writing) {
	key := f.Key
	if key == nil {
		key = []byte(index.OwnerKeyOf(string(f.Owner)))
	}
	w.owner, _ = c.keys.number(key)
	w.county, _ = c.counties.number(f.County)
	return w
}

func (c *Owners) addTo(w *writing, number uint32, f *Facts) {
	w.filings++
	if !math.IsNaN(f.Amount) {
		w.amounts++
		w.cents += index.Cents(f.Amount)
	}
	if day := index.DayNumber(f.Date); day > 0 {
		if w.first == 0 || day < w.first {
			w.first = day
		}
		w.last = max(w.last, day)
	}
	if string(f.County) == c.counties.texts[w.county] {
		w.inThat++
	} else {
		county, _ := c.counties.number(f.County)
		c.shares[share{number, county}]++
	}
}
