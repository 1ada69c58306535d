package reindexer

import (
	"strings"
	"time"

	"filings/index"
)

// deletedName is the name that marks a deletion in an update (rule L9).
const deletedName = "deleted"

// rules are what records of one run are checked by, besides the table of fields.
type rules struct {
	update bool
	strict bool
	start  time.Time // CreatedAt of records that do not say theirs
	ignore func(name string)
}

// record takes the values of one record under their names, checks them, and keeps the first thing that is wrong. A
// record that is wrong is read to its end nevertheless, so that a reject can tell the id.
type record struct {
	rules *rules

	// What was read.
	line    int    // where the record begins
	text    string // as read
	filing  *index.Filing
	deleted bool
	rounded int64 // amounts that lost digits

	// What is wrong with it; reason is "" for a good record.
	field, reason string

	given  uint64              // a bit for each known field that was named
	others map[string]struct{} // unknown names
}

// deletedBit stands for deletedName in record.given, beyond those of fields.
const deletedBit = 63

// begin makes r ready for the record in a line. Its values go to filing.
func (r *record) begin(line int, text string, filing *index.Filing) {
	filing.Reset()
	if len(r.others) > maxNames {
		r.others = nil // clearing a map takes as long as it ever was large
	}
	clear(r.others)
	*r = record{rules: r.rules, others: r.others, line: line, text: text, filing: filing}
}

// fail notes what is wrong, unless something is already.
func (r *record) fail(field, reason string) {
	if r.reason == "" {
		r.field, r.reason = field, reason
	}
}

// set takes a value under the name that it was given.
func (r *record) set(name string, v *value) {
	if field, ok := index.ByName(name); ok {
		if r.first(uint(field), name) && !v.missing() {
			r.setField(field, v)
		}
		return
	}
	if name == deletedName {
		if r.first(deletedBit, name) && !v.missing() {
			r.setDeleted(v)
		}
		return
	}
	r.setOther(name)
}

// first notes that a known name was given, and fails where it was before.
func (r *record) first(bit uint, name string) bool {
	if r.given&(1<<bit) != 0 {
		r.fail(name, "is given twice")
		return false
	}
	r.given |= 1 << bit
	return true
}

func (r *record) setDeleted(v *value) {
	switch {
	case !r.rules.update:
		r.fail(deletedName, "is for updates: a full load has nothing to delete")
	case v.kind != kindBool:
		r.fail(deletedName, v.describe()+" is neither true nor false")
	default:
		r.deleted = v.text == "true"
	}
}

// setOther takes a name that no field has (rule L2).
func (r *record) setOther(name string) {
	if _, twice := r.others[name]; twice {
		r.fail(abbreviate(name), "is given twice")
		return
	}
	if r.others == nil {
		r.others = map[string]struct{}{}
	}
	r.others[name] = struct{}{}
	if r.rules.strict {
		r.fail(abbreviate(name), "is not the name of a field")
	}
	r.rules.ignore(name)
}

// finish checks what concerns the record as a whole, after all of its values were set.
func (r *record) finish() {
	f := r.filing
	if f.ID == 0 {
		r.fail(index.ID.String(), "is missing")
	}
	if r.deleted {
		return
	}
	if f.Text(index.County) == "" {
		r.fail(index.County.String(), "is missing")
	}
	r.needs(index.Latitude, index.Longitude)
	r.needs(index.Longitude, index.Latitude)
	if f.CreatedAt.IsZero() {
		f.CreatedAt = r.rules.start
	}
}

// needs fails if there is the one without the other.
func (r *record) needs(other, one index.Field) {
	if r.filing.Has(one) && !r.filing.Has(other) {
		r.fail(other.String(), "is missing, but there is a "+one.String())
	}
}

// names counts names without letting a hostile source fill the memory: beyond maxNames different ones, and beyond
// maxName bytes of one, they are counted together.
type names map[string]int64

const (
	maxNames   = 1000
	maxName    = 200
	otherNames = "(others)"
)

func (n names) add(name string) {
	name = abbreviate(name)
	if _, known := n[name]; !known {
		if len(n) >= maxNames {
			name = otherNames
		}
		name = strings.Clone(name) // it is a part of the line, which must not stay
	}
	n[name]++
}
