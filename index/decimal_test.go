package index_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// TestX34_Decimals: a number is compared as its text says, with what fractions say, and as a bound selects the same numbers.
func TestX34_Decimals(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(34, 2))
	fraction := func(text string) *big.Rat {
		f, _ := new(big.Rat).SetString(text)
		return f
	}
	near := func() string { // texts of which many have the same nearest number
		text := fmt.Sprintf("%d.%d", r.IntN(2)*28, r.IntN(3)*5)
		if r.IntN(2) == 0 {
			text += strings.Repeat("0", r.IntN(25)) + strconv.Itoa(r.IntN(3))
		}
		if r.IntN(4) == 0 {
			text = text[:len(text)-1] + "4" + strings.Repeat("9", 14+r.IntN(9))
		}
		return strings.Repeat("-", r.IntN(2)) + strings.Repeat("0", r.IntN(2)) + text
	}
	same := 0
	for range 20_000 {
		a, b := near(), near()
		x, ok := index.ParseDecimal(a)
		y, also := index.ParseDecimal(b)
		want := fraction(a).Cmp(fraction(b))
		if got := x.Cmp(y); !ok || !also || got != want {
			t.Fatalf("%s and %s compare %d, want %d", a, b, got, want)
		}
		if (x == y) != (want == 0) || fraction(x.String()).Cmp(fraction(a)) != 0 {
			t.Fatalf("%s is %+v, %s is %+v", a, x, b, y)
		}
		stored := index.Decimal{Nearest: y.Nearest}
		if want := fraction(stored.String()).Cmp(fraction(a)); (stored.Nearest >= x.Least()) != (want >= 0) || (stored.Nearest <= x.Greatest()) != (want <= 0) {
			t.Fatalf("%v is to %s as %d, its bounds are %v and %v", stored, a, want, x.Least(), x.Greatest())
		}
		if x.Nearest == y.Nearest && want != 0 {
			same++
		}
	}
	if same < 300 {
		t.Errorf("only %d texts had the nearest number of another one", same)
	}
}

// TestX34_ExactCorners: of polygons with corners beyond what a float64 tells apart, the points at them are inside where the oracle says.
func TestX34_ExactCorners(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(34, 3))
	inside, changed := 0, 0
	for range 2000 {
		number := func(from int) string {
			text := fmt.Sprintf("%d.%d", from, r.IntN(3))
			switch r.IntN(4) {
			case 0:
				return text + "000000000000000" + strconv.Itoa(1+r.IntN(9))
			case 1:
				return fmt.Sprintf("%d.%d999999999999999999", from, r.IntN(3))
			}
			return text
		}
		var corners []index.Corner
		for range index.MinCorners + r.IntN(4) {
			lat, _ := index.ParseDecimal(number(28 + r.IntN(2)))
			lon, _ := index.ParseDecimal("-" + number(81+r.IntN(2)))
			corners = append(corners, index.Corner{Latitude: lat, Longitude: lon})
		}
		polygon, err := index.NewPolygon(corners)
		if err != nil {
			continue
		}
		rounded := index.Polygon{Corners: polygon.Corners}
		for range 30 {
			at := polygon.Corners[r.IntN(len(corners))]
			if r.IntN(2) == 0 {
				at = index.Point{Latitude: 28 + float64(r.IntN(13))/10, Longitude: -81 - float64(r.IntN(13))/10}
			}
			want := indextest.Covers(polygon, at)
			checkRegion(t, polygon, at, want)
			if want {
				inside++
			}
			if want != rounded.Has(at) {
				changed++
			}
		}
	}
	if inside < 1000 || changed < 1000 {
		t.Errorf("%d points were inside, and %d would be on another side if corners were rounded", inside, changed)
	}
}
