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
	// maxNesting is how deep what a Parquet file says of itself may be nested, of which the format needs about ten. The library follows
	// any depth by recursion: from some millions on the stack is full, and the process ends.
	maxNesting = 32
	// maxGroups is how deep the columns may be, which is what the library can represent. It finds that out too late: 30,000 groups, each
	// in the other, took 7 GB.
	maxGroups = 255
)

var errNesting = fmt.Errorf("it is a damaged Parquet file: what it says of itself is nested more than %d deep", maxNesting)

// footerFits refuses a file whose footer would take all memory, or the stack. What is damaged otherwise is left to the library.
func footerFits(file io.ReaderAt, size int64) error {
	var end [8]byte
	if _, err := io.ReadFull(io.NewSectionReader(file, size-8, 8), end[:]); err != nil {
		return nil
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	footer := func() *bufio.Reader { return bufio.NewReader(io.NewSectionReader(file, size-8-length, length)) }
	if errors.Is(nesting(footer()), errNesting) {
		return errNesting
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

// nesting reads a struct in Thrift's compact protocol. The error is errNesting, or whatever ended it.
func nesting(in *bufio.Reader) error {
	return nested(new(thrift.CompactProtocol).NewReader(in), in, thrift.STRUCT, 1)
}

func nested(r thrift.Reader, in *bufio.Reader, t thrift.Type, depth int) (err error) {
	if depth > maxNesting {
		return errNesting
	}
	items := func(n int32, types ...thrift.Type) error {
		for range n {
			for _, t := range types {
				if err := nested(r, in, t, depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch t {
	case thrift.STRUCT:
		for {
			field, err := r.ReadField()
			if err != nil || field.Type == thrift.STOP {
				return err
			}
			if field.Type == thrift.TRUE || field.Type == thrift.FALSE { // the type is the value
				continue
			}
			if err := nested(r, in, field.Type, depth+1); err != nil {
				return err
			}
		}
	case thrift.LIST, thrift.SET:
		list, err := r.ReadList()
		if err != nil {
			return err
		}
		return items(list.Size, list.Type)
	case thrift.MAP:
		all, err := r.ReadMap()
		if err != nil {
			return err
		}
		return items(all.Size, all.Key, all.Value)
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = in.Discard(8)
	case thrift.BINARY:
		var n int
		if n, err = r.ReadLength(); err == nil {
			_, err = in.Discard(n)
		}
	default:
		err = fmt.Errorf("there is no type %d", t)
	}
	return err
}
