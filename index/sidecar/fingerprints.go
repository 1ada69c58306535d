package sidecar

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
)

// fingerprintsAChunk makes chunks of some 300 kB of filings that differ in everything, read and written in milliseconds.
const fingerprintsAChunk = 16_384

// fingerprintSize is a fingerprint in a chunk before it is compressed.
const fingerprintSize = (2 + len(index.Fingerprint{}.Digests)) * 8

// FingerprintWriter cuts fingerprints into chunks.
type FingerprintWriter struct {
	to      Sink
	chunk   int
	pending []index.Fingerprint
}

// NewFingerprintWriter returns a FingerprintWriter that writes at least one chunk. The last one says that it is the last: without it
// the others are not whole.
func NewFingerprintWriter(to Sink) *FingerprintWriter {
	return &FingerprintWriter{to: to, pending: make([]index.Fingerprint, 0, fingerprintsAChunk)}
}

// Add takes the next fingerprint: they come by id.
func (w *FingerprintWriter) Add(s index.Fingerprint) error {
	var err error
	if len(w.pending) == fingerprintsAChunk {
		err = w.flush(0)
	}
	w.pending = append(w.pending, s)
	return err
}

// Finish writes the last chunk.
func (w *FingerprintWriter) Finish() error { return w.flush(1) }

func (w *FingerprintWriter) flush(last byte) error {
	head := []byte{last}
	if slices.ContainsFunc(w.pending, func(s index.Fingerprint) bool { return s.Facts != "" }) {
		head = binary.LittleEndian.AppendUint32([]byte{last | withFacts}, uint32(len(w.pending)))
	}
	raw := appendFingerprints(head, w.pending)
	for _, s := range w.pending {
		if len(head) > 1 {
			raw = protowire.AppendString(raw, s.Facts)
		}
	}
	err := w.to(sectionFingerprints, w.chunk, encoder.EncodeAll(raw, nil))
	w.chunk, w.pending = w.chunk+1, w.pending[:0]
	return err
}

// withFacts is set in the first byte of a chunk with facts: then it says how many fingerprints there are, and facts follow them.
const withFacts = 2

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
	raw, err := decoder.DecodeAll(data, nil)
	if err != nil || len(raw) == 0 {
		return nil, false, errors.Join(ErrDamaged, err)
	}
	head, raw := raw[0], raw[1:]
	var facts []byte
	if head&withFacts != 0 && len(raw) >= 4 {
		size := int(binary.LittleEndian.Uint32(raw)) * fingerprintSize
		if raw = raw[4:]; size > len(raw) {
			return nil, false, ErrDamaged
		}
		raw, facts = raw[:size], raw[size:]
	}
	if len(raw)%fingerprintSize != 0 {
		return nil, false, ErrDamaged
	}
	last = head&1 == 1
	fingerprints = make([]index.Fingerprint, len(raw)/fingerprintSize)
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
		if head&withFacts != 0 {
			text, n := protowire.ConsumeBytes(facts)
			if n < 0 {
				return nil, false, ErrDamaged
			}
			s.Facts, facts = string(text), facts[n:]
		}
	}
	return fingerprints, last, nil
}

// Coders are safe for concurrent use by EncodeAll and DecodeAll. Their options are valid.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true))
)
