package columns

import (
	"errors"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/cache"
)

func TestValues_AsWritten(t *testing.T) {
	t.Parallel()
	var empty index.Filing
	empty.ID = math.MaxInt64
	for _, filing := range append(synthetics(200, 1), &empty) {
		var f storedValues
		if _, err := f.read(valuesOf(filing)); err != nil {
			t.Fatal(err)
		}
		d := index.Derive(filing)
		for i, c := range coded {
			if got, want := string(f.words[i]), c.word(filing, &d); got != want {
				t.Errorf("%d: %s is %q, want %q", filing.ID, c.name, got, want)
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
		want := int64(noTime)
		if filing.Has(index.CreatedAt) {
			want = filing.CreatedAt.UnixMicro()
		}
		if f.created != want {
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

// FuzzValues reads anything: it must be understood or refused, and never crash.
func FuzzValues(f *testing.F) {
	for _, filing := range synthetics(3, 1) {
		data := valuesOf(filing)
		f.Add(data)
		f.Add(data[:len(data)-1])
		f.Add(append(slices.Clone(data), 0))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var got storedValues
		if _, err := got.read(data); err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%v", err)
		}
	})
}

func TestValues_Damaged(t *testing.T) {
	t.Parallel()
	data := valuesOf(synthetics(1, 1)[0])
	var f storedValues
	for end := range data {
		if _, err := f.read(data[:end]); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes: %v, want ErrDamaged", end, len(data), err)
		}
	}
	if rest, err := f.read(append(data, "record"...)); err != nil || string(rest) != "record" {
		t.Errorf("%q follows the values: %v, want the record", rest, err)
	}
}

// A dictionary that is cut within a word is an error, and never a shorter one.
func TestDictionary_Damaged(t *testing.T) {
	t.Parallel()
	table, chunks := build(t, nil, synthetics(50, 1), nil)
	column := coded[codedCounty].name
	key := cache.Key{Text: column + wordsSuffix}
	words, err := table.dictionary(t.Context(), column)
	if err != nil {
		t.Fatal(err)
	}
	last := len(protowire.AppendString(nil, words[len(words)-1]))
	data := chunks.chunks[key]
	for end := len(data) - last + 1; end < len(data); end++ { // within the last word
		chunks.chunks[key] = data[:end]
		got, err := Open("cut", 50, chunks.get, cache.New(1<<20)).dictionary(t.Context(), column)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes: %d words, %v, want ErrDamaged", end, len(data), len(got), err)
		}
	}
}
