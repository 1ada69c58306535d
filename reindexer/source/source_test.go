package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// write makes a file in a folder of the test's own.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// filing returns a line of NDJSON.
func filing(id int) string { return fmt.Sprintf(`{"id":%d,"county":"Orange, FL"}`+"\n", id) }

func manyFilings(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(filing(i + 1))
	}
	return b.String()
}

// number finds the id in a record of these tests.
var number = regexp.MustCompile(`[0-9]+`)

// readAll reads all that names mean and returns the ids in order.
func readAll(t *testing.T, inputs []Input, o Options) (ids []int64, err error) {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	all, err := Find(t.Context(), inputs, o)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		records, err := readSource(s)
		for _, r := range records {
			id, _ := strconv.ParseInt(number.FindString(r.Text()), 10, 64) // 0 is no id in any test
			ids = append(ids, id)
		}
		if err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// named are inputs without options.
func named(names []string) (inputs []Input) {
	for _, name := range names {
		inputs = append(inputs, Input{Name: name})
	}
	return inputs
}

// readSource returns the records of s up to its end or its first error, as a load reads them.
func readSource(s Source) (records []Row, err error) { return readMeanwhile(s, func(int) {}) }

// readMeanwhile is readSource, and calls do after each row.
func readMeanwhile(s Source, do func(rows int)) (records []Row, err error) {
	r, err := s.Open(context.Background(), new(atomic.Int64))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		record, err := r.Next()
		switch {
		case err == io.EOF:
			return records, r.Unchanged(nil)
		case err != nil:
			return records, r.Unchanged(s.Error(r.Line(), err))
		}
		records = append(records, record)
		do(len(records))
	}
}

func TestL1_WhatASourceMayBe(t *testing.T) {
	t.Parallel()
	two := filing(1) + filing(2)
	csv := "id,county\n1,\"Orange, FL\"\n2,\"Orange, FL\"\n"
	tests := []struct {
		rule, name, content, format string
	}{
		{"ndjson", "a.ndjson", two, ""},
		{"jsonl", "a.jsonl", two, ""},
		{"upper case", "A.NDJSON", two, ""},
		{"csv", "a.csv", csv, ""},
		{"format given", "a.txt", csv, "csv"},
		{"format overrules name", "a.csv", two, "ndjson"},
		{"gzip", "a.ndjson.gz", gzipped(t, two), ""},
		{"gzip by its bytes", "a.ndjson", gzipped(t, two), ""},
		{"gzip named otherwise", "a.csv.zst", gzipped(t, csv), ""},
		{"plain named gzip", "a.ndjson.gz", two, ""},
		{"zstd", "a.csv.zst", zstandard(t, csv), ""},
		{"gzip members behind each other", "a.ndjson.gz", gzipped(t, filing(1)) + gzipped(t, filing(2)), ""},
		{"gzip with zeros behind", "a.csv.gz", gzipped(t, csv) + strings.Repeat("\x00", 700), ""},
		{"gzip with a line break behind", "a.ndjson.gz", gzipped(t, two) + "\n", ""},
		{"gzip with CRLF between and behind", "a.ndjson.gz", gzipped(t, filing(1)) + "\r\n" + gzipped(t, filing(2)) + "\r\n\x00", ""},
		{"gzip with an empty member", "a.ndjson.gz", gzipped(t, two) + gzipped(t, ""), ""},
		{"a mark at the end of CSV", "a.csv", csv + "\x1a", ""}, {"marks of a block", "a.csv", csv + strings.Repeat("\x1a", 99), ""},
		{"a mark at the end", "a.ndjson", two + "\r\n\x1a", ""},
		{"zstd frames behind each other", "a.ndjson.zst", zstandard(t, filing(1)) + zstandard(t, filing(2)), ""},
		{"zstd after a skippable frame", "a.ndjson.zst", "\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + zstandard(t, two), ""},
		{"byte-order mark", "a.ndjson", "\ufeff" + two, ""},
		{"byte-order mark in gzip", "a.csv.gz", gzipped(t, "\ufeff"+csv), ""},
		{"CRLF", "a.ndjson", strings.ReplaceAll(two, "\n", "\r\n"), ""},
		{"CRLF in CSV", "a.csv", strings.ReplaceAll(csv, "\n", "\r\n"), ""},
		{"no newline at the end", "a.ndjson", strings.TrimSuffix(two, "\n"), ""},
		{"no newline at the end of CSV", "a.csv", strings.TrimSuffix(csv, "\n"), ""},
		{"blank lines", "a.ndjson", "\n" + filing(1) + " \t\r\n\n" + filing(2) + "\n", ""},
		{"blank lines in CSV", "a.csv", "\n" + strings.ReplaceAll(csv, "\n", "\n\n"), ""},
		{"space around a record", "a.ndjson", " \t" + filing(1) + filing(2), ""},
	}
	for _, test := range tests {
		t.Run("L1 "+test.rule, func(t *testing.T) {
			t.Parallel()
			ids, err := readAll(t, []Input{{write(t, test.name, test.content), Form{Format: test.format}}}, Options{})
			if diff := cmp.Diff([]int64{1, 2}, ids); diff != "" || err != nil {
				t.Errorf("error %v, ids (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestL1_StandardInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ format, text string }{
		{"", filing(1)}, {"ndjson", gzipped(t, filing(1))}, {"csv", "id,county\n1,\"A, FL\"\n"},
	} {
		ids, err := readAll(t, []Input{{"-", Form{Format: test.format}}}, Options{Stdin: strings.NewReader(test.text)})
		if err != nil || len(ids) != 1 {
			t.Errorf("format %q: ids %v, error %v", test.format, ids, err)
		}
	}
	if _, err := readAll(t, []Input{{Name: "-"}, {Name: "-"}}, Options{}); !errors.Is(err, ErrUsage) {
		t.Errorf("named twice: error %v, want ErrUsage", err)
	}
}

func TestL1_Folders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"b.csv": "id,county\n2,\"A, FL\"\n", "a.ndjson": filing(1), "c.jsonl.gz": gzipped(t, filing(3)),
		"README.txt": "not filings", ".d.ndjson": filing(4),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "e.ndjson"), 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	ids, err := readAll(t, []Input{{Name: folder}}, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if diff := cmp.Diff([]int64{1, 2, 3}, ids); diff != "" || err != nil {
		t.Errorf("error %v, ids (-want +got):\n%s", err, diff)
	}
	if !strings.Contains(log.String(), "README.txt") || !strings.Contains(log.String(), "e.ndjson") {
		t.Errorf("the log does not name what was left out: %s", log.String())
	}
}

// TestL1_BadSources wants each fault named with its file and, where there is one, its line.
func TestL1_BadSources(t *testing.T) {
	t.Parallel()
	many := manyFilings(50_000)
	cut := func(s string) string { return s[:len(s)/2] }
	damaged := []byte(gzipped(t, many))
	damaged[len(damaged)-6] ^= 0xff // of the checksum
	tests := []struct {
		rule, name, content string
		kind                error
		words               []string
	}{
		{"unknown name", "a.txt", filing(1), ErrUsage, []string{"a.txt", "--format"}},
		{"no extension", "csv", filing(1), ErrUsage, []string{"--format"}},
		{"cut off gzip", "a.ndjson.gz", cut(gzipped(t, many)), ErrUnreadable, []string{"a.ndjson.gz", "line ", "gzip stream is cut off"}},
		{"cut off zstd", "a.ndjson.zst", cut(zstandard(t, many)), ErrUnreadable, []string{"a.ndjson.zst", "line ", "zstd stream is cut off"}},
		{"damaged gzip", "a.ndjson.gz", string(damaged), ErrUnreadable, []string{"line ", "gzip stream cannot be decompressed"}},
		{"gzip header only", "a.ndjson.gz", "\x1f\x8b", ErrUnreadable, []string{"a.ndjson.gz: the gzip stream is cut off"}},
		{"text behind gzip", "a.ndjson.gz", gzipped(t, filing(1)) + "and more text", ErrUnreadable, []string{"line 2", "gzip"}},
		{"cut off behind gzip", "a.ndjson.gz", gzipped(t, filing(1)) + "\n\x1f\x8b\x08", ErrUnreadable, []string{"gzip stream is cut off"}},
		{"a spreadsheet of before 2007", "a.XLS", "x", ErrUsage, []string{"save it as XLSX"}}, {"of OpenOffice", "a.ods", "x", ErrUsage, []string{"save it as XLSX"}},
		{"binary sheets", "a.xlsb", "x", ErrUsage, []string{"save it as XLSX"}},
		{"a table of HTML", "a.csv", "\n<table border=1><tr><td>id</td></tr></table>", ErrUnreadable, []string{"HTML", "saved it as XLSX"}}, {"a table with a meta", "a.csv", "<meta charset=utf-8><table>", ErrUnreadable, []string{"HTML"}},
		{"bzip2", "a.ndjson", "BZh91AY&SY", ErrUnreadable, []string{"a.ndjson: it is compressed with bzip2"}},
		{"xz", "a.csv", "\xfd7zXZ\x00\x00", ErrUnreadable, []string{"xz"}},
		{"zip", "a.csv", "PK\x03\x04abc", ErrUnreadable, []string{"zip"}},
		{"UTF-16", "a.csv", "\xff\xfei\x00d\x00", ErrUnreadable, []string{"UTF-16"}},
		{"ends in a quote", "a.csv", "id,county\n1,\"Orange, FL\"\n2,\"Or", ErrUnreadable, []string{"line 3", "ends in the middle of a record"}},
		{"ends in a quote of several lines", "a.csv", "id,county\n2,\"Or\n\n", ErrUnreadable, []string{"line 2 leaves open"}},
		{"no header", "a.csv", "", ErrUnreadable, []string{"a.csv: it is empty"}},
	}
	for _, test := range tests {
		t.Run("L1 "+test.rule, func(t *testing.T) {
			t.Parallel()
			_, err := readAll(t, []Input{{Name: write(t, test.name, test.content)}}, Options{})
			if !errors.Is(err, test.kind) {
				t.Fatalf("error %v, want %v", err, test.kind)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
		})
	}
}

func TestL1_SourcesThatAreNotThere(t *testing.T) {
	t.Parallel()
	empty, locked := t.TempDir(), write(t, "a.ndjson", filing(1))
	for rule, sources := range map[string][]string{
		"no file":                        {filepath.Join(empty, "a.ndjson")},
		"a folder without files":         {empty},
		"a good file before a wrong one": {locked, filepath.Join(empty, "b.ndjson")},
	} {
		if _, err := readAll(t, named(sources), Options{}); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: error %v, want ErrUnreadable", rule, err)
		}
	}
	if _, err := readAll(t, nil, Options{}); !errors.Is(err, ErrUsage) {
		t.Errorf("no source at all: error %v, want ErrUsage", err)
	}
}

// TestL6_LongLines: a line of 100 MB ends the reading, with its number, and is not held.
func TestL6_LongLines(t *testing.T) {
	t.Parallel()
	for format, start := range map[string]string{NDJSON: filing(1) + `{"id":2,"owner":"`, CSV: "id,owner\n2,"} {
		long := io.MultiReader(strings.NewReader(start), io.LimitReader(endless('x'), 100<<20), strings.NewReader("\"}\n"+filing(3)))
		records, err := readSource(stdinSource(long, Form{Format: format}))
		if len(records) > 1 || !errors.Is(err, ErrUnreadable) || !strings.HasSuffix(err.Error(), "-, line 2: the record is longer than 16 MiB") {
			t.Errorf("%s: %d records, error %v", format, len(records), err)
		}
	}
}

// endless is a reader of one byte.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
