package edges

import (
	"math"
	"time"

	"filings/index"
)

func amountGroup() Group {
	amount := func(id int64, v float64) *index.Filing { return Filing(id, Values{index.FilingAmount: v}) }
	in := func(low, high *float64) index.Filter { return Between(index.FilingAmount, low, high) }
	return Group{"P10 amounts", []*index.Filing{
		amount(1, -250.5),
		amount(2, -0.01),
		amount(3, 0),
		amount(4, 0.01),
		amount(5, 0.29),
		amount(6, 1234.56),
		amount(7, 1e12),
		Filing(8, Values{index.CurrentAmount: 1234.56}),
		amount(9, 999999999999.99),
	}, []Case{
		{"inclusive", in(At(-0.01), At(0.01)), []int64{2, 3, 4}},
		{"to the last bit", in(At(math.Nextafter(0.01, 1)), At(math.Nextafter(0.29, 0))), nil},
		{"one amount", in(At(1234.56), At(1234.56)), []int64{6}},
		{"zero", in(At(0), At(0)), []int64{3}},
		{"negative zero below", in(At(negativeZero), At(0)), []int64{3}},
		{"negative zero above", in(nil, At(negativeZero)), []int64{1, 2, 3}},
		{"credits", in(nil, At(-0.01)), []int64{1, 2}},
		{"no upper bound", in(At(999999999999.99), nil), []int64{7, 9}},
		{"missing never matches", in(At(-math.MaxFloat64), At(math.MaxFloat64)), []int64{1, 2, 3, 4, 5, 6, 7, 9}},
		{"narrowed", Both(in(At(0), nil), in(nil, At(0.01))), []int64{3, 4}},
	}}
}

// countyAmountGroup has counties that an engine might take for one another where it counts both at once: equal in the first 20 bits of
// their xxhash; one that is the name of another; and amounts beyond 43 bits of cents.
func countyAmountGroup() Group {
	filing := func(id int64, county string, amount any) *index.Filing {
		return Filing(id, Values{index.County: county, index.FilingAmount: amount})
	}
	in := func(county string, low, high *float64) index.Filter {
		return index.Where(index.InCounty(county), index.Range{Field: index.FilingAmount, Min: low, Max: high})
	}
	return Group{"P6 and P10", []*index.Filing{
		filing(1, "Amount, FL", -250.5),
		filing(2, "Amount, FL", -0.01),
		filing(3, "AMOUNT, FL", 0),
		filing(4, "Amount, FL", 0.29),
		filing(5, "Amount, FL", 43_980_465_111.04),
		filing(6, "Amount, FL", 1e12),
		filing(7, "Amount, FL", -1e12),
		filing(8, "Amount, GA", 0.29),
		Filing(9, Values{index.County: "Amount, FL"}),
		filing(10, "County 1393, FL", 5),
		filing(11, "County 2250, FL", 5),
		filing(12, "Amount, Town", 5),
		filing(13, "Town Amount, FL", 5),
		filing(14, "Town Amount, FL, GA", 5),
		filing(15, "Alone Amount, FL", 5),
	}, []Case{
		{"from", in("amount, fl", At(0), nil), []int64{3, 4, 5, 6}},
		{"to", in("Amount, FL", nil, At(0)), []int64{1, 2, 3, 7}},
		{"inclusive", in("Amount, FL", At(-0.01), At(0.29)), []int64{2, 3, 4}},
		{"between cents", in("Amount, FL", At(-0.014), At(0.285)), []int64{2, 3}},
		{"to the last bit", in("Amount, FL", At(math.Nextafter(0, 1)), At(math.Nextafter(0.29, 0))), nil},
		{"the only county of a name", in("Alone Amount", At(5), At(5)), []int64{15}},
		{"every county of the name", in("amount", At(0.29), At(0.29)), []int64{4, 8}},
		{"a county that is a name as well", in("Town Amount, FL", At(5), nil), []int64{13, 14}},
		{"beyond 43 bits", in("Amount, FL", At(43_980_465_111.04), nil), []int64{5, 6}},
		{"beyond 43 bits, from more", in("Amount, FL", At(43_980_465_111.05), At(1e300)), []int64{6}},
		{"beyond 43 bits below", in("Amount, FL", At(-1e300), At(-43_980_465_111.05)), []int64{7}},
		{"of two with one number", in("County 1393, FL", At(0), nil), []int64{10}},
		{"of two with one number, the other", in("county 2250", nil, At(5)), []int64{11}},
		{"none of the county", in("Amount, FL", At(1), At(2)), nil},
		{"no county", in("Amount, TX", At(0), nil), nil},
		{"nothing", in("Amount, FL", At(2), At(1)), nil},
	}}
}

func acresGroup() Group {
	acres := func(id int64, v float64) *index.Filing { return Filing(id, Values{index.LotSizeAcres: v}) }
	in := func(low, high *float64) index.Filter { return Between(index.LotSizeAcres, low, high) }
	return Group{"P10 acres", []*index.Filing{
		acres(1, 0),
		acres(2, 0.1),
		acres(3, 0.30000000000000004),
		acres(4, 5e-324),
		acres(5, 1e15),
		Filing(6, nil),
	}, []Case{
		{"inclusive", in(At(0.1), At(0.30000000000000004)), []int64{2, 3}},
		{"to the last bit", in(At(0.1), At(0.3)), []int64{2}},
		{"the smallest number is not 0", in(At(0), At(0)), []int64{1}},
		{"from 0", in(At(0), nil), []int64{1, 2, 3, 4, 5}},
		{"beyond whole numbers", in(At(1e15), At(math.MaxFloat64)), []int64{5}},
	}}
}

func equityGroup() Group {
	equity := func(id int64, e, v float64) *index.Filing {
		return Filing(id, Values{index.HomeEquityEstimate: e, index.EstimatedValue: v})
	}
	atLeast := func(p float64) index.Filter { return Between(index.EquityPercent, At(p), nil) }
	return Group{"P13", []*index.Filing{
		equity(1, 50_000, 100_000),
		equity(2, 100_000, 100_000),
		equity(3, 100_000, 0),
		Filing(4, Values{index.HomeEquityEstimate: 1}),
		Filing(5, Values{index.EstimatedValue: 1}),
		equity(6, -10_000, 100_000),
		equity(7, 1.00005, 100),
		equity(8, 1.00004, 100),
		equity(9, 1, 3),
		equity(10, 0, 100),
		equity(11, 3_000_000, 1),
	}, []Case{
		{"inclusive", atLeast(50), []int64{1, 2, 11}},
		{"a little more", atLeast(50.0001), []int64{2, 11}},
		{"a tie is rounded up", Between(index.EquityPercent, At(1.0001), At(1.0001)), []int64{7}},
		{"rounded down", Between(index.EquityPercent, At(1), At(1)), []int64{8}},
		{"four decimals", Between(index.EquityPercent, At(33.3333), At(33.3333)), []int64{9}},
		{"0 leaves out debts and missing values", atLeast(0), []int64{1, 2, 7, 8, 9, 10, 11}},
		{"negative", Between(index.EquityPercent, nil, At(-10)), []int64{6}},
		{"beyond 100", atLeast(100.0001), []int64{11}},
	}}
}

func createdGroup() Group {
	noon := Day("2026-01-15").Add(12 * time.Hour)
	created := func(id int64, d time.Duration) *index.Filing { return Filing(id, Values{index.CreatedAt: noon.Add(d)}) }
	times := func(from, to time.Duration) index.Filter {
		return index.Where(index.Times{First: noon.Add(from), Last: noon.Add(to)})
	}
	week := 7 * 24 * time.Hour
	return Group{"A3", []*index.Filing{
		created(1, 0),
		created(2, -time.Microsecond),
		created(3, -week),
		created(4, -week-time.Microsecond),
		created(5, time.Microsecond),
		Filing(6, Values{index.CreatedAt: noon.In(time.FixedZone("west", -5*3600))}),
		Filing(7, Values{index.CreatedAt: time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)}),
		Filing(8, nil),
	}, []Case{
		{"both ends inside, to the microsecond", times(-week, 0), []int64{1, 2, 3, 6}},
		{"one instant in any zone", times(0, 0), []int64{1, 6}},
		{"between instants", times(time.Microsecond+time.Nanosecond*999, time.Hour), []int64{5}},
		{"before 1970", index.Where(index.Times{First: time.Unix(-1, 0), Last: time.Unix(0, 0)}), []int64{7}},
		{"from the first year", index.Where(index.Times{Last: time.Unix(0, 0)}), []int64{7}},
		{"nothing", times(time.Hour, 2*time.Hour), nil},
	}}
}
