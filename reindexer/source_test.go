package reindexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// opening returns what opens an input on r.
func opening(format string, r io.Reader) func(context.Context) (opened, error) {
	return func(context.Context) (opened, error) { return opened{io.NopCloser(r), format}, nil }
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

// readSources reads all that cfg names and returns the ids in order.
func readSources(t *testing.T, cfg Config) (ids []int64, err error) {
	t.Helper()
	cfg, err = cfg.checked()
	if err != nil {
		return nil, err
	}
	all, err := inputs(cfg)
	if err != nil {
		return nil, err
	}
	r := newReading(all, false, false, noon, func(r Reject) error { return &r })
	c := new(change)
	err = r.each(context.Background(), c.place, func(bool) error {
		ids = append(ids, c.filing.ID)
		return nil
	})
	return ids, err
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
			ids, err := readSources(t, Config{Sources: []string{write(t, test.name, test.content)}, Format: test.format})
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
		ids, err := readSources(t, Config{Sources: []string{"-"}, Format: test.format, Stdin: strings.NewReader(test.text)})
		if err != nil || len(ids) != 1 {
			t.Errorf("format %q: ids %v, error %v", test.format, ids, err)
		}
	}
	if _, err := readSources(t, Config{Sources: []string{"-", "-"}}); !errors.Is(err, ErrUsage) {
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
	ids, err := readSources(t, Config{Sources: []string{folder}, Log: slog.New(slog.NewTextHandler(&log, nil))})
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
		{"unknown name", "a.json", filing(1), ErrUsage, []string{"a.json", "--format"}},
		{"no extension", "csv", filing(1), ErrUsage, []string{"--format"}},
		{"cut off gzip", "a.ndjson.gz", cut(gzipped(t, many)), ErrSource, []string{"a.ndjson.gz", "line ", "gzip stream is cut off"}},
		{"cut off zstd", "a.ndjson.zst", cut(zstandard(t, many)), ErrSource, []string{"a.ndjson.zst", "line ", "zstd stream is cut off"}},
		{"damaged gzip", "a.ndjson.gz", string(damaged), ErrSource, []string{"line ", "gzip stream cannot be decompressed"}},
		{"gzip header only", "a.ndjson.gz", "\x1f\x8b", ErrSource, []string{"a.ndjson.gz: the gzip stream is cut off"}},
		{"text behind gzip", "a.ndjson.gz", gzipped(t, filing(1)) + "and more text", ErrSource, []string{"line 2", "gzip"}},
		{"bzip2", "a.ndjson", "BZh91AY&SY", ErrSource, []string{"a.ndjson: it is compressed with bzip2"}},
		{"xz", "a.csv", "\xfd7zXZ\x00\x00", ErrSource, []string{"xz"}},
		{"zip", "a.csv", "PK\x03\x04abc", ErrSource, []string{"zip"}},
		{"UTF-16", "a.csv", "\xff\xfei\x00d\x00", ErrSource, []string{"UTF-16"}},
		{"ends in a record", "a.ndjson", filing(1) + `{"id":2,"county":"Or`, ErrSource, []string{"line 2", "ends in the middle of a record"}},
		{"ends in a name", "a.ndjson", `{"id`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in an escape", "a.ndjson", `{"id":1,"owner":"\u00`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in a word", "a.ndjson", `{"id":1,"owner":nul`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in a list", "a.ndjson", `{"id":1,"categories":["land"`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in an unknown value", "a.ndjson", `{"id":1,"x":{"y":[1`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in a quote", "a.csv", "id,county\n1,\"Orange, FL\"\n2,\"Or", ErrSource, []string{"line 3", "ends in the middle of a record"}},
		{"ends in a quote of several lines", "a.csv", "id,county\n2,\"Or\n\n", ErrSource, []string{"line 2 leaves open"}},
		{"ends in a row", "a.csv", "id,county,owner\n1,\"Orange, FL\",Ann\n2,\"Orange, FL\"", ErrSource, []string{"line 3", "ends in the middle of a record"}},
		{"no header", "a.csv", "", ErrSource, []string{"a.csv: it is empty"}},
		{"header without id", "a.csv", "county,owner\n", ErrSource, []string{"a.csv: its header lacks id"}},
		{"header without county", "a.csv", "id,owner\n", ErrSource, []string{"its header lacks county"}},
		{"header with a name twice", "a.csv", "id,county,id\n", ErrSource, []string{`its header has "id" twice`}},
		{"header that is no CSV", "a.csv", "id,cou\"nty\n", ErrSource, []string{"its header is not CSV"}},
	}
	for _, test := range tests {
		t.Run("L1 "+test.rule, func(t *testing.T) {
			t.Parallel()
			_, err := readSources(t, Config{Sources: []string{write(t, test.name, test.content)}})
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
		if _, err := readSources(t, Config{Sources: sources}); !errors.Is(err, ErrSource) {
			t.Errorf("%s: error %v, want ErrSource", rule, err)
		}
	}
	if _, err := readSources(t, Config{}); !errors.Is(err, ErrUsage) {
		t.Errorf("no source at all: error %v, want ErrUsage", err)
	}
}

// TestL6_LongLines rejects a line of 100 MB without holding it.
func TestL6_LongLines(t *testing.T) {
	t.Parallel()
	long := io.MultiReader(strings.NewReader(filing(1)+`{"id":2,"owner":"`),
		io.LimitReader(endless('x'), 100<<20), strings.NewReader("\"}\n"+filing(3)))
	in := input{name: "long", format: formatNDJSON, open: opening(formatNDJSON, long)}
	var rejects []Reject
	var ids []int64
	r := newReading([]input{in}, false, false, noon, func(r Reject) error {
		rejects = append(rejects, r)
		return nil
	})
	c := new(change)
	if err := r.each(context.Background(), c.place, func(bool) error {
		ids = append(ids, c.filing.ID)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{1, 3}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	if len(rejects) != 1 || rejects[0].Line != 2 || !strings.Contains(rejects[0].Reason, "16 MiB") || len(rejects[0].Record) != shownOfLong {
		t.Errorf("%d rejects, want one of line 2 with its beginning", len(rejects))
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

func TestLines_EveryLength(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 1, bufferSize - 2, bufferSize - 1, bufferSize, bufferSize + 1, maxLine - 1, maxLine} {
		text := strings.Repeat("x", length)
		var count atomic.Int64
		s, err := openStream(context.Background(), input{open: opening("", strings.NewReader(text+"\r\n"+"end"))}, &count)
		if err != nil {
			t.Fatal(err)
		}
		l := lines{r: s.Reader}
		got, err := l.next()
		long := length+2 > maxLine // line ends count
		if err != nil || got.long != long || !long && string(got.text) != text || !got.ended {
			t.Errorf("length %d: long %v, ended %v, %d bytes, error %v", length, got.long, got.ended, len(got.text), err)
		}
		if got, err = l.next(); string(got.text) != "end" || got.ended || l.number != 2 || err != nil {
			t.Errorf("length %d: the next line is %q, number %d", length, got.text, l.number)
		}
		if _, err = l.next(); err != io.EOF {
			t.Errorf("length %d: error %v at the end", length, err)
		}
		if count.Load() != int64(length+5) {
			t.Errorf("length %d: %d bytes counted", length, count.Load())
		}
	}
}

// TestStream_EndsWithItsContext reads from a pipe that nobody writes to.
func TestStream_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := openStream(ctx, input{open: opening("", silent)}, new(atomic.Int64))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
}
