package record

import (
	"math"
	"math/big"
	"testing"

	"filings/index"
)

// TestX20_Numbers: values that JSON cannot hold are read as jq writes them.
func TestX20_Numbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of   any
		want string
	}{
		{1e21, "1e+21"}, {1e-7, "1e-07"}, {123456789.5, "123456789.5"}, {new(big.Int).Lsh(big.NewInt(1), 70), "1180591620717411303424"}, {nil, ""}, {false, "false"},
	} {
		var v value
		if v.set(tt.of); v.text != tt.want || v.missing() != (tt.want == "") {
			t.Errorf("%v: %q", tt.of, v.text)
		}
	}
}

// TestL4_Object: what no JSON can hold, and a program can make, is a fault of the field, and no guess.
func TestL4_Object(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		of   any
		want string
	}{
		{"filingAmount", math.Inf(1), "is infinite"}, {"currentAmount", math.Inf(-1), "is infinite"}, {"filingAmount", math.NaN(), "is not a number: nan"},
		{"yearBuilt", math.Inf(1), "is infinite"}, {"geocodedLatitude", math.NaN(), "is not a number: nan"}, {"owner", math.Inf(1), "is infinite"},
		{"id", math.NaN(), "is not a number: nan"}, {"owner", "a\xffb", "has text that is not UTF-8"}, {"filingDate", "\xff", "has text that is not UTF-8"},
		{"categories", []any{"land", "\xff"}, "has text that is not UTF-8"}, {"createdAt", "2024-01-01T00:00:00\xff", "has text that is not UTF-8"},
		{"deleted", math.NaN(), "is not a number: nan"},
	} {
		object := map[string]any{"id": 7, "county": "A, FL"}
		object[tt.name] = tt.of
		result := New(Rules{Update: true}).Parse(object, nil, new(index.Filing))
		if result.Field != tt.name || result.Reason != tt.want {
			t.Errorf("%s %v: %+v, want %s", tt.name, tt.of, result, tt.want)
		}
	}
	if result := New(Rules{}).Parse(map[string]any{"id": 7, "county": "A, FL", "x": math.NaN()}, nil, new(index.Filing)); result.Reason != "" {
		t.Errorf("of a name that no field has: %+v", result)
	}
}
