package generation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"filings/index"
)

// Catalog is all that is decided about the generations of an index name: the content of the catalog
// document. Stored parts that it does not keep are rubbish.
type Catalog struct {
	Form int `json:"form"` // of this document: catalogForm
	// Lease is the token of the load that holds the lock; "" for none. Run is the status that it, or
	// the load before it, published last.
	Lease string `json:"lease,omitempty"`
	Run   *Run   `json:"run,omitempty"`
	// Runs are those before it, the newest first.
	Runs []Run `json:"runs,omitempty"`
	// Live names the live generation; "" before the first promotion, and in a catalog that was
	// adopted from stored parts.
	Live string `json:"live,omitempty"`
	// Promoted says that there was a promotion: without Live, the data are lost.
	Promoted bool `json:"promoted,omitempty"`
	// Hold is why no load may make anything live; nil: they may.
	Hold *Hold `json:"hold,omitempty"`
	// Newest is the highest name that a generation ever had: no name is used twice.
	Newest string `json:"newest,omitempty"`
	// Withheld is the highest number that an entry of the list of withheld filings ever had.
	Withheld int `json:"withheld,omitempty"`
	// Purged is the highest name that a generation other than the live one had when withheld filings
	// were deleted last.
	Purged      string  `json:"purged,omitempty"`
	Generations []Entry `json:"generations"` // the newest first
}

// catalogForm is the form of catalogs that this program reads and writes.
const catalogForm = 1

// Entry is a generation in a Catalog.
type Entry struct {
	Name     string `json:"name"`
	State    State  `json:"state"`
	Promoted bool   `json:"promoted,omitempty"` // it was live at some time
	Filings  int64  `json:"filings"`
	// Identity is compared with the stored generation (rule X24): nil where the engine's Reader
	// alone can tell.
	Identity Identity `json:"identity,omitempty"`
	// Changes describes how it came from another one; nil if that is not known, or not kept.
	Changes *Changeset `json:"changes,omitempty"`
	// Counts are those of Build.Keep, as long as the generation can be made live.
	Counts json.RawMessage `json:"counts,omitempty"`
	// Values are those of its filings; nil where they are not known.
	Values *index.Values `json:"values,omitempty"`
	// Fresh says how fresh each county is; nil where that is not known.
	Fresh map[string]index.Freshness `json:"fresh,omitempty"`
}

// State is how far a generation is. It only ever moves on.
type State string

// States of a generation.
const (
	Building   State = "building"   // filled by the load that holds the lock, or left behind by one that died
	Sealed     State = "sealed"     // verified; it can be read and made live
	Tombstoned State = "tombstoned" // deleted; it stands here for its changes, or for others that read its filings
)

// Changeset counts the changes of a load. They are a sidecar.
type Changeset struct {
	Parent  string `json:"parent"` // name of the generation that it leads from
	Added   int64  `json:"added"`
	Changed int64  `json:"changed"`
	Removed int64  `json:"removed"`
	Whole   bool   `json:"whole,omitempty"` // it has no copies: both generations are read
}

// parseCatalog reads a stored document. It returns index.ErrLost if that isn't a catalog, as for a
// deleted one.
func parseCatalog(body []byte, location string) (c Catalog, err error) {
	err = json.Unmarshal(body, &c) // which sets the form even where other members are of another type
	switch {
	case c.Form > catalogForm:
		err = fmt.Errorf("the catalog of generations has form %d, and this program reads %d: "+
			"use the program that wrote it", c.Form, catalogForm)
	case err != nil || c.Form != catalogForm:
		err = fmt.Errorf("%w: %s is damaged: put it back, or delete it, and then %s", index.ErrLost, location, Repair)
	}
	return c, err
}

// adopted returns the catalog of the stored parts where there is no document: finished generations,
// none of them live. A generation of another data version counts as live, so that a load does not
// replace it unasked.
func adopted(parts []Part, reads func(name string) error) Catalog {
	c := Catalog{Form: catalogForm}
	for _, p := range parts {
		if p.Kind == FilingsPart && p.Sealed {
			c.Generations = append(c.Generations, Entry{
				Name: p.Generation, State: Sealed, Filings: p.Filings, Identity: p.Identity,
			})
			c.Newest, c.Promoted = max(c.Newest, p.Generation), true
		}
	}
	slices.SortFunc(c.Generations, func(a, b Entry) int { return strings.Compare(b.Name, a.Name) })
	if c.Promoted && reads(c.Newest) != nil {
		c.Live = c.Newest
	}
	return c
}

// find returns the entry of a generation, nil if there is none.
func (c *Catalog) find(name string) *Entry {
	i := slices.IndexFunc(c.Generations, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Generations[i]
}

// sealed returns the entry of a generation that can be read, or index.ErrNotFound.
func (c *Catalog) sealed(name string) (*Entry, error) {
	e := c.find(name)
	switch {
	case e == nil || e.State == Tombstoned:
		return nil, fmt.Errorf("generation %q: %w", name, index.ErrNotFound)
	case e.State != Sealed:
		return nil, fmt.Errorf("generation %s is not sealed: %w", name, index.ErrNotFound)
	}
	return e, nil
}

// add adds a generation that is built from now on. Its name is newer than all, despite the clock.
func (c *Catalog) add(prefix string, version int, now time.Time, parts []Part) string {
	newest, _ := ParseName(prefix, c.Newest)
	for _, p := range parts {
		if t, ok := ParseName(prefix, p.Generation); ok && t.After(newest) {
			newest = t
		}
	}
	now = now.UTC().Truncate(time.Microsecond)
	if !now.After(newest) {
		now = newest.Add(time.Microsecond)
	}
	c.Newest = Name(prefix, now, version)
	c.Generations = slices.Insert(c.Generations, 0, Entry{Name: c.Newest, State: Building})
	return c.Newest
}

// swap makes `next` live if `current` is. A live generation that is no longer stored counts as
// none.
func (c *Catalog) swap(current, next string, parts []Part) error {
	live := c.Live
	if !stored(parts, live) {
		live = ""
	}
	if live != current {
		return fmt.Errorf("swap %q for %q, but %q is live: %w", current, next, live, ErrConflict)
	}
	e, err := c.sealed(next)
	if err != nil {
		return err
	}
	if !stored(parts, next) {
		return fmt.Errorf("generation %s is not stored any more: %w", next, index.ErrNotFound)
	}
	c.Live, c.Promoted, e.Promoted = next, true, true
	return nil
}

func stored(parts []Part, name string) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Kind == FilingsPart && p.Generation == name })
}

// tombstone marks a generation as deleted, for ever. It reports whether there was one.
func (c *Catalog) tombstone(name string) (bool, error) {
	if name != "" && name == c.Live {
		return false, fmt.Errorf("it is live: %w", ErrConflict)
	}
	e := c.find(name)
	if e == nil || e.State == Tombstoned {
		return false, nil
	}
	e.Counts, e.Values, e.Fresh = nil, nil, nil
	if e.State = Tombstoned; !e.Promoted {
		e.Changes = nil
	}
	c.removeUnneeded()
	return true, nil
}

// tombstoneAll marks those generations as deleted, which are not live, and returns their names.
func (c *Catalog) tombstoneAll(selects func(*Entry) bool) (names []string) {
	for i := range c.Generations {
		if e := &c.Generations[i]; selects(e) {
			names = append(names, e.Name)
		}
	}
	for _, name := range names {
		_, _ = c.tombstone(name) // fails for the live one alone
	}
	return names
}

// dropChangesets drops all changesets of promoted generations but the newest n.
func (c *Catalog) dropChangesets(n int) {
	for i := range c.Generations {
		if e := &c.Generations[i]; e.Promoted && e.Changes != nil {
			if n--; n < 0 {
				e.Changes = nil
			}
		}
	}
	c.removeUnneeded()
}

// removeUnneeded removes tombstones that nothing needs. Their names never come back, so parts of
// them that may still be stored are rubbish.
func (c *Catalog) removeUnneeded() {
	c.Generations = slices.DeleteFunc(c.Generations, func(e Entry) bool {
		return e.State == Tombstoned && e.Changes == nil && !c.readByChangeset(e.Name)
	})
}

// readByChangeset reports whether a changeset reads the filings of a generation.
func (c *Catalog) readByChangeset(name string) bool {
	return slices.ContainsFunc(c.Generations, func(e Entry) bool {
		return e.Changes != nil && e.Changes.Whole && (e.Name == name || e.Changes.Parent == name)
	})
}

// keeps reports whether the catalog still needs a stored part. Once it doesn't, it never will
// again, because states only move forward and names aren't reused. That makes deleting safe.
func (c *Catalog) keeps(p Part) bool {
	e := c.find(p.Generation)
	switch {
	case e == nil:
		return false
	case p.Kind == ChangesPart && e.State != Building:
		return e.Changes != nil
	case e.State == Tombstoned:
		return p.Kind == FilingsPart && c.readByChangeset(p.Generation)
	}
	return true
}

// changesets lists the changesets of promoted generations, the newest first.
func (c *Catalog) changesets() (changesets []index.Changeset) {
	for _, e := range c.Generations {
		if d := e.Changes; e.Promoted && d != nil {
			changesets = append(changesets, index.Changeset{
				Generation: e.Name, Parent: d.Parent, Added: d.Added, Changed: d.Changed, Removed: d.Removed,
			})
		}
	}
	return changesets
}

// ErrVersion: a generation is of another version of the data than this program reads.
var ErrVersion = errors.New("load the filings anew")

// readable returns ErrVersion for a generation that is not of this version.
func readable(name string, version int) error {
	found, loadedBy := VersionOf(name), "a newer"
	if found == version {
		return nil
	}
	if found < version {
		loadedBy = "an older"
	}
	return fmt.Errorf("generation %s was loaded by %s version of the program (version %d of the data, "+
		"and this program reads %d): %w", name, loadedBy, found, version, ErrVersion)
}
