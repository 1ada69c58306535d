package synthetic

import (
	"time"

	"filings/index"
)

// Generator makes filings, one after the other. It is not safe for concurrent use.
type Generator struct {
	dice     dice
	words    words
	forms    ownerForms
	counties []county
	calendar calendar
	id       int64
	buf      []byte // scratch space for texts
}

// New returns a Generator whose filings end with January 2026, so that they do not depend on the day. The same seed
// makes the same filings.
func New(seed uint64) *Generator {
	return NewUntil(seed, time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC))
}

// NewUntil returns a Generator whose filings end at end: nothing was recorded or added later, and much was in the week
// before it. The same seed and end make the same filings.
func NewUntil(seed uint64, end time.Time) *Generator {
	w := newWords()
	return &Generator{
		dice:     newDice(seed),
		words:    w,
		forms:    newOwnerForms(),
		counties: newCounties(w),
		calendar: newCalendar(end),
	}
}

// cents sets an amount.
func (g *Generator) cents(f *index.Filing, field index.Field, cents int) {
	f.SetNumber(field, float64(cents)/100)
}
