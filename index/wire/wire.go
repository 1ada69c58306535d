// Package wire reads the values that functions of protowire append, in their order. It owns the end
// of the data, beyond which nothing is read, and doesn't know what the values mean.
package wire

import "google.golang.org/protobuf/encoding/protowire"

// Reader reads values off Rest. Once a value is missing it has failed, and returns zero values.
type Reader struct {
	Rest   []byte
	Failed bool
}

// Text returns the bytes after their length. They are a part of Rest.
func (r *Reader) Text() []byte {
	text, n := protowire.ConsumeBytes(r.Rest)
	r.skip(n)
	return text
}

// Number returns a varint.
func (r *Reader) Number() uint64 {
	number, n := protowire.ConsumeVarint(r.Rest)
	r.skip(n)
	return number
}

// Word returns eight bytes, little-endian.
func (r *Reader) Word() uint64 {
	word, n := protowire.ConsumeFixed64(r.Rest)
	r.skip(n)
	return word
}

// Byte returns one byte.
func (r *Reader) Byte() (b byte) {
	if len(r.Rest) == 0 {
		r.skip(-1)
		return 0
	}
	b = r.Rest[0]
	r.skip(1)
	return b
}

// skip takes n bytes off Rest; of fewer than 0 there is no value.
func (r *Reader) skip(n int) {
	if n < 0 {
		r.Rest, r.Failed = nil, true
		return
	}
	r.Rest = r.Rest[n:]
}
