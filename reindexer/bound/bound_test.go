package bound

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/itchyny/gojq"
)

// run returns how many results a program gives within a limit, and what ended it.
func run(t *testing.T, l *Limit, program string) (results int, err error) {
	t.Helper()
	query, err := gojq.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		t.Fatal(err)
	}
	l.Begin()
	for all := code.RunWithContext(l, nil); ; results++ {
		l.Resume()
		v, more := all.Next()
		if err, failed := v.(error); failed || !more {
			return results, err
		}
	}
}

// wantExceeded wants err to be an Exceeded that says so.
func wantExceeded(t *testing.T, err error, text string) {
	t.Helper()
	var e *Exceeded
	if !errors.As(err, &e) || !strings.Contains(e.Error(), text) {
		t.Errorf("%v, want %s", err, text)
	}
}

// TestX20_Limit: a program gets so many steps for a record, at the same place on every machine, and so much time; the next
// record has as many.
func TestX20_Limit(t *testing.T) {
	t.Parallel()
	l := New(context.Background(), 0)
	for range 2 {
		l.Begin()
		for i := range mostSteps {
			if l.Done() != nil {
				t.Fatalf("ended by step %d: %v", i, l.Err())
			}
		}
		if l.Done() == nil {
			t.Error("one more than most steps")
		}
		wantExceeded(t, l.Err(), "does not end within 1000000 steps")
	}
	l.Begin()
	l.begun = l.begun.Add(-2 * longest)
	for range between {
		l.Done()
	}
	wantExceeded(t, l.Err(), "does not end within 1s")
}

// TestX20_Memory: a program that doubles what it has ends before its steps do, which would be 2^90000 bytes.
func TestX20_Memory(t *testing.T) {
	t.Parallel()
	for _, doubled := range []string{`"x"`, `[0]`} {
		l := New(context.Background(), 0)
		l.longest, l.most = time.Hour, 16<<20
		_, err := run(t, l, `reduce range(1e5) as $i (`+doubled+`; . + .)`)
		wantExceeded(t, err, "takes more than 16 MiB of memory")
	}
}

// TestX20_Garbage: what a program does not use any more does not count, however much of it there is: beside a large document
// there is little reason to collect it. It looks at the memory of the process, and does not run beside other tests.
func TestX20_Garbage(t *testing.T) {
	document := make([]byte, 64<<20)
	runtime.GC()
	l := New(context.Background(), 0)
	l.longest, l.most = time.Hour, 32<<20
	if n, err := run(t, l, `[range(300) | ("x" * 1e6) + "y" | length]`); n != 1 || err != nil { // 600 MB
		t.Errorf("%d results, %v", n, err)
	}
	runtime.KeepAlive(document)
}

// TestX21_Document: a large document may take more, its results count together, and each of them has its own time.
func TestX21_Document(t *testing.T) {
	t.Parallel()
	const size = 50_000
	n, err := run(t, New(context.Background(), size), "range(infinite)")
	wantExceeded(t, err, "does not end within 1400000 steps")
	if n < size {
		t.Errorf("%d results", n)
	}
	l := New(context.Background(), 3<<20)
	if l.longest != 4*time.Second || l.most != (256+12)<<20 {
		t.Errorf("%v, %d bytes", l.longest, l.most)
	}
	l.Begin()
	for range 10 {
		l.Resume()
		l.begun = l.begun.Add(-3 * time.Second)
		for range between {
			l.Done()
		}
	}
	if l.Err() != nil {
		t.Errorf("three seconds a result: %v", l.Err())
	}
}

// TestX21_Stop: a program that goes on ends with its context.
func TestX21_Stop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := run(t, New(ctx, 1<<30), "def f: f; f"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
