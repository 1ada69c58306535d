package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"runtime"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/history"
	"filings/index/sorter"
)

// chunkStamps is the name of the chunks that hold the stamps of a generation's filings. Files of an older program have none.
const chunkStamps = "stamps"

// stampBuffer makes chunks of stamps while the filings are read, which keeps the connection busy, and writes them afterwards.
type stampBuffer struct {
	*history.FingerprintWriter
	chunks *sorter.Sorter
	empty  []byte // emptyRecord
	record []byte // reused
	city   string // of the filing before: mostly the same
}

func newStampBuffer(dir string) *stampBuffer {
	const inMemory = 2 << 20
	b := &stampBuffer{chunks: sorter.New(dir, inMemory), empty: emptyRecord()}
	b.FingerprintWriter = history.NewFingerprintWriter(func(chunk int, data []byte) error {
		return b.chunks.Add(binary.BigEndian.AppendUint32(nil, uint32(chunk)), data)
	})
	return b
}

// add takes a filing as its row has it.
func (b *stampBuffer) add(values, record []byte, tail uint64) error {
	if tail > uint64(len(b.empty)) || len(values) < 8 {
		return columns.ErrDamaged
	}
	created, city, err := columns.Hidden(values)
	if err != nil {
		return err
	}
	b.record = append(append(b.record[:0], record...), b.empty[len(b.empty)-int(tail):]...)
	if string(city) != b.city {
		b.city = string(city)
	}
	id := int64(binary.LittleEndian.Uint64(values))
	return b.Add(index.FingerprintOf(id, index.Version{Record: b.record, City: b.city}, created))
}

func (b *stampBuffer) write(ctx context.Context, put columns.Sink) error {
	err := b.Finish()
	if err == nil {
		err = b.chunks.Each(ctx, func(key, data []byte) error { return put(chunkStamps, int(binary.BigEndian.Uint32(key)), data) })
	}
	return err
}

func (b *stampBuffer) close() { _ = b.chunks.Close() } // what it held is written, or the build failed

// stamps yields the stamps in the file of r.
func (r *reader) stamps(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return history.DecodeFingerprints(func(chunk int) ([]byte, error) {
		defer runtime.KeepAlive(r) // the cleanup would close the file
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var n int
		if err := r.db.QueryRow("SELECT count(*) FROM chunks WHERE name = ? AND chunk = ?", chunkStamps, chunk).Scan(&n); err != nil {
			return nil, r.unavailable(err)
		}
		if n == 0 && chunk == 0 {
			return nil, fmt.Errorf("stamps of %s: %w", r.name, index.ErrNotFound)
		}
		return r.chunk(ctx, chunkStamps, chunk)
	})
}

// stamps yields the stamps of a sealed generation.
func (s *storage) stamps(ctx context.Context, name string) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		r, err := s.reader(ctx, name)
		if err != nil {
			yield(index.Fingerprint{}, err)
			return
		}
		r.stamps(ctx)(yield)
	}
}

// Fingerprints implements generation.Writer.
func (b *build) Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	if b.checked == nil {
		return func(yield func(index.Fingerprint, error) bool) {
			yield(index.Fingerprint{}, errors.New("stamps are for the check alone"))
		}
	}
	return b.checked.stamps(ctx)
}

// Differences implements generation.Writer.
func (b *build) Differences(ctx context.Context) (*generation.Differences, error) {
	noted := new(generation.Differences)
	for _, err := range b.collected.Over(ctx, b.from.stamps(ctx), noted.Note) {
		if err != nil {
			return nil, err
		}
	}
	return noted, nil
}
