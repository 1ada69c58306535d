// Package sieve knows which filings are withheld (rule X53): it makes the entries of the list that
// package generation keeps, and looks for their filings in records and generations. A load decides
// on them.
//
// # Design
//
// The list has no names: an entry has the keyed SHA-256 of an owner's key, of an address's key with
// the parts that were named, or of an id. So a Sieve works these keys out for each filing, of the
// kinds that its entries have, and looks their digests up: the time does not depend on the number
// of entries. These take some microseconds, so it looks at marks first: short keyed hashes that
// equal keys have in common, which records show without their keys being worked out. Nearly all
// filings end there.
//
// A digest cannot be made again from another spelling of its name. So if rule X61 has changed the
// keys of a filing, its former ones are looked up, too: an upgrade brings no withheld owner back.
//
// Filters of queries would be the other way. They leak, by ids, by counts, by cached or pinned
// data, and leave the filings in files. So a list is for loads, which are the only ones that write:
// the service does not know of it.
//
// A withheld filing in a changeset becomes a Version of id and county alone: clients that follow
// changes learn that it is removed, those that filter by another county do not.
package sieve

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"filings/index"
	"filings/index/address"
	"filings/index/bitset"
	"filings/index/generation"
	"filings/reindexer/record"
)

// ErrInvalid: a Withhold names nothing that can be withheld.
var ErrInvalid = errors.New("nothing can be withheld by that")

// Withhold is a run's addition to the list of withheld filings (rule X53): those of an owner, of an
// address, or the one with an id.
type Withhold struct {
	Owner, Address string
	ID             int64
	County         string // the only one that is meant; "" for all
	Contacts       bool   // only their contacts
	Reason         string
	LastDay        string // the last day, YYYY-MM-DD; "" for ever
}

// Kinds of keys, and parts that an address names: a Digest is made of these.
const (
	ofOwner = 1 << (7 - iota)
	ofID
	ofAddress // with some of the following, besides house number and street
	withUnit
	withZIP
	withCity
	withState
	withoutZIP // of addresses without a ZIP alone
)

// secretKey is a key of filings before it is hashed.
type secretKey struct {
	parts   uint8
	text    string
	address address.Key // of an entry
}

// Check returns ErrInvalid if w makes no entry.
func (w Withhold) Check() error {
	_, _, err := w.keys()
	return err
}

// keys returns the keys by which filings are looked for, and their kind; ErrInvalid for none.
func (w Withhold) keys() (kind string, keys []secretKey, err error) {
	named := 0
	if w.Owner != "" {
		named, kind, keys = named+1, "owner", []secretKey{{parts: ofOwner, text: index.OwnerKeyOf(w.Owner)}}
	}
	if w.ID != 0 {
		named, kind, keys = named+1, "id", []secretKey{{parts: ofID, text: strconv.FormatInt(w.ID, 10)}}
	}
	if w.Address != "" {
		named, kind, keys = named+1, "address", addressKeys(index.AddressKeyOf(w.Address, "", ""))
	}
	_, day := time.Parse(time.DateOnly, w.LastDay)
	switch {
	case named != 1:
		err = fmt.Errorf("%w: name one of an owner, an address and an id", ErrInvalid)
	case w.ID < 0:
		err = fmt.Errorf("%w: an id is 1 or more", ErrInvalid)
	case w.Address != "" && keys == nil:
		err = fmt.Errorf("%w: the address must begin with a house number and a street, such as 12 Elm St, Orlando, FL",
			ErrInvalid)
	case keys[0].text == "":
		err = fmt.Errorf("%w: the owner must have a letter or a digit", ErrInvalid)
	case w.County != "" && !record.IsCounty(w.County):
		err = fmt.Errorf(`%w: a county is named as records have it, such as "Orange, FL", not %q`, ErrInvalid, w.County)
	case w.LastDay != "" && day != nil:
		err = fmt.Errorf("%w: the last day must be YYYY-MM-DD, not %q", ErrInvalid, w.LastDay)
	case strings.TrimSpace(w.Reason) == "":
		err = fmt.Errorf("%w: say the reason, such as a file number; the list keeps it", ErrInvalid)
	case w.Owner != "" && hasWords(index.OwnerKeyOf(w.Reason), keys[0].text):
		err = fmt.Errorf("%w: the list keeps the reason, which must not have the name", ErrInvalid)
	}
	return kind, keys, err
}

// hasWords reports whether all words of a key are in a text.
func hasWords(text, key string) bool {
	words := strings.Fields(text)
	return !slices.ContainsFunc(strings.Fields(key), func(w string) bool { return !slices.Contains(words, w) })
}

// addressKeys returns the keys of filings that have all parts of an address: of one that names
// both, those with its ZIP, and those without a ZIP in its city.
func addressKeys(k address.Key) (keys []secretKey) {
	named := uint8(0)
	for part, text := range map[uint8]string{
		ofAddress: k.Number, withUnit: k.Unit, withZIP: k.ZIP, withCity: k.City, withState: k.State,
	} {
		if text != "" {
			named |= part
		}
	}
	variants := []uint8{named}
	if place := uint8(withCity | withState); named&withZIP != 0 && named&place == place {
		variants = []uint8{named &^ place, named&^withZIP | withoutZIP}
	}
	for _, parts := range variants {
		if text := addressText(k, parts&^withoutZIP); text != "" {
			keys = append(keys, secretKey{parts, text, k})
		}
	}
	return keys
}

// addressText joins these parts of an address; "" where it lacks one.
func addressText(k address.Key, parts uint8) string {
	text := k.Number + "\n" + k.Street
	if k.Number == "" || parts&withoutZIP != 0 && k.ZIP != "" {
		return ""
	}
	for _, p := range []struct {
		part uint8
		text string
	}{{withUnit, k.Unit}, {withZIP, k.ZIP}, {withCity, k.City}, {withState, k.State}} {
		if parts&p.part != 0 {
			if text += "\n" + p.text; p.text == "" {
				return ""
			}
		}
	}
	return text
}

// Verdict is how much of a filing is withheld.
type Verdict uint8

// Verdicts.
const (
	Nothing  Verdict = iota
	Contacts         // only these
	Whole
)

// Sieve knows by digests which filings are withheld. It is for one goroutine.
type Sieve struct {
	mac     hash.Hash
	sum     [sha256.Size]byte
	parts   []uint8 // of the keys in entries
	kinds   uint8   // ofOwner, ofID, ofAddress: which of them
	seed    uint64  // of marks
	marks   bitset.Set
	known   func(mark uint64) bool
	entries map[[sha256.Size]byte][]*generation.Withholding
}

// New returns the sieve of some entries; nil of none.
func New(list *generation.Withheld, want func(*generation.Withholding) bool) *Sieve {
	s := hasher(list.Secret)
	s.marks, s.known = bitset.New(1<<markBits), s.isKnown
	for i := range list.Entries {
		e := &list.Entries[i]
		for _, k := range e.Keys {
			if !want(e) || len(k.SHA256) != sha256.Size {
				continue
			}
			sum := [sha256.Size]byte(k.SHA256)
			s.kinds |= k.Parts & (ofOwner | ofID | ofAddress)
			s.marks.Add(int(k.Mark % (1 << markBits)))
			if s.entries[sum] = append(s.entries[sum], e); !slices.Contains(s.parts, k.Parts) {
				s.parts = append(s.parts, k.Parts)
			}
		}
	}
	if len(s.entries) == 0 {
		return nil
	}
	return s
}

// hasher returns a Sieve of nothing, which makes digests.
func hasher(secret []byte) *Sieve {
	s := &Sieve{mac: hmac.New(sha256.New, secret), entries: map[[sha256.Size]byte][]*generation.Withholding{}}
	sum := s.digest(secretKey{})
	s.seed = binary.LittleEndian.Uint64(sum[:])
	return s
}

func (s *Sieve) digest(k secretKey) [sha256.Size]byte {
	s.mac.Reset()
	_, _ = s.mac.Write(append([]byte{k.parts}, k.text...)) // never fails
	s.mac.Sum(s.sum[:0])
	return s.sum
}

// Verdict returns how much of a filing is withheld: of one without contacts these are not.
func (s *Sieve) Verdict(f *index.Filing) (v Verdict) {
	if !s.mayHave(f) {
		return Nothing
	}
	for _, k := range s.keysOf(f) {
		for _, e := range s.entries[s.digest(k)] {
			if e.County != "" && index.Fold(e.County) != index.Fold(f.Text(index.County)) {
				continue
			}
			if !e.Contacts {
				return Whole
			}
			if f.Filled()&ContactBits != 0 {
				v = Contacts
			}
		}
	}
	return v
}

// keysOf returns the keys of a filing that are of the kinds of s, and those that it had when the list may have
// been made, before rule X61.
func (s *Sieve) keysOf(f *index.Filing) (keys []secretKey) {
	add := func(parts uint8, text string) {
		if text != "" {
			keys = append(keys, secretKey{parts: parts, text: text})
		}
	}
	var addresses []address.Key // when they are needed
	for _, parts := range s.parts {
		switch {
		case parts == ofID:
			add(parts, strconv.FormatInt(f.ID, 10))
		case parts == ofOwner:
			for _, key := range ownerKeys(f.Text(index.Owner)) {
				add(parts, key)
			}
		case addresses == nil:
			addresses = addressesOf(f)
			fallthrough
		default:
			for _, k := range addresses {
				add(parts, addressText(k, parts))
			}
		}
	}
	return keys
}

func ownerKeys(name string) []string {
	return slices.Compact([]string{index.OwnerKeyOf(name), index.FormerOwnerKeyOf(name)})
}

// addressesOf returns the addresses of a filing.
func addressesOf(f *index.Filing) (addresses []address.Key) {
	_, state := index.SplitCounty(f.Text(index.County))
	for _, text := range []string{f.Text(index.PropertyAddress), f.Text(index.StandardizedAddress)} {
		for _, keyOf := range []func(text, city, state string) address.Key{index.AddressKeyOf, index.FormerAddressKeyOf} {
			if k := keyOf(text, f.Text(index.City), state); !slices.Contains(addresses, k) {
				addresses = append(addresses, k)
			}
		}
	}
	return addresses
}

// contactFields are the fields that withheld contacts are in.
var contactFields = []index.Field{
	index.OwnerPhonePrimary, index.OwnerPhoneSecondary, index.OwnerEmailPrimary, index.OwnerEmailSecondary,
}

// ContactBits are these fields in index.Filing.Filled.
const ContactBits = 1<<index.OwnerPhonePrimary | 1<<index.OwnerPhoneSecondary |
	1<<index.OwnerEmailPrimary | 1<<index.OwnerEmailSecondary

// EmptyContacts empties them.
func EmptyContacts(f *index.Filing) {
	for _, field := range contactFields {
		f.SetText(field, "")
	}
}

// Strip returns the part of a version that a changeset may keep (generation.Lock.Purge).
func (s *Sieve) Strip(v index.Version) index.Version {
	f, err := v.Filing()
	if err != nil || v.Withheld {
		return v
	}
	switch s.Verdict(f) {
	case Whole:
		left := &index.Filing{ID: f.ID}
		left.SetText(index.County, f.Text(index.County))
		return index.Version{Record: index.AppendRecord(nil, left), Withheld: true}
	case Contacts:
		EmptyContacts(f)
		v.Record = index.AppendRecord(nil, f)
	}
	return v
}

// Found is a filing of a generation, and how much of it is withheld.
type Found struct {
	Filing  index.Filing
	Verdict Verdict
}

// pageRows is how many filings are read at once.
const pageRows = 1_000

// Found yields the filings of a generation that s withholds, or an error. where selects all that
// can be among them; nil: all are read.
func (s *Sieve) Found(
	ctx context.Context, store generation.Store, name string, filter *index.Filter,
) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		if filter != nil {
			s.selected(ctx, store, name, *filter)(yield)
			return
		}
		for stored, err := range store.Stored(ctx, name) {
			c := Found{}
			if err == nil {
				c.Filing, c.Verdict, err = s.stored(stored)
			}
			if (err != nil || c.Verdict != Nothing) && !yield(c, err) || err != nil {
				return
			}
		}
	}
}

func (s *Sieve) stored(found index.Stored) (index.Filing, Verdict, error) {
	f, err := found.Filing()
	if err != nil {
		return index.Filing{}, Nothing, err
	}
	if found.Created != index.NoTime {
		f.CreatedAt = time.UnixMicro(found.Created).UTC()
	}
	return *f, s.Verdict(f), nil
}

func (s *Sieve) selected(
	ctx context.Context, store generation.Store, name string, filter index.Filter,
) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		r, err := store.Open(ctx, name)
		for cursor, more := "", err == nil; more; {
			var page index.Page
			page, err = r.Rows(ctx, index.Query{Where: filter, Sort: index.DefaultSort, Limit: pageRows, Start: cursor})
			for _, row := range page.Records {
				f, failed := record.Decode(row)
				if err = errors.Join(err, failed); err != nil {
					break
				}
				if v := s.Verdict(f); v != Nothing && !yield(Found{*f, v}, nil) {
					return
				}
			}
			cursor, more = page.End, err == nil && len(page.Records) == pageRows
		}
		if err != nil {
			yield(Found{}, err)
		}
	}
}
