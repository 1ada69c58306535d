// Package changes computes the changes between two generations (rules X16 to X18): it finds the
// path of changesets from one to the other, and makes of their changes one change a filing, as a
// caller's tier and filter see it. It does no I/O: an index.History reads these.
//
// # Design
//
// Changesets form a tree (index.History). The path from one generation to another goes back to the
// last one that both come from, and from there on; a changeset that is gone back has its changes
// the other way round. The first version of a filing on the path is the one that the caller has,
// the last one its new one: those between do not matter.
//
// A change is returned if the caller sees it: the filter matches one version alone, or it matches
// both, and they differ in the fields of the tier. Changes in other field groups are not read at
// all, so neither a page's length nor its time reveals them. After a full page the next visible
// change is looked up: the next page begins with it, and where there is none, this page is the
// last. A page reads a bounded number of changes, and its records have a bounded number of bytes,
// so it may have fewer than its limit, or none, and still not be the last. Its end depends only on
// the fields and filings that the caller sees, and not on how many changes the engine returns at
// once, which depends on whole records.
package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"filings/index"
)

// Op is the kind of a change.
type Op string

// The kinds of changes, as the caller's filter sees filings.
const (
	Added   Op = "added"
	Changed Op = "changed"
	Removed Op = "removed"
)

// Change is one filing that differs.
type Change struct {
	Op     Op
	ID     int64
	Filing index.Record // the later one, as the tier sees it; nil where it was removed
}

// Query selects changes as a caller sees them.
type Query struct {
	Where index.Filter // by fields of Tier, or of every tier
	Tier  index.Tier
	// Fields are those of Tier that the caller sees. The zero set: all.
	Fields index.FieldSet
	LastID int64 // changes of filings with a higher id
	Limit  int   // changes to return at the most
}

// String returns the canonical text of q.
func (q Query) String() string {
	return fmt.Sprintf("%v tier %v fields %v after %d limit %d", q.Where, q.Tier, q.Fields, q.LastID, q.Limit)
}

// Page is a part of the changes of a Query, by id.
type Page struct {
	Changes []Change
	End     int64 // where the next page begins: LastID of its Query; 0: this is the last one
}

const (
	// readAtMost is how many changes a page reads for its caller: at a filter that selects few, or
	// where changes cancel each other out. It takes about as long as ten pages that are full.
	readAtMost = 10_000
	// readMore is how many are read at once at the most when the first ones were not enough, and
	// readGrowth how many times as many as before.
	readMore, readGrowth = 1000, 8
	// bytesAtMost is how many bytes the records on a page may have together: it ends behind the one
	// with which they have more.
	bytesAtMost = 4 << 20
)

// Read returns a page of the changes along path, which h has.
func Read(ctx context.Context, h index.History, path Path, q Query) (page Page, err error) {
	if q.Where.Reads(index.CreatedAt) {
		return Page{}, errors.New("changes are not selected by when their filings were added, which no version says")
	}
	if len(path) == 0 {
		return Page{}, nil
	}
	p := onPath{positions: make(map[string]int, len(path)), path: path, query: q}
	read := index.ChangeQuery{FieldGroups: groups(q), LastID: q.LastID, LaterOnly: laterOnly(path, q)}
	for i, hop := range path {
		read.Generations = append(read.Generations, hop.Generation)
		p.positions[hop.Generation] = i
	}
	total, most, wasFull := 0, q.Limit+1, false // one more says that there is another page
	if read.LaterOnly {
		most = q.Limit
	}
	atOnce := func() int {
		if full := p.full(page); full && !wasFull {
			most, wasFull = 1, true // mostly the next filing is returned, and its records may be long
		}
		n := min(most, readAtMost-total)
		most = min(most*readGrowth, readMore)
		return n
	}
	for filing, err := range filings(ctx, h, read, atOnce) {
		if err != nil {
			return Page{}, err
		}
		if err := p.add(&page, filing.changes); err != nil || page.End != 0 {
			return page, err
		}
		total += len(filing.changes)
		if filing.more && (read.LaterOnly && p.full(page) || total >= readAtMost) {
			page.End = filing.changes[0].ID
			return page, nil
		}
	}
	return page, nil
}

// filing is the changes of one filing, and whether changes of others follow.
type filing struct {
	changes []index.Change
	more    bool
}

// filings yields the changes that q selects, filing by filing. It reads atOnce of them at a time.
func filings(ctx context.Context, h index.History, q index.ChangeQuery, atOnce func() int) iter.Seq2[filing, error] {
	return func(yield func(filing, error) bool) {
		for more := true; more; {
			q.Limit = max(atOnce(), len(q.Generations))
			got, err := h.Changes(ctx, q)
			if err != nil {
				yield(filing{}, err)
				return
			}
			more = got.More && len(got.Changes) > 0
			for rest := got.Changes; len(rest) > 0; {
				n := sameID(rest)
				next := filing{rest[:n], more || n < len(rest)}
				q.LastID, rest = rest[0].ID, rest[n:]
				if !yield(next, nil) {
					return
				}
			}
		}
	}
}

// laterOnly reports whether q needs no earlier version, and each change that is read is one to
// return. A change of the only changeset differs in fields that the caller sees, by its field
// groups; so without a filter, and of a caller who sees all of them, the version that the caller
// has says nothing more.
func laterOnly(path Path, q Query) bool {
	return len(path) == 1 && !path[0].Back && len(q.Where.Predicates()) == 0 && q.Fields == 0
}

// groups are those whose changes the caller of q may learn of: the fields of its tier, and city and
// ZIP code if it filters by one of them.
func groups(q Query) index.FieldGroups {
	groups := index.FieldGroupsOf(q.Tier)
	if q.Where.Reads(index.City, index.ZIP, index.AddressKey) || q.Fields.Keys() {
		groups |= index.PlaceFields
	}
	return groups
}

// sameID returns how many changes at the beginning are of one filing.
func sameID(changes []index.Change) int {
	n := 1
	for n < len(changes) && changes[n].ID == changes[0].ID {
		n++
	}
	return n
}

// onPath makes one change of those that the changesets of a path have of a filing.
type onPath struct {
	path      Path
	positions map[string]int // of the changesets on the path, by generation
	query     Query
	bytes     int // of the records that were added
}

// full reports whether page has as much as it may have.
func (p *onPath) full(page Page) bool {
	return len(page.Changes) == p.query.Limit || p.bytes > bytesAtMost
}

// add adds the sum of the changes of one filing, if the caller sees it. A full page ends before it.
func (p *onPath) add(page *Page, changes []index.Change) error {
	old, updated := p.ends(changes)
	if updated.Withheld {
		return fmt.Errorf("filing %d after the change: %w", changes[0].ID, index.ErrGone)
	}
	wasSelected, err := selects(p.query.Where, old)
	if err != nil {
		return fmt.Errorf("filing %d before the change: %w", changes[0].ID, err)
	}
	selected, err := selects(p.query.Where, updated)
	if err != nil {
		return fmt.Errorf("filing %d after the change: %w", changes[0].ID, err)
	}
	if !wasSelected && !selected {
		return nil
	}
	c := Change{ID: changes[0].ID, Op: Removed}
	if selected {
		c.Op = Added
		if c.Filing, err = p.seen(updated); err != nil {
			return fmt.Errorf("filing %d after the change: %w", c.ID, err)
		}
	}
	if wasSelected && selected {
		c.Op = Changed
		if same, err := p.shows(old, c.Filing); same || err != nil {
			return err
		}
	}
	if p.full(*page) {
		page.End = c.ID - 1
		return nil
	}
	page.Changes, p.bytes = append(page.Changes, c), p.bytes+len(c.Filing)
	return nil
}

// selects reports whether w selects a version: never one that is not there.
func selects(w index.Filter, v index.Version) (bool, error) {
	if v.Withheld { // whether the other predicates held is not known any more: they may have
		w = index.Where(slices.DeleteFunc(slices.Clone(w.Predicates()), func(p index.Predicate) bool {
			return !index.Where(p).NamesCounties()
		})...)
	}
	if v.Record == nil || len(w.Predicates()) == 0 {
		return v.Record != nil, nil
	}
	f, err := v.Filing()
	return err == nil && w.Holds(f), err
}

// shows reports whether a version shows the caller the same record as the updated one; false if it
// was not read.
func (p *onPath) shows(v index.Version, updated index.Record) (bool, error) {
	if len(v.Record) == 0 {
		return false, nil
	}
	seen, err := p.seen(v)
	return bytes.Equal(seen, updated), err
}

// seen returns a version as the caller sees it.
func (p *onPath) seen(v index.Version) (r index.Record, err error) {
	if r = v.Record; p.query.Fields.Keys() {
		if r, err = v.WithKeys(); err != nil {
			return nil, err
		}
	}
	return r.AppendFields(nil, p.query.Tier, p.query.Fields)
}

// ends returns the version where the path begins and the one where it ends.
func (p *onPath) ends(changes []index.Change) (old, updated index.Version) {
	first, last := len(p.path), -1
	for _, c := range changes {
		i := p.positions[c.Generation]
		if p.path[i].Back {
			c.Earlier, c.Later = c.Later, c.Earlier
		}
		if i < first {
			first, old = i, c.Earlier
		}
		if i > last {
			last, updated = i, c.Later
		}
	}
	return old, updated
}

// Path leads from one generation to another.
type Path []Hop

// Hop is a changeset on a path.
type Hop struct {
	Generation string // that the changeset leads to
	Back       bool   // it is gone from the generation to its parent
}

// Find returns the path between the generations with two public ids; false if changesets do not
// lead from the first to the last, or know neither.
func Find(changesets []index.Changeset, first, last string) (Path, bool) {
	origin := make(map[string]index.Changeset, len(changesets))
	known := false
	for _, s := range changesets {
		origin[index.GenerationID(s.Generation)] = s
		known = known || index.GenerationID(s.Generation) == first || index.GenerationID(s.Parent) == first
	}
	if first == last {
		return nil, known
	}
	back, forward := toRoot(origin, first), toRoot(origin, last)
	// Both end at the same changesets if they have a root in common; the rest of both is the path.
	for len(back) > 0 && len(forward) > 0 && back[len(back)-1] == forward[len(forward)-1] {
		back, forward = back[:len(back)-1], forward[:len(forward)-1]
	}
	if end(back, first) != end(forward, last) {
		return nil, false
	}
	var path Path
	for _, s := range back {
		path = append(path, Hop{s.Generation, true})
	}
	for _, s := range slices.Backward(forward) {
		path = append(path, Hop{s.Generation, false})
	}
	return path, true
}

// toRoot returns the changesets from a generation back to the first one that is known. Each parent
// is older, so it ends.
func toRoot(origin map[string]index.Changeset, id string) (changesets []index.Changeset) {
	for {
		s, ok := origin[id]
		parent := index.GenerationID(s.Parent)
		if !ok || parent >= id {
			return changesets
		}
		changesets, id = append(changesets, s), parent
	}
}

// end returns the id of the generation that the changesets back from id lead to.
func end(changesets []index.Changeset, id string) string {
	if len(changesets) == 0 {
		return id
	}
	return index.GenerationID(changesets[len(changesets)-1].Parent)
}
