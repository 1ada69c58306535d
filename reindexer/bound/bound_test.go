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
	code, err := Compile(query)
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
		for i := range stepLimit {
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
	for range 3 {
		if l.Err() != nil {
			t.Errorf("a machine that stood still once, or twice: %v", l.Err())
		}
		l.checked = l.checked.Add(-2 * timeLimit)
		for range stepsPerCheck {
			l.Done()
		}
	}
	wantExceeded(t, l.Err(), "does not end within 1s")
}

// TestX20_Memory: a program that doubles what it has ends before its steps do, which would be 2^90000 bytes.
func TestX20_Memory(t *testing.T) {
	t.Parallel()
	for _, doubled := range []string{`"x"`, `[0]`} {
		l := New(context.Background(), 0)
		l.timeLimit, l.memoryMore = time.Hour, 16<<20
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
	l.timeLimit, l.memoryMore = time.Hour, 32<<20
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
	if l.timeLimit != 4*time.Second || l.memoryMore != (256+12)<<20 {
		t.Errorf("%v, %d bytes", l.timeLimit, l.memoryMore)
	}
	l.Begin()
	for range 10 {
		l.Resume()
		l.checked = l.checked.Add(-3 * time.Second)
		for range stepsPerCheck {
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

// TestX74_Multiplied: a text times a number is bounded before it is made, wherever the two come from and wherever it stands in a
// program; all other multiplications give what gojq gives.
func TestX74_Multiplied(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		`"a" * 1000000000`, `1000000000 * "a"`, `"a" | . *= 1e9`, `{a: ["a" * 1e9]}`, `def f(x): x * 1e9; f("a")`, `"\("a" * 1e9)"`,
		`if "a" * 1e9 then 1 else 2 end`, `reduce range(9) as $i ("a"; . * 1000)`, `["a", 1e9] as [$a, $n] | $a * $n`,
		`"a" * 16777217`, `"aa" * 8388609`, `"a" * infinite`, `("a" * 1e9) as $x | 1`, `label $l | "a" * 1e9`, `{("a" * 1e9): 1}`,
		`try ("a" * 1e9) catch ("b" * 1e9)`, `"a" * (1, 1e9)`, `[{a: "a"}] | .[].a *= 1e9`, `path(.["a" * 1e9])`,
	} {
		_, err := run(t, New(context.Background(), 0), program)
		if err == nil || !strings.Contains(err.Error(), "makes a text of more than 16 MiB") {
			t.Errorf("%s: %v", program, err)
		}
	}
	for _, program := range []string{
		`"ab" * 3`, `3 * "ab"`, `"ab" * 0`, `"ab" * -1`, `"ab" * 1.5`, `2 * 3`, `2.5 * 4`, `9223372036854775807 * 2`, `99999999999999999999 * 3`,
		`{"a": {"b": 1}} * {"a": {"c": 2}}`, `[1] * 2`, `null * 2`, `(1, 2) * (10, 100)`, `{"a": 2, "b": [1, 2]} | .a *= 3 | .b[] *= 10`,
		`[1, 2] | .[] *= (2, 3)`, `2 as $x | $x * $x * $x`, `{"a": 6, "b": 7} | .a *= .b`, `infinite * 0 | isnan`, `"a" * nan`, `[.[]? * 2]`,
		`try ([1] * 2) catch .`, `def times: . * 2; 4 | times`, `2 * 3 + 4 * 5 - 6 / 2 * 3`, `"a" * 16777216 | length`,
	} {
		if got, want := results(t, program, Compile), results(t, program, gojq.Compile); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}

// results returns what a program gives, as JSON, and its error.
func results(t *testing.T, program string, compile func(*gojq.Query, ...gojq.CompilerOption) (*gojq.Code, error)) (all string) {
	t.Helper()
	query, err := gojq.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	code, err := compile(query)
	if err != nil {
		t.Fatal(err)
	}
	for results := code.Run(nil); ; {
		v, more := results.Next()
		if !more {
			return all
		}
		if err, failed := v.(error); failed {
			return all + err.Error()
		}
		text, err := gojq.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text) + " "
	}
}
