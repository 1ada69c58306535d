package embedded

import (
	"errors"
	"math"
	"slices"
	"testing"

	"filings/index"
)

func TestFacts_AsWritten(t *testing.T) {
	t.Parallel()
	var empty index.Filing
	empty.ID = math.MaxInt64
	for _, filing := range append(made(200, 1), &empty) {
		var f facts
		if err := f.read(appendFacts(nil, filing)); err != nil {
			t.Fatal(err)
		}
		d := index.Derive(filing)
		for i, c := range coded {
			if got, want := string(f.words[i]), c.word(filing, &d); got != want {
				t.Errorf("%d: %s is %q, want %q", filing.ID, c.column, got, want)
			}
		}
		for i, c := range numbers {
			if got, want := f.numbers[i], number64(c.value(filing, &d)); got != want && (got == got || want == want) {
				t.Errorf("%d: %v is %v, want %v", filing.ID, c.field, got, want)
			}
		}
		if f.id != filing.ID || string(f.owner) != index.Fold(filing.Text(index.Owner)) {
			t.Errorf("%d of %q became %d of %q", filing.ID, filing.Text(index.Owner), f.id, f.owner)
		}
		if created := filing.Has(index.CreatedAt); created != (f.created != noTime) || created && f.created != filing.CreatedAt.UnixMicro() {
			t.Errorf("%d: created %d, want %v", filing.ID, f.created, filing.CreatedAt)
		}
	}
}

// number64 is a number as a column holds it.
func number64(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// FuzzFacts reads anything: it must be understood or refused, and never crash.
func FuzzFacts(f *testing.F) {
	for _, filing := range made(3, 1) {
		data := appendFacts(nil, filing)
		f.Add(data)
		f.Add(data[:len(data)-1])
		f.Add(append(slices.Clone(data), 0))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var got facts
		if err := got.read(data); err != nil && !errors.Is(err, errDamaged) {
			t.Errorf("%v", err)
		}
	})
}

func TestFacts_Damaged(t *testing.T) {
	t.Parallel()
	data := appendFacts(nil, made(1, 1)[0])
	var f facts
	for end := range data {
		if err := f.read(data[:end]); !errors.Is(err, errDamaged) {
			t.Errorf("%d of %d bytes: %v, want errDamaged", end, len(data), err)
		}
	}
	if err := f.read(append(data, 0)); !errors.Is(err, errDamaged) {
		t.Errorf("a byte too many: %v, want errDamaged", err)
	}
}

func TestCommonTail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 0}, {"abc", "abc", 3}, {"xbc", "abc", 2}, {"c", "abc", 1}, {"abc", "abd", 0}} {
		if got := commonTail([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%q and %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
