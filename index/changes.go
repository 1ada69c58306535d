package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"filings/index/address"
)

// History is an Engine's changesets between its generations (rule X19).
//
// A changeset leads to a promoted generation from its parent, the one that was live before. A
// rollback makes none, so changesets form a tree: the generation promoted after a rollback has the
// parent that was live then. Changes between any two generations lie on the path between them
// (package changes).
type History interface {
	// Changesets lists those that are kept, the newest generation first. A generation that Live has
	// returned has its changeset in the list, unless it has none: the first one, and one whose
	// parent an older program built. A generation that was never promoted has none. The generations
	// themselves need not be kept.
	Changesets(ctx context.Context) ([]Changeset, error)
	// Changes returns a page of changes of several changesets, or ErrGone if one is not kept.
	Changes(ctx context.Context, q ChangeQuery) (ChangePage, error)
}

// Changeset says how a generation came from its parent.
type Changeset struct {
	Generation, Parent string // names
	// Added, Changed and Removed are how many filings the changeset has changes of. Changed
	// includes those of which the city or the ZIP code alone differs.
	Added, Changed, Removed int64
}

// Change is a changeset's change of one filing.
type Change struct {
	Generation     string // of the changeset
	ID             int64
	Earlier, Later Version // one of them may be the zero Version; they differ
}

// Version is a filing as one generation has it: the fields that clients see, and those that they
// can filter by. Its time of addition isn't part of it.
type Version struct {
	Record Record // nil: the generation has no such filing
	City   string // as written (rule P7), Derived.WrittenCity
	ZIP    string // Derived.ZIP
	// Withheld: nothing is known any more but id and county, which Record has alone (rule X53).
	Withheld bool
}

// Filing returns v's filing with its city and ZIP code, and without the time of its addition.
func (v Version) Filing() (*Filing, error) {
	var values [NumReturned][]byte
	if err := v.Record.Values(values[:], NumReturned-1); err != nil {
		return nil, err
	}
	f := &Filing{}
	for field, value := range values {
		if err := f.setJSON(Field(field), value); err != nil {
			return nil, fmt.Errorf("%s of a record: %w", Field(field), err)
		}
	}
	f.SetText(City, v.City)
	f.SetText(ZIP, v.ZIP)
	return f, nil
}

// WithKeys returns the record of v with the keys of its owner and its address as two more members.
func (v Version) WithKeys() (Record, error) {
	f, err := v.Filing()
	if err != nil {
		return nil, err
	}
	d := Derive(f)
	f.SetText(OwnerKey, OwnerKeyOf(f.Text(Owner)))
	f.SetText(AddressKey, address.Text(d.AddressWord(f)))
	r := slices.Clone(v.Record[:len(v.Record)-1])
	for _, field := range Keys() {
		r = AppendValue(append(r, keys[field]...), f, field)
	}
	return append(r, '}'), nil
}

// setJSON sets a value that AppendValue wrote.
func (f *Filing) setJSON(field Field, value []byte) (err error) {
	switch {
	case fields[field].Kind == KindID:
		f.ID, err = strconv.ParseInt(string(value), 10, 64)
	case fields[field].Kind == KindCategories:
		err = json.Unmarshal(value, &f.Categories)
	case value[0] == '"':
		err = json.Unmarshal(value, &f.text[field])
	case value[0] != 'n': // null
		var v float64
		if v, err = strconv.ParseFloat(string(value), 64); err == nil {
			f.SetNumber(field, v)
		}
	}
	return err
}

// Stored is a filing as a generation stores it: all that a load knows of it.
type Stored struct {
	Version
	Created int64 // CreatedAt in microseconds of Unix time; NoTime for none
}

// AppendLoad appends s as a record of a load, which makes the same filing again.
func (s Stored) AppendLoad(dst []byte) []byte {
	dst = append(dst, s.Record[:max(len(s.Record)-1, 0)]...)
	if s.City != "" {
		dst = AppendString(append(dst, keys[City]...), s.City)
	}
	if s.ZIP != "" {
		dst = AppendString(append(dst, keys[ZIP]...), s.ZIP)
	}
	if s.Created != NoTime {
		dst = append(append(dst, keys[CreatedAt]...), '"')
		dst = time.UnixMicro(s.Created).UTC().AppendFormat(dst, time.RFC3339Nano)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

// ChangeQuery selects changes.
type ChangeQuery struct {
	Generations []string    // of the changesets, each once
	FieldGroups FieldGroups // changes that differ in one of these; not 0
	LastID      int64       // changes of filings with a higher id; 0: of all filings
	Limit       int         // changes to return at the most; at least as many as Generations
	// LaterOnly: of the earlier version it is enough to know whether there is one: its Record may be
	// empty, but not nil.
	LaterOnly bool
}

// ChangePage is a part of the changes of a ChangeQuery: by ID, those of one id in any order. The
// changes of an id are never parted: a page ends with the last one of an id, has at least one id if
// there is any, and may be shorter than Limit, as where its records are long.
type ChangePage struct {
	Changes []Change
	More    bool // there are changes of filings with a higher id
}

// FieldGroups is a set of field groups of a Version. An engine keeps the set of each change, to
// skip changes that the caller's tier does not show.
type FieldGroups uint8

// Field groups of a Version: the fields of a tier that no lower one shows; city and ZIP code.
const (
	FreeFields FieldGroups = 1 << iota
	ProFields
	EnterpriseFields
	PlaceFields

	AllFieldGroups = FreeFields | ProFields | EnterpriseFields | PlaceFields
)

// FieldGroupsOf returns the field groups that a tier shows.
func FieldGroupsOf(t Tier) FieldGroups { return 1<<(t+1) - 1 }

// firstAbove holds, for each tier but the highest, the key of the first field that it does not see.
var firstAbove = [Enterprise]Record{Free: Record(keys[PropertyType]), Pro: Record(keys[OwnerPhonePrimary])}

// byTier cuts r into the fields that each tier adds to the one below it.
func (r Record) byTier() (cut [Enterprise + 1]Record) {
	for t := range Enterprise {
		i := max(bytes.Index(r, firstAbove[t]), 0)
		cut[t], r = r[:i], r[i:]
	}
	cut[Enterprise] = r
	return cut
}

// Fingerprint stands for a filing where loads compare generations: equal fingerprints are taken for
// equal filings. Each field group has a digest of 64 bits, so a change of one filing is missed once
// in 2^64. When it was added is not compared; a load looks it up for records that do not say it
// (rule X19).
type Fingerprint struct {
	ID      int64
	Digests Digests
	Created int64 // CreatedAt in microseconds of Unix time; NoTime for none
	Facts   Facts
}

// Digests are those of each field group of a filing, in their order.
type Digests [4]uint64

// Facts are the part of a filing that is summed up in a sidecar: by county, by owner and
// by word. Texts are "" where they are missing.
type Facts struct {
	Owner, County, FilingDate string // as written
	Address                   string // SearchText
	Amount                    float64
	HasAmount                 bool
	HasCoordinates            bool // both
	Trust, Estate             bool
}

// NoTime is the Created of a filing without CreatedAt. No filing can have an instant that early.
const NoTime = -1 << 63

// FingerprintOf returns the fingerprint of f; d and record are those of f.
func FingerprintOf(f *Filing, d *Derived, record Record) Fingerprint {
	s := Fingerprint{
		ID: f.ID, Created: NoTime,
		Digests: DigestsOf(Version{Record: record, City: d.WrittenCity, ZIP: d.ZIP}),
		Facts: Facts{
			Owner: f.Text(Owner), County: f.Text(County), FilingDate: f.Text(FilingDate), Address: d.Search[1],
			HasCoordinates: f.Has(Latitude) && f.Has(Longitude), Trust: d.Trust, Estate: d.Estate,
		},
	}
	if f.Has(CreatedAt) {
		s.Created = f.CreatedAt.UnixMicro()
	}
	s.Facts.Amount, s.Facts.HasAmount = f.Number(FilingAmount)
	return s
}

// DigestsOf returns the digests of a filing as a generation has it.
func DigestsOf(v Version) (digests Digests) {
	for i, members := range v.Record.byTier() {
		digests[i] = xxhash.Sum64(members)
	}
	digests[len(digests)-1] = xxhash.Sum64String(v.City + "\n" + v.ZIP)
	return digests
}

// DifferIn returns the field groups in which two filings differ.
func (d Digests) DifferIn(later Digests) (groups FieldGroups) {
	for i := range d {
		if d[i] != later[i] {
			groups |= 1 << i
		}
	}
	return groups
}
