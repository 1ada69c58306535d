package table

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// maxNesting is how deep what a Parquet file says of itself may be nested, of which the format
	// needs about ten. The library follows any depth by recursion: from some millions on the stack
	// is full, and the process ends.
	maxNesting = 32
	// maxGroups is how deep the columns may be, which is what the library can represent. It finds
	// that out too late: 30,000 groups, each in the other, took 7 GB.
	maxGroups = 255
	// maxFooter is the longest footer that is read, in bytes: 100 columns in 300 groups of rows
	// have one of some 4 MB.
	maxFooter = 4 << 20
	// maxStructs is how many structs a footer of that length has at the most. One may be a byte in
	// the file, and 600 in memory.
	maxStructs = 1 << 18
)

var errNesting = fmt.Errorf("it is a damaged Parquet file: what it says of itself is nested more than %d deep",
	maxNesting)

// footerFits refuses a file whose footer would take all memory, or the stack. What is damaged
// otherwise is left to the library.
func footerFits(file io.ReaderAt, size int64) error {
	var end [8]byte
	if _, err := io.ReadFull(io.NewSectionReader(file, size-8, 8), end[:]); err != nil {
		return nil
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	switch mark := string(end[4:]); {
	case mark == "PARE":
		return errors.New("it is an encrypted Parquet file: decrypt it first")
	case mark != "PAR1":
		return nil
	case length > size-int64(len("PAR1")+len(end)):
		return fmt.Errorf("it is a damaged Parquet file: its footer is to have %d bytes, and the file has %d", length, size)
	case length > maxFooter:
		return fmt.Errorf("the footer of the Parquet file has %d KiB, and up to %d KiB are read: write it with larger "+
			"row groups",
			length>>10, maxFooter>>10)
	}
	footer := func() *bufio.Reader { return bufio.NewReader(io.NewSectionReader(file, size-8-length, length)) }
	if err := described(footer()); err != nil {
		return err
	}
	var meta format.FileMetaData
	if thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(footer())).Decode(&meta) != nil {
		return nil
	}
	var left []int32 // how many children the groups around an element have from it on
	for _, element := range meta.Schema {
		for len(left) > 0 && left[len(left)-1] == 0 {
			left = left[:len(left)-1]
		}
		if len(left) > 0 {
			left[len(left)-1]--
		}
		if left = append(left, max(0, element.NumChildren.V)); len(left) > maxGroups {
			return fmt.Errorf("its column %s is nested; values and lists of values are read: unnest it first", element.Name)
		}
	}
	return nil
}

// described refuses what a file says of itself, a struct in Thrift's compact protocol, if it is
// nested too deep, or says that more follows than there is: the library takes memory for as many
// items and bytes as are announced before it reads the first.
func described(in *bufio.Reader) error {
	w := walk{r: new(thrift.CompactProtocol).NewReader(in), in: in}
	err := w.value(thrift.STRUCT, 1)
	if err != nil && !errors.Is(err, errNesting) {
		err = fmt.Errorf("it is a damaged Parquet file: what it says of itself is not whole: %w", err)
	}
	return err
}

// walk reads values of Thrift and keeps none.
type walk struct {
	r       thrift.Reader
	in      *bufio.Reader // that r reads
	structs int
}

func (w *walk) value(t thrift.Type, depth int) (err error) {
	if depth > maxNesting {
		return errNesting
	}
	items := func(n int32, types ...thrift.Type) error {
		for range n {
			for _, t := range types {
				if err := w.value(t, depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch t {
	case thrift.STRUCT:
		if w.structs++; w.structs > maxStructs {
			return fmt.Errorf("it has more than %d structs", maxStructs)
		}
		for {
			field, err := w.r.ReadField()
			if err != nil || field.Type == thrift.STOP {
				return err
			}
			if field.Type == thrift.TRUE || field.Type == thrift.FALSE { // the type is the value
				continue
			}
			if err := w.value(field.Type, depth+1); err != nil {
				return err
			}
		}
	case thrift.LIST, thrift.SET:
		list, err := w.r.ReadList()
		if err != nil {
			return err
		}
		return items(list.Size, list.Type)
	case thrift.MAP:
		all, err := w.r.ReadMap()
		if err != nil {
			return err
		}
		return items(all.Size, all.Key, all.Value)
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = w.r.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.in.Discard(8)
	case thrift.BINARY:
		var n int
		if n, err = w.r.ReadLength(); err == nil {
			_, err = w.in.Discard(n)
		}
	default:
		err = fmt.Errorf("there is no type %d", t)
	}
	return err
}
