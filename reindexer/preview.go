package reindexer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"filings/index"
	"filings/index/sidecar"
	"filings/index/sorter"
)

// preview is what a dry run keeps to say what its load would change: of each filing that it would
// put or remove the fingerprint and the county, by id. Of very many the most are in a temporary
// file.
type preview struct {
	touched *sorter.Sorter
	count   uint64
}

// previewMemory is how much of a preview is in memory, in bytes.
const previewMemory = 16 << 20

func newPreview() *preview { return &preview{touched: sorter.New("", previewMemory)} }

func (p *preview) close() { _ = p.touched.Close() } // nothing of it is needed any more

// put notes that the load has f.
func (p *preview) put(f *index.Filing) error {
	d := index.Derive(f)
	version := index.Version{Record: index.AppendRecord(nil, f), City: d.WrittenCity, ZIP: d.ZIP}
	digests := index.FingerprintOf(f.ID, version, index.NoTime).Digests
	value, _ := binary.Append(nil, binary.BigEndian, digests[:])
	return p.add(f.ID, append(value, f.Text(index.County)...))
}

// remove notes that the load has no filing of that id.
func (p *preview) remove(id int64) error { return p.add(id, nil) }

// add notes an item after all that were noted of its id before.
func (p *preview) add(id int64, value []byte) error {
	p.count++
	return p.touched.Add(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(id)), p.count), value)
}

// last yields what was noted last of each id, by id: its Facts are the county, "" of one that is
// removed.
func (p *preview) last(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		var held index.Fingerprint
		enough := errors.New("no more is wanted")
		give := func() error {
			if held.ID != 0 && !yield(held, nil) {
				return enough
			}
			return nil
		}
		err := p.touched.Each(ctx, func(key, value []byte) (err error) {
			id := int64(binary.BigEndian.Uint64(key))
			if id != held.ID {
				err = give()
			}
			held = index.Fingerprint{ID: id}
			if n, _ := binary.Decode(value, binary.BigEndian, held.Digests[:]); n > 0 {
				held.Facts = string(value[n:])
			}
			return err
		})
		if err == nil {
			err = give()
		}
		if err != nil && err != enough {
			yield(index.Fingerprint{}, err)
		}
	}
}

// compare returns where the load would differ from what is live, and counts what is added and
// changed by county. untouched: what the load does not name stays.
func (p *preview) compare(
	ctx context.Context, live iter.Seq2[index.Fingerprint, error], untouched bool,
) (*sidecar.Differences, map[string]*Changes, error) {
	d, counties := new(sidecar.Differences), map[string]*Changes{}
	for pair, err := range sidecar.Merge(live, p.last(ctx)) {
		before, after := pair[0], pair[1]
		switch {
		case err != nil:
			return nil, nil, err
		case after.ID == 0 && untouched:
			continue
		case after.Facts == "":
			after = index.Fingerprint{}
		}
		was := *d
		if d.Note(before, after); after.ID == 0 || len(d.List) == len(was.List) {
			continue
		}
		if counties[after.Facts] == nil {
			counties[after.Facts] = &Changes{}
		}
		counties[after.Facts].Added += d.Added - was.Added
		counties[after.Facts].Changed += d.Changed - was.Changed
	}
	return d, counties, nil
}

// wouldChange works out what the load of a dry run would change (rule X41).
func (r *running) wouldChange(ctx context.Context, live index.Reader) error {
	d, counties, err := r.preview.compare(ctx, r.fingerprints(ctx), r.cfg.Update)
	if r.liveErr != nil { // its records may not be those that its fingerprints are of
		err = r.liveErr
	}
	switch {
	case r.liveErr != nil, r.noBaseline(err):
		r.warn("what would change is not known: %v", err)
		return nil
	case err != nil:
		return fmt.Errorf("working out what would change: %w", err)
	}
	r.changes = &Changes{d.Added, d.Changed, d.Removed}
	if err := r.countChanges(ctx, d, live, nil, counties); err != nil {
		r.warn("what would change was not counted by county: %v", err)
	}
	return nil
}
