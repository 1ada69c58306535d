package sidecar

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/wire"
)

// MostCopied is how many filings that differ are copied into their changeset. Copying takes some 70
// µs each in Elasticsearch, where a load takes 90, so that a load of half a million takes 3 %
// longer for it.
const MostCopied = 20_000

// A chunk has that many changes, or bytes, at the most.
const (
	changesAChunk = 2_048
	bytesAChunk   = 512 << 10
	// readAtOnce is how many filings are copied at once.
	readAtOnce = 500
)

// contained describes a chunk of changes.
type contained struct {
	last   int64             // the highest id
	groups index.FieldGroups // of all of its changes together
}

// Filings returns filings of a generation, in the order of ids; the zero Version for none.
type Filings func(ctx context.Context, generation string, ids []int64) ([]index.Version, error)

// entry is a change in a chunk.
type entry struct {
	Difference
	earlier, later index.Version // of a copy
}

// size returns how many bytes the records of e have; 0 if they were not read.
func (e *entry) size() int { return len(e.earlier.Record) + len(e.later.Record) }

// WriteChangeset writes the differences of a changeset, which come by id. If copies, the filings
// that differ are read and go with them.
func WriteChangeset(
	ctx context.Context, s index.Changeset, differences []Difference, copies bool, read Filings, sink Sink,
) error {
	w := &chunkWriter{changeset: s, copies: copies, sink: sink}
	for part := range slices.Chunk(differences, readAtOnce) {
		batch := make([]*entry, len(part))
		for i, d := range part {
			batch[i] = &entry{Difference: d}
		}
		if copies {
			if err := fill(ctx, s, batch, false, read); err != nil {
				return err
			}
		}
		for _, e := range batch {
			if err := w.add(e); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	var contents []byte
	last := int64(0)
	for _, c := range w.contents {
		contents = append(protowire.AppendVarint(contents, uint64(c.last-last)), byte(c.groups))
		last = c.last
	}
	return putWhole(sink, sectionContents, contents)
}

// readContents returns the description of each chunk of a changeset.
func readContents(ctx context.Context, source Source) (contents []contained, err error) {
	data, err := whole(ctx, source, sectionContents)
	if err != nil {
		return nil, err
	}
	r, last := wire.Reader{Rest: data}, int64(0)
	for len(r.Rest) > 0 {
		last += int64(r.Number())
		contents = append(contents, contained{last, index.FieldGroups(r.Byte())})
	}
	if r.Failed {
		return nil, ErrDamaged
	}
	return contents, nil
}

// fill reads the filings of changes that all are of one changeset, of both of its generations at
// once; of the later one alone, if that is enough.
func fill(ctx context.Context, s index.Changeset, entries []*entry, laterOnly bool, read Filings) error {
	group, ctx := errgroup.WithContext(ctx)
	fill := func(generation string, version func(*entry) (v *index.Version, ok bool)) {
		var ids []int64
		var targets []*index.Version
		for _, e := range entries {
			if v, ok := version(e); ok {
				ids, targets = append(ids, e.ID), append(targets, v)
			}
		}
		if len(ids) == 0 {
			return
		}
		group.Go(func() error {
			versions, err := read(ctx, generation, ids)
			if err != nil {
				return err
			}
			for i, v := range versions {
				if v.Record == nil {
					return ErrDamaged
				}
				*targets[i] = v
			}
			return nil
		})
	}
	fill(s.Generation, func(e *entry) (*index.Version, bool) { return &e.later, e.Later })
	if !laterOnly {
		fill(s.Parent, func(e *entry) (*index.Version, bool) { return &e.earlier, e.Earlier })
		return group.Wait()
	}
	for _, e := range entries {
		if e.Earlier {
			e.earlier.Record = index.Record{}
		}
	}
	return group.Wait()
}

// chunkWriter writes entries one after the other: the distance of the id from the one before, the
// field groups, flags, and the copies.
type chunkWriter struct {
	changeset index.Changeset
	copies    bool
	sink      Sink

	contained
	data     []byte
	changes  int
	contents []contained // of the chunks before
}

// Flags of an entry.
const (
	hasBefore = 1 << iota
	hasAfter
	hasCopies
	earlierWithheld
	laterWithheld
)

func (w *chunkWriter) add(e *entry) error {
	if w.changes == changesAChunk || len(w.data) >= bytesAChunk {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.changes == 0 {
		w.data = protowire.AppendString(protowire.AppendString(w.data[:0], w.changeset.Parent), w.changeset.Generation)
		w.contained = contained{}
	}
	flags := byte(0)
	for i, set := range []bool{e.Earlier, e.Later, w.copies, e.earlier.Withheld, e.later.Withheld} {
		if set {
			flags |= 1 << i
		}
	}
	w.data = append(binary.AppendUvarint(w.data, uint64(e.ID-w.last)), byte(e.FieldGroups), flags)
	if w.copies {
		for _, v := range []index.Version{e.earlier, e.later} {
			w.data = protowire.AppendString(protowire.AppendBytes(w.data, v.Record), v.City)
			w.data = protowire.AppendString(w.data, v.ZIP)
		}
	}
	w.changes++
	w.last, w.groups = e.ID, w.groups|e.FieldGroups
	return nil
}

func (w *chunkWriter) flush() error {
	if w.changes == 0 {
		return nil
	}
	w.contents, w.changes = append(w.contents, w.contained), 0
	return w.sink(sectionChanges, len(w.contents)-1, pack(nil, w.data))
}

// chunkReader reads the entries of a chunk, one after the other. They refer to memory of their own.
type chunkReader struct {
	index.Changeset // by the names of its generations
	wire.Reader
	last int64 // the id of the last entry
}

func openChanges(data []byte) (*chunkReader, error) {
	raw, err := unpacked(data)
	c := &chunkReader{Reader: wire.Reader{Rest: raw}}
	c.Parent, c.Generation = string(c.Text()), string(c.Text())
	return c, cmp.Or(err, c.damage())
}

// damage returns ErrDamaged if the chunk ended too early.
func (c *chunkReader) damage() error {
	if c.Failed {
		return ErrDamaged
	}
	return nil
}

// next returns the next entry, if there is one and the chunk is not damaged.
func (c *chunkReader) next() (e entry, more bool) {
	if len(c.Rest) == 0 {
		return e, false
	}
	c.last += int64(c.Number())
	e.Difference = Difference{ID: c.last, FieldGroups: index.FieldGroups(c.Byte())}
	flags := c.Byte()
	e.Earlier, e.Later = flags&hasBefore != 0, flags&hasAfter != 0
	if flags&hasCopies != 0 {
		for _, v := range []*index.Version{&e.earlier, &e.later} {
			if record := c.Text(); len(record) > 0 {
				v.Record = index.Record(record)
			}
			v.City, v.ZIP = string(c.Text()), string(c.Text())
		}
		e.earlier.Withheld, e.later.Withheld = flags&earlierWithheld != 0, flags&laterWithheld != 0
	}
	return e, !c.Failed
}

// Strip writes the chunks of a changeset anew in which strip makes another one of some copy of a
// filing, and reports whether there are some.
func Strip(
	ctx context.Context, source Source, sink Sink, strip func(index.Version) index.Version,
) (changed bool, err error) {
	contents, err := readContents(ctx, source)
	if err != nil {
		return false, err
	}
	for i := range contents {
		data, err := source(ctx, sectionChanges, []int{i})
		var chunk []byte
		if err == nil {
			chunk, err = stripped(data[0], strip)
		}
		if err == nil && chunk != nil {
			changed, err = true, sink(sectionChanges, i, chunk)
		}
		if err != nil {
			return false, err
		}
	}
	return changed, nil
}

// stripped is Strip of one chunk; nil if it stays as it is.
func stripped(data []byte, strip func(index.Version) index.Version) (chunk []byte, err error) {
	c, err := openChanges(data)
	if err != nil {
		return nil, err
	}
	changed := false
	w := &chunkWriter{changeset: c.Changeset, copies: true, sink: func(_ string, _ int, data []byte) error {
		chunk = data
		return nil
	}}
	for e, more := c.next(); more; e, more = c.next() {
		for _, v := range []*index.Version{&e.earlier, &e.later} {
			if v.Record != nil {
				old := *v
				*v = strip(old)
				changed = changed || v.Withheld != old.Withheld || !bytes.Equal(v.Record, old.Record)
			}
		}
		if err := w.add(&e); err != nil {
			return nil, err
		}
	}
	if err := cmp.Or(c.damage(), w.flush()); err != nil || !changed {
		return nil, err
	}
	return chunk, nil
}
