package wire_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index/wire"
)

// Values are read as they were appended. Of data that end earlier, wherever that is, a value is
// missing: the reader says so, and has no more of the data.
func TestReader(t *testing.T) {
	t.Parallel()
	data := protowire.AppendBytes(nil, []byte("maple"))
	data = protowire.AppendVarint(data, 1<<40)
	data = protowire.AppendFixed64(append(data, 7), 1<<60)
	data = protowire.AppendBytes(data, nil)
	for end := range len(data) + 1 {
		r := wire.Reader{Rest: data[:end]}
		text, number, b, word, empty := r.Text(), r.Number(), r.Byte(), r.Word(), r.Text()
		if len(r.Rest) > 0 || r.Failed != (end < len(data)) {
			t.Errorf("of %d bytes %d are left, failed: %t", end, len(r.Rest), r.Failed)
		}
		if r.Failed {
			if r.Text() != nil || r.Number() != 0 || r.Byte() != 0 || r.Word() != 0 {
				t.Errorf("after the end of %d bytes there are values", end)
			}
			continue
		}
		if !bytes.Equal(text, []byte("maple")) || number != 1<<40 || b != 7 || word != 1<<60 || len(empty) > 0 {
			t.Errorf("%q, %d, %d, %d, %q are read", text, number, b, word, empty)
		}
	}
}

// Lengths and numbers that no data have are refused.
func TestReader_Damaged(t *testing.T) {
	t.Parallel()
	endless := bytes.Repeat([]byte{0xff}, 12)
	for _, data := range [][]byte{endless, append(protowire.AppendVarint(nil, 1<<63), endless...)} {
		r := wire.Reader{Rest: data}
		if text := r.Text(); text != nil || !r.Failed {
			t.Errorf("% x: a text of %d bytes", data, len(text))
		}
	}
	r := wire.Reader{Rest: endless}
	if number := r.Number(); number != 0 || !r.Failed {
		t.Errorf("a number of twelve bytes is %d", number)
	}
}
