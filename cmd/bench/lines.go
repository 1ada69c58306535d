package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// eachLine calls do with every line of a file, plain or gzip.
func eachLine(name string, do func(line []byte) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<16)
	var text io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if text, err = gzip.NewReader(in); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := do(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

type lineWriter struct{ w *bufio.Writer }

func newLineWriter(w io.Writer) lineWriter { return lineWriter{bufio.NewWriterSize(w, 1<<20)} }

func (l lineWriter) write(line []byte) error {
	if _, err := l.w.Write(line); err != nil {
		return err
	}
	return l.w.WriteByte('\n')
}

func (l lineWriter) flush() error { return l.w.Flush() }

// bench is one run.
type bench struct {
	elasticsearch, redis string
	dir                  string // everything temporary
	program              string // the built program
	data                 string // the filings, NDJSON
	rounds               int
	times                int
	expensive            atomic.Int64 // filters used up by measureExpensive
}

// benchIndex keeps these generations apart from whatever else is in that Elasticsearch.
const benchIndex = "filings-bench"

func (b *bench) onElasticsearch(address string) []string {
	return []string{"FILINGS_ELASTICSEARCH_URL=" + address, "FILINGS_INDEX=" + benchIndex, "FILINGS_INDEX_REPLICAS=0"}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
