package sidecar

import (
	"context"
	"encoding/binary"
	"iter"

	"filings/index"
)

// fingerprintsAChunk makes chunks of some 300 kB of filings that differ in everything, read and
// written in milliseconds.
const fingerprintsAChunk = 16_384

// fingerprintSize is a fingerprint in a chunk before it is compressed.
const fingerprintSize = (2 + len(index.Fingerprint{}.Digests)) * 8

// fingerprintWriter cuts fingerprints into chunks. Equal members stand side by side, since most digests of a field
// group are those of no value; the facts follow.
type fingerprintWriter struct {
	to      Sink
	chunk   int
	rows    int
	id      int64                       // the last one
	columns [fingerprintSize / 8][]byte // how far the id is from the one before, the digests, and when it was added
	facts   []byte

	raw, packed []byte // of the last chunk, to be used again
}

// newFingerprintWriter returns one that writes at least one chunk. The last one says that it is the last: without it
// the others are not whole.
func newFingerprintWriter(to Sink) *fingerprintWriter { return &fingerprintWriter{to: to} }

// add takes the next fingerprint: they come by id.
func (w *fingerprintWriter) add(s *index.Fingerprint) (err error) {
	if w.rows == fingerprintsAChunk {
		err = w.flush(0)
	}
	add := func(column int, word uint64) {
		w.columns[column] = binary.LittleEndian.AppendUint64(w.columns[column], word)
	}
	add(0, uint64(s.ID-w.id))
	for group, digest := range s.Digests {
		add(1+group, digest)
	}
	add(1+len(s.Digests), uint64(s.Created))
	w.facts = appendFacts(w.facts, &s.Facts)
	w.rows, w.id = w.rows+1, s.ID
	return err
}

// finish writes the last chunk.
func (w *fingerprintWriter) finish() error { return w.flush(1) }

func (w *fingerprintWriter) flush(last byte) error {
	w.raw = binary.LittleEndian.AppendUint32(append(w.raw[:0], last), uint32(w.rows))
	for i, words := range w.columns {
		w.raw, w.columns[i] = append(w.raw, words...), words[:0]
	}
	w.raw = append(w.raw, w.facts...)
	w.packed = pack(w.packed, w.raw)
	err := w.to(sectionFingerprints, w.chunk, w.packed)
	w.chunk, w.rows, w.id, w.facts = w.chunk+1, 0, 0, w.facts[:0]
	return err
}

// Fingerprints yields the fingerprints of a generation's filings, by id, or what reading them fails with.
func Fingerprints(ctx context.Context, from Source) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		for chunk := 0; ; chunk++ {
			data, err := from(ctx, sectionFingerprints, []int{chunk})
			var fingerprints []index.Fingerprint
			last := false
			if err == nil {
				fingerprints, last, err = decodeFingerprints(data[0])
			}
			if err != nil {
				yield(index.Fingerprint{}, err)
				return
			}
			for _, s := range fingerprints {
				if !yield(s, nil) {
					return
				}
			}
			if last {
				return
			}
		}
	}
}

func decodeFingerprints(data []byte) (fingerprints []index.Fingerprint, last bool, err error) {
	const head = 1 + 4 // whether it is the last chunk, and how many fingerprints it has
	raw, err := unpacked(data)
	if err != nil || len(raw) < head {
		return nil, false, ErrDamaged
	}
	last, rows := raw[0] == 1, int(binary.LittleEndian.Uint32(raw[1:]))
	if raw = raw[head:]; rows*fingerprintSize > len(raw) {
		return nil, false, ErrDamaged
	}
	facts := cutter{data: raw[rows*fingerprintSize:]}
	text := string(facts.data)
	fingerprints = make([]index.Fingerprint, rows)
	word := func(column, row int) uint64 {
		return binary.LittleEndian.Uint64(raw[(column*len(fingerprints)+row)*8:])
	}
	id := int64(0)
	for i := range fingerprints {
		s := &fingerprints[i]
		id += int64(word(0, i))
		s.ID = id
		for part := range s.Digests {
			s.Digests[part] = word(1+part, i)
		}
		s.Created = int64(word(1+len(s.Digests), i))
		if s.Facts = facts.facts(text); facts.failed {
			return nil, false, ErrDamaged
		}
	}
	return fingerprints, last, nil
}
