// Package archive writes all filings of a generation into one stream, and reads them back as
// records of a load (rule X48). It owns the form of archives, and names the fault of a damaged one.
// It doesn't know engines, and makes nothing live: loads do.
//
// # Form
//
// An archive is NDJSON, compressed by zstd. Lines are records of a load with city and createdAt, in
// no order. The last line is the manifest, with the SHA-256 of all lines before it. So an archive
// is written and read as one stream, in memory that does not depend on its size. Records are handed
// on as they are read: a load makes nothing live before the manifest agrees. Lines that begin with
// sealStart, which archives of former versions have between their records, count as none.
package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"filings/index"
)

// ErrDamaged: an archive is not as it was written.
var ErrDamaged = errors.New("the archive is damaged")

// form is the form of archives that this program writes and reads.
const form = 1

// Manifest is the last line of an archive.
type Manifest struct {
	Archive    int       `json:"archive"` // form
	Generation string    `json:"generation"`
	SavedAt    time.Time `json:"savedAt"`
	Bytes      int64     `json:"bytes"` // of its records, a line end after each
	SHA256     string    `json:"sha256"`
	index.Counts
}

// How lines begin that are no records.
const (
	sealStart     = `{"sealed":`
	manifestStart = `{"archive":`
)

// lines counts the lines of an archive.
type lines struct {
	hash    hash.Hash
	filings int64
	bytes   int64
}

func (l *lines) add(line []byte) {
	_, _ = l.hash.Write(line) // never fails
	l.filings, l.bytes = l.filings+1, l.bytes+int64(len(line))
}

func (l *lines) sum() string { return hex.EncodeToString(l.hash.Sum(nil)) }

// counter reads the values of records that index.Counts count: reading all values would take half
// of the time of a save.
type counter struct {
	counties map[string]string // by their JSON
	filing   index.Filing
	values   [index.NumReturned][]byte
}

func (c *counter) read(r index.Record) (*index.Filing, error) {
	f := &c.filing
	f.Reset()
	if err := r.Values(c.values[:], index.FilingDate); err != nil {
		return f, err
	}
	county, known := c.counties[string(c.values[index.County])]
	if !known {
		if err := json.Unmarshal(c.values[index.County], &county); err != nil {
			return f, err
		}
		c.counties[string(c.values[index.County])] = county
	}
	f.SetText(index.County, county)
	if date := c.values[index.FilingDate]; date[0] == '"' {
		f.SetText(index.FilingDate, string(date[1:len(date)-1]))
	}
	if text := c.values[index.FilingAmount]; text[0] != 'n' { // null
		amount, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return f, err
		}
		f.SetNumber(index.FilingAmount, amount)
	}
	return f, nil
}

// Write writes the archive of a generation, whose filings are these, to w.
func Write(w io.Writer, name string, now time.Time, filings iter.Seq2[index.Stored, error]) (Manifest, error) {
	m := Manifest{Archive: form, Generation: name, SavedAt: now.UTC(), Counts: index.NewCounts()}
	packed, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return m, err
	}
	defer packed.Close()
	written, counter := lines{hash: sha256.New()}, &counter{counties: map[string]string{}}
	var line []byte
	for filing, err := range filings {
		if err != nil {
			return m, err
		}
		line = append(filing.AppendLoad(line[:0]), '\n')
		f, err := counter.read(filing.Record)
		if err != nil {
			return m, fmt.Errorf("a record of %s, %.100s…: %w", name, filing.Record, err)
		}
		m.Count(index.ValuesOf(f), 1)
		written.add(line)
		if _, err := packed.Write(line); err != nil {
			return m, err
		}
	}
	m.Bytes, m.SHA256 = written.bytes, written.sum()
	text, err := json.Marshal(m)
	if err == nil {
		_, err = packed.Write(append(text, '\n'))
	}
	return m, errors.Join(err, packed.Close())
}
