package export

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"filings/index"
)

// paged serves records by pages whose positions are numbers.
func paged(all []index.Record) Pages {
	return func(_ context.Context, after string, limit int) ([]index.Record, string, error) {
		from, _ := strconv.Atoi(after)
		to := min(from+limit, len(all))
		return all[from:to], strconv.Itoa(to), nil
	}
}

// never is that there are no requests beside a stream.
func never() bool { return false }

func TestX5_Stream(t *testing.T) {
	t.Parallel()
	all := records(2000)
	for _, format := range Formats {
		want := encode(t, newEncoder(t, format, Fields(index.Pro)), all)
		s := NewStream(t.Context(), paged(all), "", int64(len(all)), newEncoder(t, format, Fields(index.Pro)), never)
		defer s.Close()
		got, err := io.ReadAll(s)
		if err != nil || s.Rows() != int64(len(all)) {
			t.Errorf("%s: %d rows of %d, %v", format, s.Rows(), len(all), err)
		}
		if format != Parquet && string(got) != string(want) { // its pages end elsewhere
			t.Errorf("%s: %d bytes, want %d", format, len(got), len(want))
		}
	}
}

// TestX6_NeverComplete: whatever is wrong with what the engine has, the stream ends with an error
// that is not io.EOF, and says how many rows it handed on.
func TestX6_NeverComplete(t *testing.T) {
	t.Parallel()
	all := records(2000)
	failure := errors.New("the engine failed")
	for name, tt := range map[string]struct {
		pages Pages
		total int64
		most  int64
	}{
		"too few":  {paged(all), 2001, 2000},
		"too many": {paged(all), 1999, 1999},
		"fails": {func(ctx context.Context, after string, limit int) ([]index.Record, string, error) {
			if after != "" {
				return nil, "", failure
			}
			return paged(all)(ctx, after, limit)
		}, 2000, firstRows},
		"panics": {func(ctx context.Context, after string, limit int) ([]index.Record, string, error) {
			if after != "" {
				panic(failure)
			}
			return paged(all)(ctx, after, limit)
		}, 2000, firstRows},
		"damaged": {func(ctx context.Context, after string, limit int) ([]index.Record, string, error) {
			return []index.Record{index.Record("{}")}, "1", nil
		}, 1, 0},
	} {
		s := NewStream(t.Context(), tt.pages, "", tt.total, newEncoder(t, CSV, Fields(index.Pro)), never)
		_, err := io.ReadAll(s)
		if err == nil || s.Rows() > tt.most {
			t.Errorf("%s: %d rows, %v", name, s.Rows(), err)
		}
		if _, again := s.Read(make([]byte, 1)); again == nil || again == io.EOF {
			t.Errorf("%s: a second time: %v", name, again)
		}
		s.Close()
	}
}

// TestX7_Handed: rows count once a byte of them was handed on, and not before.
func TestX7_Handed(t *testing.T) {
	t.Parallel()
	all := records(2000)
	s := NewStream(t.Context(), paged(all), "", int64(len(all)), newEncoder(t, NDJSON, Fields(index.Enterprise)), never)
	defer s.Close()
	lines, bytes := int64(0), 0
	for r := iotest.OneByteReader(s); ; bytes++ {
		var b [1]byte
		if _, err := r.Read(b[:]); err != nil {
			break
		}
		if s.Rows() <= lines {
			t.Fatalf("byte %d is of row %d, and %d rows were handed on", bytes, lines, s.Rows())
		}
		if b[0] == '\n' {
			lines++
		}
	}
	if lines != 2000 || s.Rows() != 2000 {
		t.Errorf("%d lines, %d rows", lines, s.Rows())
	}
}

// TestX8_Ends: a stream whose context ends is not read to its end, though pages are there.
func TestX8_Ends(t *testing.T) {
	t.Parallel()
	cause := errors.New("the service stops")
	ctx, cancel := context.WithCancelCause(t.Context())
	all := records(2000)
	s := NewStream(ctx, paged(all), "", int64(len(all)), newEncoder(t, NDJSON, Fields(index.Enterprise)), never)
	defer s.Close()
	if _, err := s.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel(cause)
	if _, err := io.ReadAll(s); !errors.Is(err, cause) {
		t.Errorf("ended with %v", err)
	}
	if s.Rows() >= 1000 {
		t.Errorf("%d rows", s.Rows())
	}
}

// TestX8_Prefetches: a stream prefetches a page while nobody else asks for anything, and else no
// page before it is needed.
func TestX8_Prefetches(t *testing.T) {
	t.Parallel()
	all := records(2000)
	read := make(chan string, 10)
	pages := func(ctx context.Context, after string, limit int) ([]index.Record, string, error) {
		read <- after
		return paged(all)(ctx, after, limit)
	}
	var others atomic.Bool
	s := NewStream(t.Context(), pages, "", int64(len(all)), newEncoder(t, NDJSON, Fields(index.Enterprise)),
		others.Load)
	defer s.Close()
	line := make([]byte, 10)
	if _, err := s.Read(line); err != nil || <-read != "" {
		t.Fatal(err)
	}
	if after := <-read; after != "500" { // without another Read
		t.Errorf("prefetched after %q", after)
	}
	others.Store(true)
	for s.Rows() <= firstRows { // up to the second page
		if _, err := s.Read(line); err != nil {
			t.Fatal(err)
		}
	}
	if s.prefetches || len(read) > 0 {
		t.Error("a page was prefetched while there were others")
	}
	if n, err := io.Copy(io.Discard, s); err != nil || s.Rows() != int64(len(all)) {
		t.Errorf("then %d bytes, %d rows, %v", n, s.Rows(), err)
	}
}

// TestX8_Pauses: while there are others, a stream looks whether to pause after each few dozen kilobytes of records.
func TestX8_Pauses(t *testing.T) {
	t.Parallel()
	const most = 48 << 10
	all, looks := records(2000), 0
	bytes := 0
	for _, r := range all {
		bytes += len(r)
	}
	others := func() bool { looks++; return true }
	s := NewStream(t.Context(), paged(all), "", int64(len(all)), newEncoder(t, NDJSON, Fields(index.Enterprise)),
		others)
	defer s.Close()
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Fatal(err)
	}
	if pages := len(all) / firstRows; looks-pages < bytes/most {
		t.Errorf("it looked %d times in %d bytes and %d pages", looks, bytes, pages)
	}
}
