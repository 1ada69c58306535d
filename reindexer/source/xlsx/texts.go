package xlsx

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"filings/index/sorter"
)

const (
	// blockOf is how many texts are read of the file at once. Programs number texts as they meet them, so that neighbours in a
	// row are neighbours here.
	blockOf = 64
	// blocksHeld is how many blocks are in memory, and bytesHeld how many bytes of them at most.
	blocksHeld = 512
	bytesHeld  = 8 << 20
	// maxText is the longest text: 32,767 characters, of at most four bytes, with room for what Excel counts otherwise.
	maxText = 4 << 15
	// maxTexts is how large the part of the texts may be, and the file: twice what the most rows that a sheet can have need, as they
	// are usually filled. It ends what a small archive could decompress to.
	maxTexts = 2 << 30
)

// Space is the room that files of texts have.
type Space = sorter.Space

// texts are the texts that cells name by number. They are in a file of their own, one after the other, each after its length.
type texts struct {
	file   *os.File
	space  *Space
	starts []int64 // of the blocks
	end    int64
	count  int
	held   []block // a block is at its number modulo their number
	bytes  int     // that they have
}

// block is one that was read.
type block struct {
	number int // from 1; 0: none
	text   []byte
	ends   [blockOf]uint32
}

// readTexts reads the part of the shared texts into a temporary file, which has no name: nothing of it is left behind.
func readTexts(in io.Reader, space *Space) (_ *texts, err error) {
	file, err := sorter.Nameless("")
	if err != nil {
		return nil, err
	}
	t := &texts{file: file, space: space, held: make([]block, blocksHeld)}
	defer func() {
		if err != nil {
			t.close()
			err = sorter.Unnamed(err)
		}
	}()
	out := bufio.NewWriterSize(file, 64<<10)
	if err := eachText(in, func(text []byte) error { return t.add(out, text) }); err != nil {
		return nil, err
	}
	return t, out.Flush()
}

// eachText calls do with each text of the part. A text may stand in several runs, each with a font of its own; what says how it
// is pronounced is not part of it.
func eachText(in io.Reader, do func(text []byte) error) error {
	s := newScanner(in)
	var t token
	var item []byte
	for {
		switch err := s.next(&t); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if t.kind != start || t.name != "si" {
			continue
		}
		var err error
		if item, err = s.stringOf(&t, item[:0]); err != nil {
			return err
		}
		if err := do(unescape(item)); err != nil {
			return err
		}
	}
}

// stringOf appends the text of the element that has just begun, up to its end: that of all t in it but those of rPh.
func (s *scanner) stringOf(t *token, dst []byte) (_ []byte, err error) {
	begin, within, spoken := len(dst), false, false
	for outside := s.depth - 1; ; {
		if err := s.next(t); err != nil {
			return nil, err
		}
		switch {
		case t.kind == text && within:
			if dst = append(dst, t.text...); len(dst)-begin > maxText {
				return nil, fmt.Errorf("it has a text of more than %d KiB", maxText>>10)
			}
		case t.kind == text:
		case t.kind == end && s.depth == outside:
			return dst, nil
		case t.name == "t":
			within = t.kind == start && !spoken
		case t.name == "rPh":
			spoken = t.kind == start
		}
	}
}

// add writes the next text.
func (t *texts) add(out *bufio.Writer, text []byte) error {
	if t.count%blockOf == 0 {
		t.starts = append(t.starts, t.end)
	}
	t.count++
	length := binary.AppendUvarint(make([]byte, 0, 4), uint64(len(text)))
	size := int64(len(length) + len(text))
	if t.end+size > maxTexts {
		return errTexts(t.end + size)
	}
	if err := t.space.Take(size); err != nil {
		return err
	}
	t.end += size
	if _, err := out.Write(length); err != nil {
		return err
	}
	_, err := out.Write(text)
	return err
}

// errTexts says that the texts have so many bytes, or more.
func errTexts(size int64) error {
	return fmt.Errorf("it has %.1f GiB of texts or more, and up to %d GiB are read: save it as CSV", float64(size)/(1<<30), maxTexts>>30)
}

var errNoText = errors.New("a cell names a text that there is not")

// appendTo appends the text with that number, from 0.
func (t *texts) appendTo(dst []byte, number int) ([]byte, error) {
	if t == nil || number < 0 || number >= t.count {
		return nil, errNoText
	}
	b := &t.held[number/blockOf%blocksHeld]
	if b.number != number/blockOf+1 {
		if err := t.load(b, number/blockOf); err != nil {
			return nil, err
		}
	}
	at, begin := number%blockOf, uint32(0)
	if at > 0 {
		begin = b.ends[at-1]
	}
	length, n := binary.Uvarint(b.text[begin:])
	begin += uint32(n)
	return append(dst, b.text[begin:begin+uint32(length)]...), nil
}

// load reads a block to b's place.
func (t *texts) load(b *block, number int) error {
	if t.bytes > bytesHeld {
		clear(t.held)
		t.bytes = 0
	}
	end := t.end
	if number+1 < len(t.starts) {
		end = t.starts[number+1]
	}
	t.bytes -= cap(b.text)
	if size := int(end - t.starts[number]); cap(b.text) < size {
		b.text = make([]byte, size)
	} else {
		b.text = b.text[:size]
	}
	t.bytes += cap(b.text)
	if _, err := t.file.ReadAt(b.text, t.starts[number]); err != nil {
		b.number = 0
		return fmt.Errorf("read its texts back: %w", sorter.Unnamed(err))
	}
	b.number = number + 1
	at := 0
	for i := range min(blockOf, t.count-number*blockOf) {
		length, n := binary.Uvarint(b.text[at:])
		at += n + int(length)
		b.ends[i] = uint32(at)
	}
	return nil
}

func (t *texts) close() {
	if t != nil {
		_ = sorter.Discard(t.file) // only read from by now
		t.space.Free(t.end)
	}
}
