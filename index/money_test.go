package index_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"filings/index"
)

func TestCents_A4(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ dollars, want float64 }{
		{0, 0}, {0.01, 1}, {-0.01, -1}, {0.29, 29}, {-0.29, -29}, {1.15, 115}, {4.35, 435}, {1234.56, 123456},
		{999_999_999_999.99, 99_999_999_999_999}, {1e12, 1e14}, {-1e12, -1e14},
		{math.MaxFloat64, math.MaxFloat64}, {-math.MaxFloat64, -math.MaxFloat64},
	} {
		if got := index.Cents(test.dollars); got != test.want {
			t.Errorf("%v: want %v, got %v", test.dollars, test.want, got)
		}
	}
}

func TestCents_A4_EveryCent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(-1e14, 1e14).Draw(t, "cents")
		if got := index.Cents(index.Dollars(float64(cents))); got != float64(cents) {
			t.Errorf("%d cents became %v", cents, got)
		}
	})
}

func TestAverageDollars_A4_HalfAwayFromZero(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cents float64
		n     int64
		want  float64
	}{
		{0, 0, 0}, {5, 0, 0}, {0, 7, 0},
		{1, 2, 0.01}, {-1, 2, -0.01}, // half a cent
		{1, 3, 0}, {-1, 3, 0}, {2, 3, 0.01}, {-2, 3, -0.01},
		{5, 2, 0.03}, {-5, 2, -0.03}, {49, 100, 0}, {50, 100, 0.01}, {-50, 100, -0.01}, {-49, 100, 0},
		{10_000, 3, 33.33}, {20_000, 3, 66.67},
		{1 << 53, 1, 90_071_992_547_409.92}, {-(1 << 54), 2, -90_071_992_547_409.92},
		{1e300, 10, 1e297},
	} {
		if got := index.AverageDollars(test.cents, test.n); got != test.want {
			t.Errorf("%v cents over %d: want %v, got %v", test.cents, test.n, test.want, got)
		}
	}
}

func TestAverageDollars_A4_AgainstFractions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(-1<<53+1, 1<<53-1).Draw(t, "cents")
		n := rapid.Int64Range(1, 1_000_000).Draw(t, "n")
		want, _ := new(big.Rat).SetString(big.NewRat(cents, n).FloatString(0)) // rounds halves away from zero
		dollars, _ := want.Quo(want, big.NewRat(100, 1)).Float64()
		if got := index.AverageDollars(float64(cents), n); got != dollars {
			t.Errorf("%d cents over %d: want %v, got %v", cents, n, dollars, got)
		}
	})
}

func TestPercent_A2(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		part, whole int64
		want        float64
	}{
		{0, 0, 0}, {0, 5, 0}, {5, 5, 100}, {1, 3, 33.33}, {2, 3, 66.67}, {1, 8, 12.5},
		{1, 20_000, 0.01}, {1, 20_001, 0}, {3, 20_000, 0.02}, // half of a hundredth
		{1_999_999_999, 2_000_000_000, 100},
	} {
		if got := index.Percent(test.part, test.whole); got != test.want {
			t.Errorf("%d of %d: want %v, got %v", test.part, test.whole, test.want, got)
		}
	}
}
