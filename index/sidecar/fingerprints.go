package sidecar

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// fingerprintsAChunk makes chunks of some 300 kB of filings that differ in everything, read and
// written in milliseconds.
const fingerprintsAChunk = 16_384

// fingerprintSize is a fingerprint in a chunk before it is compressed.
const fingerprintSize = (2 + len(index.Fingerprint{}.Digests)) * 8

// fingerprintWriter cuts fingerprints into chunks.
type fingerprintWriter struct {
	to      Sink
	chunk   int
	pending []index.Fingerprint // without their facts
	facts   []byte              // of pending

	raw, packed []byte // of the last chunk, to be used again
}

// newFingerprintWriter returns one that writes at least one chunk. The last one says that it is the last: without it
// the others are not whole.
func newFingerprintWriter(to Sink) *fingerprintWriter {
	return &fingerprintWriter{to: to, pending: make([]index.Fingerprint, 0, fingerprintsAChunk)}
}

// add takes the next fingerprint: they come by id.
func (w *fingerprintWriter) add(s index.Fingerprint) error {
	var err error
	if len(w.pending) == fingerprintsAChunk {
		err = w.flush(0)
	}
	w.facts = protowire.AppendString(w.facts, s.Facts)
	s.Facts = ""
	w.pending = append(w.pending, s)
	return err
}

// finish writes the last chunk.
func (w *fingerprintWriter) finish() error { return w.flush(1) }

func (w *fingerprintWriter) flush(last byte) error {
	w.raw = binary.LittleEndian.AppendUint32(append(w.raw[:0], last), uint32(len(w.pending)))
	w.raw = append(appendFingerprints(w.raw, w.pending), w.facts...)
	w.packed = encoder.EncodeAll(w.raw, w.packed[:0])
	err := w.to(sectionFingerprints, w.chunk, w.packed)
	w.chunk, w.pending, w.facts = w.chunk+1, w.pending[:0], w.facts[:0]
	return err
}

// appendFingerprints writes equal members side by side, since most digests of a part are those of no value.
func appendFingerprints(dst []byte, fingerprints []index.Fingerprint) []byte {
	before := int64(0)
	for _, s := range fingerprints {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.ID-before))
		before = s.ID
	}
	for part := range (index.Fingerprint{}).Digests {
		for i := range fingerprints {
			dst = binary.LittleEndian.AppendUint64(dst, fingerprints[i].Digests[part])
		}
	}
	for _, s := range fingerprints {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(s.Created))
	}
	return dst
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
	raw, err := decoder.DecodeAll(data, nil)
	if err != nil || len(raw) < head {
		return nil, false, errors.Join(ErrDamaged, err)
	}
	last, rows := raw[0] == 1, int(binary.LittleEndian.Uint32(raw[1:]))
	if raw = raw[head:]; rows*fingerprintSize > len(raw) {
		return nil, false, ErrDamaged
	}
	facts := raw[rows*fingerprintSize:]
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
		text, n := protowire.ConsumeBytes(facts)
		if n < 0 {
			return nil, false, ErrDamaged
		}
		s.Facts, facts = string(text), facts[n:]
	}
	return fingerprints, last, nil
}

// Coders are safe for concurrent use by EncodeAll and DecodeAll. Their options are valid.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true))
)
