package parquet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// maxDescription is the most bytes of a file's description of itself, its footer or the header
	// of a page. 100 columns in 80 groups of rows have a footer of that length.
	maxDescription = 1 << 20
	// maxParts is how many structs and lists a description may have. One may be a byte in the file
	// and 600 in memory, or within the one before, where the library follows by recursion.
	maxParts = 1 << 18
	// maxGroups is how deep the columns may be: the library represents no deeper ones. It finds
	// that out too late: 30,000 groups, each in the other, took 7 GB.
	maxGroups = 255
	// maxPages is how much the largest pages of the columns of a group may take, decompressed. One
	// of each is in memory at a time, and some KB compressed may be GBs of them.
	maxPages = 512 << 20
	// maxItems is how many values the lists of a column may have in a group, all of which may be of
	// one row: as many as a JSON document.
	maxItems = 32 << 20
	// maxScale is how many places decimals have after the point: no type has more than 76.
	maxScale = 1 << 10
)

// footerFits refuses a file whose footer would take all memory or stack. Other damage is the
// library's.
func footerFits(file io.ReaderAt, size int64) error {
	var end [8]byte
	if _, err := file.ReadAt(end[:], size-8); err != nil {
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
	case length > maxDescription:
		return fmt.Errorf("the footer of the Parquet file has %d KiB, and up to %d KiB are read: write it with fewer and "+
			"larger row groups, or as several files", (length+1023)>>10, maxDescription>>10)
	}
	footer := make([]byte, length)
	if _, err := file.ReadAt(footer, size-8-length); err != nil {
		return err
	}
	var meta format.FileMetaData
	if _, err := describe(footer, &meta); err != nil {
		return err
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

// describe reads a file's description of itself, a struct in Thrift's compact protocol, and returns
// its length.
func describe(text []byte, description any) (length int, _ error) {
	r := &reader{new(thrift.CompactProtocol).NewReaderFromBytes(text), len(text), 0}
	if err := thrift.NewDecoder(r).Decode(description); err != nil {
		err = cmp.Or(errors.Unwrap(err), err) // without the way to it, which may be long
		return 0, fmt.Errorf("it is a damaged Parquet file: what it says of itself is not whole: %w", err)
	}
	return r.BytesRead(), nil
}

// reader refuses a description that announces more items than follow, or than are allowed: the
// library takes memory for all announced items before it reads the first.
type reader struct {
	thrift.BytesReader
	size  int
	parts int
}

// announced checks n items, each of which has values of these types.
func (r *reader) announced(n int32, types ...thrift.Type) error {
	if int(n) > r.size-r.BytesRead() { // an item has at least a byte
		return io.ErrUnexpectedEOF
	}
	for _, t := range types {
		switch t {
		case thrift.STRUCT, thrift.LIST, thrift.SET, thrift.MAP:
			r.parts += int(n)
		}
	}
	if r.parts > maxParts {
		return fmt.Errorf("it has more than %d structs and lists", maxParts)
	}
	return nil
}

func (r *reader) ReadField() (thrift.Field, error) {
	field, err := r.BytesReader.ReadField()
	if err == nil && field.Type != thrift.STOP {
		err = r.announced(1, field.Type)
	}
	return field, err
}

func (r *reader) ReadList() (thrift.List, error) {
	list, err := r.BytesReader.ReadList()
	return list, cmp.Or(err, r.announced(list.Size, list.Type))
}

func (r *reader) ReadSet() (thrift.Set, error) {
	set, err := r.ReadList()
	return thrift.Set(set), err
}

func (r *reader) ReadMap() (thrift.Map, error) {
	m, err := r.BytesReader.ReadMap()
	return m, cmp.Or(err, r.announced(m.Size, m.Key, m.Value))
}

// Discard skips texts for the library.
func (r *reader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(n int) (int, error) }).Discard(n)
}

// pagesFit refuses a file whose pages would take more memory than that, or whose lists are longer.
func pagesFit(file io.ReaderAt, meta *format.FileMetaData, most, items int64) error {
	for _, group := range meta.RowGroups {
		sum := int64(0)
		for _, c := range group.Columns {
			largest, values, err := sizesOf(file, &c.MetaData)
			if err != nil {
				return err
			}
			if sum += largest; values-group.NumRows > items {
				return fmt.Errorf("its column %s has lists of more than %d values in %d rows: write it with smaller row groups",
					strings.Join(c.MetaData.PathInSchema, "."), items, group.NumRows)
			}
		}
		if sum > most {
			return fmt.Errorf("the largest pages of its columns take %d MiB, more than the %d MiB that are read: write "+
				"it with smaller row groups, or a smaller data_page_size", sum>>20, most>>20)
		}
	}
	return nil
}

// sizesOf returns the size of the largest page of a column, decompressed, and the number of all
// values, by the pages.
func sizesOf(file io.ReaderAt, c *format.ColumnMetaData) (largest, values int64, _ error) {
	pages := io.NewSectionReader(file, cmp.Or(c.DictionaryPageOffset, c.DataPageOffset), c.TotalCompressedSize)
	for offset := int64(0); offset < c.TotalCompressedSize; {
		page, length, err := headerAt(pages, offset)
		if err != nil {
			return 0, 0, err
		}
		count := page.DataPageHeader.V.NumValues + page.DataPageHeaderV2.V.NumValues // it has one of them
		if page.CompressedPageSize < 0 || page.UncompressedPageSize < 0 || count < 0 {
			return 0, 0, errors.New("it is a damaged Parquet file: a page says that it has less than nothing")
		}
		largest, values = max(largest, int64(page.UncompressedPageSize)), values+int64(count)
		offset += int64(length) + int64(page.CompressedPageSize)
	}
	return largest, values, nil
}

// headerAt returns the header of the page there, and how long it is: rarely more than 1 KiB.
func headerAt(pages io.ReaderAt, offset int64) (page format.PageHeader, length int, err error) {
	for size := 1 << 10; ; size = maxDescription {
		text := make([]byte, size)
		n, _ := pages.ReadAt(text, offset) // the end of the file ends the header
		page = format.PageHeader{}
		switch length, err = describe(text[:n], &page); {
		case err == nil || n < size:
			return page, length, err
		case size == maxDescription && errors.Is(err, io.ErrUnexpectedEOF):
			return page, 0, fmt.Errorf("the header of a page of the Parquet file has more than the %d KiB that are read: write "+
				"it without statistics of long texts", maxDescription>>10)
		case size == maxDescription:
			return page, 0, err
		}
	}
}
