package generation

import (
	"time"

	"filings/index"
)

// seen is the result of a look at the catalog. reader is nil before the first one.
type seen struct {
	reader     index.Reader // if lost is set, the one of the generation that was live before, if any
	lost       error        // index.ErrLost
	changesets []index.Changeset
	kept       []string  // generations that are not deleted
	purged     string    // Catalog.Purged
	at         time.Time // when the look began

	compared time.Time // when the reader's generation was compared with what was sealed, last
	differs  error     // index.ErrChanged, if it was another one then
}

// result is what a caller gets of k.
func (k *seen) result() (index.Reader, error) {
	if k.lost != nil {
		return nil, k.lost
	}
	return k.reader, nil
}

// isFresh reports whether k, which was seen before, will do for a caller who came at t. A reader whose generation was seen to
// be gone never does.
func (k *seen) isFresh(t time.Time, liveFor time.Duration) bool {
	if k == nil || k.lost == nil && (k.reader == nil || isGone(k.reader)) {
		return false
	}
	age := t.Sub(k.at)
	return age >= -liveFor && age < liveFor // before -liveFor the clock was set back
}

func isGone(r index.Reader) bool {
	pinned, ok := r.(interface{ Gone() bool })
	return ok && pinned.Gone()
}
