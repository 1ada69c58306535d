package history

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/klauspost/compress/zstd"

	"filings/index"
)

// fingerprintsAChunk makes chunks of some 300 kB of filings that differ in everything, read and written in milliseconds.
const fingerprintsAChunk = 16_384

// fingerprintSize is a fingerprint in a chunk before it is compressed.
const fingerprintSize = (2 + len(index.Fingerprint{}.Digests)) * 8

// FingerprintWriter cuts fingerprints into chunks.
type FingerprintWriter struct {
	put     func(chunk int, data []byte) error
	chunk   int
	pending []index.Fingerprint
}

// NewFingerprintWriter returns a FingerprintWriter that hands chunks to put, which may keep them, numbered from 0; there is at least one.
// The last one says that it is the last: without it the others are not whole.
func NewFingerprintWriter(put func(chunk int, data []byte) error) *FingerprintWriter {
	return &FingerprintWriter{put: put, pending: make([]index.Fingerprint, 0, fingerprintsAChunk)}
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
	err := w.put(w.chunk, encoder.EncodeAll(appendFingerprints([]byte{last}, w.pending), nil))
	w.chunk, w.pending = w.chunk+1, w.pending[:0]
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

// DecodeFingerprints yields the fingerprints of chunks as get returns them, or what it fails with.
func DecodeFingerprints(get func(chunk int) ([]byte, error)) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		for chunk := 0; ; chunk++ {
			data, err := get(chunk)
			var fingerprints []index.Fingerprint
			last := false
			if err == nil {
				fingerprints, last, err = decodeFingerprints(data)
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

// ErrDamaged is the error of chunks that are not as they were written.
var ErrDamaged = errors.New("what is kept of changes is damaged")

func decodeFingerprints(data []byte) (fingerprints []index.Fingerprint, last bool, err error) {
	raw, err := decoder.DecodeAll(data, nil)
	if err != nil || len(raw)%fingerprintSize != 1 {
		return nil, false, errors.Join(ErrDamaged, err)
	}
	last, raw = raw[0] == 1, raw[1:]
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
	}
	return fingerprints, last, nil
}

// Coders are safe for concurrent use by EncodeAll and DecodeAll. Their options are valid.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true))
)
