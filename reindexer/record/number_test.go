package record

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestL4_Cents(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in      string
		want    float64
		rounded bool
	}{
		{"0", 0, false}, {"12.34", 12.34, false}, {"12.340", 12.34, false}, {"12.345", 12.35, true},
		{"-12.345", -12.35, true}, {"1.005", 1.01, true}, {"1.0049999999999999999999", 1.00, true},
		{"0.005", 0.01, true}, {"0.0049", 0, true}, {"-0.0049", 0, true}, {"0.00", 0, false}, {"0.000", 0, false},
		{"99.995", 100, true}, {"9.999", 10, true}, {"1e3", 1000, false}, {"1.2345e1", 12.35, true},
		{"1.2345e2", 123.45, false}, {"5e-3", 0.01, true}, {"4e-3", 0, true}, {"5e-4", 0, true}, {"1e-400", 0, true},
		{"0e-400", 0, false}, {"123456789012345678.125", 123456789012345678.13, true},
		{"1e22", 1e22, false}, {"1e-999999999999999999999", 0, true},
	}
	for _, test := range tests {
		got, rounded, ok := cents(test.in)
		if !ok || got != test.want || rounded != test.rounded {
			t.Errorf("cents(%s) = %v, %v, %v; want %v, %v", test.in, got, rounded, ok, test.want, test.rounded)
		}
	}
	if _, _, ok := cents("1e309"); ok {
		t.Error("cents(1e309) is ok")
	}
}

// literal draws a number as JSON writes it.
var literal = rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`)

// TestL4_CentsAgreeWithBigNumbers rounds by exact fractions.
func TestL4_CentsAgreeWithBigNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := literal.Draw(t, "literal")
		exact, ok := new(big.Rat).SetString(in)
		if !ok {
			t.Fatalf("%s is no number", in)
		}
		// Half a cent more, and then whole cents: the code rounds the text.
		size := new(big.Rat).Mul(new(big.Rat).Abs(exact), big.NewRat(100, 1))
		whole := new(big.Rat).Add(size, big.NewRat(1, 2))
		n := new(big.Int).Quo(whole.Num(), whole.Denom())
		want, _ := strconv.ParseFloat(n.String()+"e-2", 64)
		got, rounded, ok := cents(in)
		isRounded := size.Cmp(new(big.Rat).SetInt(n)) != 0
		if !ok || math.Abs(got) != want || got != 0 && math.Signbit(got) != (exact.Sign() < 0) || rounded != isRounded {
			t.Fatalf("cents(%s) = %v, %v, %v; want the size %v, %v", in, got, rounded, ok, want, isRounded)
		}
	})
}

func TestL4_IntegersAgreeWithBigNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := literal.Draw(t, "literal")
		exact, _ := new(big.Rat).SetString(in)
		got, ok := (&value{kind: kindNumber, text: in}).integer()
		if !ok {
			return // decimals, or too large; the table of values has these
		}
		if !exact.IsInt() || big.NewInt(got).Cmp(exact.Num()) != 0 {
			t.Fatalf("%s is the integer %d", in, got)
		}
	})
}

func TestL4_IsNumberIsJSON(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "1_0", " 1", "1 ", "NaN", "Infinity", "--1", "1,5"} {
		if isNumber(in) || json.Valid([]byte(in)) && in[0] != ' ' && in[len(in)-1] != ' ' {
			t.Errorf("%q is taken for a number", in)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := literal.Draw(t, "literal")
		if !isNumber(in) {
			t.Fatalf("%q is not taken for a number", in)
		}
	})
	if v, _, _ := cents("-0.001"); math.Signbit(v) && v != 0 {
		t.Error("-0.001 is not zero")
	}
}
