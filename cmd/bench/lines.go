package main

import (
	"bufio"
	"bytes"
	"io"
	"os"

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
