package search

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"filings/index/elastic/document"
)

// anything draws a value of the kinds that searches are made of, and of some that they are not.
func anything(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(),
		rapid.SliceOf(rapid.String()).AsAny(), rapid.Float64().AsAny(), rapid.Uint8().AsAny(),
		rapid.Just[any](json.RawMessage(`{"a":[1,"x"]}`)), rapid.Just[any](nil),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	objects := rapid.MapOf(rapid.String(), anything(depth-1))
	return rapid.OneOf(append(leaves, objects.AsAny(), rapid.SliceOf(objects).AsAny())...)
}

// TestAppend: what is written says what encoding/json says.
func TestAppend(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := anything(3).Draw(t, "v")
		text, err := Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got, meant any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := json.Unmarshal(want, &meant); err != nil {
			t.Fatal(err)
		}
		if list, ok := meant.([]any); meant == nil || ok && list == nil { // a nil slice is null to one, [] to the other
			return
		}
		if diff := cmp.Diff(meant, got); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	})
}

func TestAppend_NoNumber(t *testing.T) {
	t.Parallel()
	for _, v := range []any{Object{"a": math.NaN()}, []Object{{"a": math.Inf(1)}}} {
		if _, err := Append(nil, v); err == nil {
			t.Errorf("%v was written", v)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	body := Page{
		clauses: []Object{within("filingAmount", Object{"gte": 1000.0}), {"terms": Object{"x.county": []string{"orange, fl"}}}},
		order:   Order{{"filingAmount", true}, {document.DayField, false}, {"id", false}},
	}.Part(120, 20).Body()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Append(nil, body); err != nil {
			b.Fatal(err)
		}
	}
}
