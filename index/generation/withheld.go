package generation

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"filings/index"
)

// Withheld is the list of filings that no generation may have (rule X53). It names them by digests
// alone, which package reindexer makes.
type Withheld struct {
	Form    int           `json:"form"`
	Secret  []byte        `json:"secret"` // keys the digests
	Last    int           `json:"last"`   // number of the entry that was added last
	Entries []Withholding `json:"entries"`
}

// Withholding is an entry of the list.
type Withholding struct {
	Number   int       `json:"number"`
	Kind     string    `json:"kind"`           // owner, address or id
	Keys     []Digest  `json:"keys,omitempty"` // a filing is meant that has one of them
	County   string    `json:"county,omitempty"`
	Contacts bool      `json:"contacts"` // only its contacts are withheld
	Reason   string    `json:"reason"`
	Until    string    `json:"until,omitempty"` // the last day, YYYY-MM-DD; "" for ever
	MadeAt   time.Time `json:"madeAt"`
	Filings  int64     `json:"filings"`  // that were taken out of the generation that was live
	Complete bool      `json:"complete"` // nothing that is kept has them any more
}

// Digest is a key of filings: its parts, its keyed SHA-256, and a short keyed hash by which most
// filings are passed over.
type Digest struct {
	Parts  uint8  `json:"parts"`
	SHA256 []byte `json:"sha256"`
	Mark   uint32 `json:"mark"`
}

// Active reports whether a load that begins on a day excludes the filings of w.
func (w *Withholding) Active(day string) bool { return w.Until == "" || day <= w.Until }

// Active returns the numbers of the entries that are.
func (w *Withheld) Active(day string) (numbers []int) {
	for i := range w.Entries {
		if w.Entries[i].Active(day) {
			numbers = append(numbers, w.Entries[i].Number)
		}
	}
	return numbers
}

// withheldForm is the form of lists that this program reads and writes.
const withheldForm = 1

// Withheld implements Store. It returns an error if a list that the catalog knows of is missing:
// without it, a load would bring back withheld filings.
func (l *Lifecycle) Withheld(ctx context.Context) (w Withheld, err error) {
	defer index.Wrap(&err, "reading the list of withheld filings")
	w, _, err = l.readWithheld(ctx)
	return w, err
}

func (l *Lifecycle) readWithheld(ctx context.Context) (w Withheld, d Document, err error) {
	c, _, err := l.read(ctx)
	if err == nil {
		d, err = l.storage.Load(ctx, WithheldDocument)
	}
	if err != nil {
		return w, d, err
	}
	if d.Revision != "" {
		err = json.Unmarshal(d.Body, &w)
	}
	switch {
	case w.Form > withheldForm:
		err = fmt.Errorf("it has form %d, and this program reads %d: use the program that wrote it",
			w.Form, withheldForm)
	case err != nil || w.Last < c.Withheld:
		err = fmt.Errorf("it is lost, damaged or an old one, without which loads would bring back what it withholds: "+
			"put the document %q beside %s back", WithheldDocument, l.storage.Location(""))
	}
	return w, d, err
}

// Withhold implements Lock. The list is replaced before the catalog learns of it: a run that dies
// in between has added an entry all the same.
func (k *lock) Withhold(ctx context.Context, do func(w *Withheld) error) (err error) {
	defer k.asLockLost(ctx, &err, "changing the list of withheld filings")
	last := 0
	err = k.life.storage.Retry(ctx, func(ctx context.Context) error {
		w, d, err := k.life.readWithheld(ctx)
		if err == nil { // after it was read: whoever has taken the lock since replaces that revision
			err = k.mustHold(ctx)
		}
		if err != nil {
			return err
		}
		if w.Form = withheldForm; w.Secret == nil {
			w.Secret = make([]byte, 32)
			_, _ = rand.Read(w.Secret) // never fails
		}
		if err := do(&w); err != nil {
			return err
		}
		last = w.Last
		body, err := json.Marshal(w)
		if err != nil || bytes.Equal(body, d.Body) {
			return err
		}
		return k.life.storage.Replace(ctx, WithheldDocument, Document{Body: body, Revision: d.Revision})
	})
	if err != nil {
		return err
	}
	return k.change(ctx, func(c *Catalog, _ bool) error {
		c.Withheld = max(c.Withheld, last)
		return nil
	})
}

// Purge implements Lock. The catalog says that generations are deleted before they are, and forgets
// the changesets that read them. A run that dies after that leaves data that the next sweep
// deletes.
func (k *lock) Purge(
	ctx context.Context, live string, holds func(ctx context.Context, name string) (bool, error),
	strip func(index.Version) index.Version,
) (purged []string, err error) {
	defer k.asLockLost(ctx, &err, "deleting what is withheld")
	parts, err := k.life.storage.Parts(ctx, false)
	var having []string
	for _, p := range parts {
		if p.Kind == FilingsPart && p.Generation != live && err == nil {
			var withheld bool
			if withheld, err = holds(ctx, p.Generation); withheld {
				having = append(having, p.Generation)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	err = k.change(ctx, func(c *Catalog, _ bool) error {
		if c.Live != live {
			return fmt.Errorf("%q is live instead of %q: %w", c.Live, live, ErrConflict)
		}
		for i := range c.Generations {
			e := &c.Generations[i]
			d := e.Changes
			if d != nil && d.Whole && (slices.Contains(having, e.Name) || slices.Contains(having, d.Parent)) {
				e.Changes = nil
			}
		}
		for _, e := range c.Generations {
			if e.Name != live {
				c.Purged = max(c.Purged, e.Name)
			}
		}
		purged = c.tombstoneAll(func(e *Entry) bool { return e.State != Tombstoned && slices.Contains(having, e.Name) })
		c.removeUnneeded()
		return nil
	})
	if err == nil {
		_, err = k.sweep(ctx)
	}
	c, _, err2 := k.life.read(ctx)
	err = errors.Join(err, err2)
	for _, e := range c.Generations {
		if err == nil {
			err = k.life.storage.Strip(ctx, e.Name, strip)
		}
	}
	return purged, err
}
