package sidecar

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"filings/index"
	"filings/index/sorter"
)

// sortBuffer is how much of the fingerprints of a load is in memory.
const sortBuffer = 2 << 20

// Actions collects what a load does to filings, in any order. A file without a name, in the folder
// for temporary files, has all that its memory has no room for.
type Actions struct {
	sorter  *sorter.Sorter
	actions uint64
	value   []byte // of the last action
	err     error  // the first
}

// NewActions returns Actions of nothing, which have to be closed.
func NewActions() *Actions { return &Actions{sorter: sorter.New("", sortBuffer)} }

// Put says that a filing was put. The last action of an id counts.
func (c *Actions) Put(s index.Fingerprint) {
	value := c.value[:0]
	for _, digest := range s.Digests {
		value = binary.LittleEndian.AppendUint64(value, digest)
	}
	c.value = appendFacts(binary.LittleEndian.AppendUint64(value, uint64(s.Created)), &s.Facts)
	c.add(s.ID, c.value)
}

// Remove says that a filing was removed.
func (c *Actions) Remove(id int64) { c.add(id, nil) }

func (c *Actions) add(id int64, value []byte) {
	if c.err != nil {
		return
	}
	c.actions++
	var key [16]byte
	binary.BigEndian.PutUint64(key[:], uint64(id)) // ids are positive
	binary.BigEndian.PutUint64(key[8:], c.actions)
	c.err = c.sorter.Add(key[:], value)
}

// Over yields what fingerprints became of those of before, which come by id: once. It tells note,
// unless that is nil, the fingerprints that filings which were put or removed had and have; the zero
// Fingerprint is for no filing.
func (c *Actions) Over(
	ctx context.Context, before iter.Seq2[index.Fingerprint, error], note func(before, after index.Fingerprint),
) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		for of, err := range Merge(before, c.Last(ctx)) { // those of an update are few
			was, now := of[0], of[0]
			if action := of[1]; action.ID != 0 {
				if now = action; Removes(action) {
					now = index.Fingerprint{}
				}
				if note != nil {
					note(was, now)
				}
			}
			if (now.ID != 0 || err != nil) && !yield(now, err) || err != nil {
				return
			}
		}
	}
}

// Removes reports whether a fingerprint is that of a filing that was removed.
func Removes(s index.Fingerprint) bool { return s == removed(s.ID) }

func removed(id int64) index.Fingerprint { return index.Fingerprint{ID: id} }

// Last yields the fingerprint of the last action of each id, by id: once. Of a removed filing it has
// the id alone.
func (c *Actions) Last(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		var s index.Fingerprint
		err := c.err
		if err == nil {
			err = c.sorter.Each(ctx, func(key, value []byte) error {
				id := int64(binary.BigEndian.Uint64(key))
				if s.ID != 0 && s.ID != id && !yield(s, nil) {
					return errStopped
				}
				s = removed(id)
				if len(value) == 0 {
					return nil
				}
				for i := range s.Digests {
					s.Digests[i] = binary.LittleEndian.Uint64(value[i*8:])
				}
				s.Created = int64(binary.LittleEndian.Uint64(value[len(s.Digests)*8:]))
				facts := cutter{data: value[fingerprintSize-8:]}
				s.Facts = facts.facts(string(facts.data))
				return nil
			})
		}
		switch {
		case err == errStopped:
		case err != nil:
			yield(index.Fingerprint{}, err)
		case s.ID != 0:
			yield(s, nil)
		}
	}
}

// errStopped: the caller wants no more.
var errStopped = errors.New("stopped")

// Close gives up memory and file. It may be called again.
func (c *Actions) Close() error { return c.sorter.Close() }
