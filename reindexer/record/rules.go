package record

import "strings"

// Rules are those by which the records of one load are checked, besides the table of fields.
type Rules struct {
	Update  bool  // deletions are allowed
	Strict  bool  // unknown names are a fault
	Stored  bool  // records are an engine's: a county of a load before rule X42 may have any state
	Ignored Names // counts unknown names; nil: they are not counted
}

// Result is the result of reading a record.
type Result struct {
	Deleted    bool  // the record deletes the filing with its id, which alone is valid
	Rounded    int64 // amounts that lost digits
	Normalized int64 // texts that were not in NFC

	// Reason is the fault; "" for a good record.
	Reason string
	Field  string // that is wrong; "" for the record as a whole
}

// Names counts names that no field has, without letting a hostile source fill the memory: beyond
// maxNames different ones, and beyond maxName characters of one, they are counted together.
type Names map[string]int64

const (
	maxNames   = 1000
	otherNames = "(others)"
)

func (n Names) add(name string) {
	if n == nil {
		return
	}
	name = abbreviate(name)
	if _, known := n[name]; !known {
		if len(n) >= maxNames {
			name = otherNames
		}
		name = strings.Clone(name) // it is a part of the row's text, which must not stay
	}
	n[name]++
}
