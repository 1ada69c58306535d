package sidecar

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/wire"
)

// fingerprintsAChunk makes chunks of some 300 kB of filings that differ in everything, read and
// written in milliseconds.
const fingerprintsAChunk = 16_384

// fingerprintSize is a fingerprint in a chunk before it is compressed.
const fingerprintSize = (2 + len(index.Fingerprint{}.Digests)) * 8

// fingerprintWriter cuts fingerprints into chunks. Equal members stand side by side, since most
// digests of a field group are those of no value; the facts follow.
type fingerprintWriter struct {
	sink    Sink
	chunk   int
	rows    int
	id      int64                       // the last one
	columns [fingerprintSize / 8][]byte // how far the id is from the one before, the digests, and when it was added
	facts   []byte

	raw, packed []byte // of the last chunk, to be used again
}

// newFingerprintWriter returns one that writes at least one chunk. The last one says that it is the
// last: without it the others are not whole.
func newFingerprintWriter(sink Sink) *fingerprintWriter { return &fingerprintWriter{sink: sink} }

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
	err := w.sink(sectionFingerprints, w.chunk, w.packed)
	w.chunk, w.rows, w.id, w.facts = w.chunk+1, 0, 0, w.facts[:0]
	return err
}

// Fingerprints yields the fingerprints of a generation's filings, by id, or an error.
func Fingerprints(ctx context.Context, source Source) iter.Seq2[index.Fingerprint, error] {
	return func(yield func(index.Fingerprint, error) bool) {
		for chunk := 0; ; chunk++ {
			data, err := source(ctx, sectionFingerprints, []int{chunk})
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
	facts := wire.Reader{Rest: raw[rows*fingerprintSize:]}
	text := string(facts.Rest)
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
		if s.Facts = readFacts(&facts, text); facts.Failed {
			return nil, false, ErrDamaged
		}
	}
	return fingerprints, last, nil
}

// appendFacts appends f as readFacts reads it.
func appendFacts(dst []byte, f *index.Facts) []byte {
	for _, text := range [...]string{f.Owner, f.County, f.FilingDate, f.Address} {
		dst = protowire.AppendString(dst, text)
	}
	flags := byte(0)
	for i, set := range [...]bool{f.HasAmount, f.HasCoordinates, f.Trust, f.Estate} {
		if set {
			flags |= 1 << i
		}
	}
	return append(binary.LittleEndian.AppendUint64(dst, math.Float64bits(f.Amount)), flags)
}

// readFacts reads the facts that appendFacts wrote. text is the string of r.Rest: texts are parts
// of it, and need no memory of their own.
func readFacts(r *wire.Reader, text string) (f index.Facts) {
	part := func() string {
		n, end := len(r.Text()), len(text)-len(r.Rest)
		return text[end-n : end]
	}
	f.Owner, f.County, f.FilingDate, f.Address = part(), part(), part(), part()
	f.Amount = math.Float64frombits(r.Word())
	flags := r.Byte()
	f.HasAmount, f.HasCoordinates, f.Trust, f.Estate = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	return f
}

// Sink stores a chunk of a section. data is valid during the call only.
type Sink func(section string, chunk int, data []byte) error

// Source returns chunks of a section as a Sink stored them; index.ErrNotFound where nothing is
// stored beside the generation.
type Source func(ctx context.Context, section string, chunks []int) ([][]byte, error)

// Kinds of chunks beside a generation.
const (
	Kept      = "sidecar" // as long as the generation
	Changeset = "changes" // longer than that
)

// Sections. Changes and their contents stand by themselves, since they are kept longer.
const (
	sectionFingerprints = "fingerprints"
	sectionChanges      = "changes"
	sectionContents     = "contents" // of the changes, in one chunk

	sectionSummary = "summary"

	sectionPortfolios = "owners"
	sectionFilings    = "owners filings"  // of each owner
	sectionTokens     = "owners tokens"   // of keys
	sectionCounties   = "owners counties" // as written
	sectionWords      = "owners words"
	sectionOrder      = "owners by " // and the name of an order
)

// pieceBytes is the size of a piece of a section that is read as a whole.
const pieceBytes = 1 << 20

// ErrDamaged is the error of chunks that are not as they were written.
var ErrDamaged = fmt.Errorf("%w: a chunk beside the generation is damaged", index.ErrUnavailable)

// putWhole writes a section that is read as a whole, in pieces. The first byte of each says whether
// another one follows.
func putWhole(sink Sink, section string, data []byte) error {
	data = pack(nil, data)
	for piece := 0; ; piece++ {
		n := min(len(data), pieceBytes)
		more := byte(0)
		if n < len(data) {
			more = 1
		}
		if err := sink(section, piece, append([]byte{more}, data[:n]...)); err != nil || more == 0 {
			return err
		}
		data = data[n:]
	}
}

// whole reads a section that putWhole wrote.
func whole(ctx context.Context, source Source, section string) ([]byte, error) {
	var packed []byte
	for piece := 0; ; piece++ {
		data, err := source(ctx, section, []int{piece})
		if err != nil {
			return nil, err
		}
		if len(data) != 1 || len(data[0]) == 0 {
			return nil, ErrDamaged
		}
		packed = append(packed, data[0][1:]...)
		if data[0][0] == 0 {
			return unpacked(packed)
		}
	}
}

// pack compresses data, in the memory of dst. On real filings S2 takes 3 % more room than zstd's
// fastest level, of which a chunk of changes takes a quarter less, and three quarters of its time
// to write and to read; zstd also holds 8 MB.
func pack(dst, data []byte) []byte { return s2.EncodeBetter(dst[:cap(dst)], data) }

func unpacked(packed []byte) ([]byte, error) {
	data, err := s2.Decode(nil, packed)
	if err != nil {
		return nil, ErrDamaged
	}
	return data, nil
}
