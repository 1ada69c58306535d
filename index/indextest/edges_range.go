package indextest

import (
	"math"
	"time"

	"filings/index"
)

var negativeZero = math.Copysign(0, -1)

func dayGroup() group {
	date := func(id int64, d string) *index.Filing { return made(id, values{index.FilingDate: d}) }
	days := func(from, to string) index.Filter { return index.Where(index.Days{From: from, To: to}) }
	return group{"P9", []*index.Filing{
		date(1, "2023-12-31"),
		date(2, "2024-01-01"),
		date(3, "2024-02-29"),
		date(4, "2024-03-01"),
		date(5, "1600-01-01"),
		date(6, "2999-12-31"),
		made(7, nil),
		date(8, "1969-12-31"),
	}, []edgeCase{
		{"both ends inside", days("2024-01-01", "2024-03-01"), []int64{2, 3, 4}},
		{"one day", days("2024-02-29", "2024-02-29"), []int64{3}},
		{"no upper end", days("2024-02-29", ""), []int64{3, 4, 6}},
		{"no lower end", days("", "1969-12-31"), []int64{5, 8}},
		{"first and last day", days("1600-01-01", "2999-12-31"), []int64{1, 2, 3, 4, 5, 6, 8}},
		{"before the first day", days("", "1599-12-31"), nil},
		{"more years than there are", days("0001-01-01", "9999-12-31"), []int64{1, 2, 3, 4, 5, 6, 8}},
		{"narrowed", both(days("2024-01-01", ""), days("", "2024-02-29")), []int64{2, 3}},
		{"narrowed to nothing", both(days("2024-03-01", ""), days("", "2024-02-29")), nil},
		{"start after end", days("2024-03-01", "2024-01-01"), nil},
	}}
}

func between(field index.Field, low, high *float64) index.Filter {
	return index.Where(index.Between{Field: field, Min: low, Max: high})
}

func amountGroup() group {
	amount := func(id int64, v float64) *index.Filing { return made(id, values{index.FilingAmount: v}) }
	in := func(low, high *float64) index.Filter { return between(index.FilingAmount, low, high) }
	return group{"P10 amounts", []*index.Filing{
		amount(1, -250.5),
		amount(2, -0.01),
		amount(3, 0),
		amount(4, 0.01),
		amount(5, 0.29),
		amount(6, 1234.56),
		amount(7, 1e12),
		made(8, values{index.CurrentAmount: 1234.56}),
		amount(9, 999999999999.99),
	}, []edgeCase{
		{"inclusive", in(at(-0.01), at(0.01)), []int64{2, 3, 4}},
		{"to the last bit", in(at(math.Nextafter(0.01, 1)), at(math.Nextafter(0.29, 0))), nil},
		{"one amount", in(at(1234.56), at(1234.56)), []int64{6}},
		{"zero", in(at(0), at(0)), []int64{3}},
		{"negative zero below", in(at(negativeZero), at(0)), []int64{3}},
		{"negative zero above", in(nil, at(negativeZero)), []int64{1, 2, 3}},
		{"credits", in(nil, at(-0.01)), []int64{1, 2}},
		{"no upper bound", in(at(999999999999.99), nil), []int64{7, 9}},
		{"missing never matches", in(at(-math.MaxFloat64), at(math.MaxFloat64)), []int64{1, 2, 3, 4, 5, 6, 7, 9}},
		{"narrowed", both(in(at(0), nil), in(nil, at(0.01))), []int64{3, 4}},
	}}
}

func acresGroup() group {
	acres := func(id int64, v float64) *index.Filing { return made(id, values{index.LotSizeAcres: v}) }
	in := func(low, high *float64) index.Filter { return between(index.LotSizeAcres, low, high) }
	return group{"P10 acres", []*index.Filing{
		acres(1, 0),
		acres(2, 0.1),
		acres(3, 0.30000000000000004),
		acres(4, 5e-324),
		acres(5, 1e15),
		made(6, nil),
	}, []edgeCase{
		{"inclusive", in(at(0.1), at(0.30000000000000004)), []int64{2, 3}},
		{"to the last bit", in(at(0.1), at(0.3)), []int64{2}},
		{"the smallest number is not 0", in(at(0), at(0)), []int64{1}},
		{"from 0", in(at(0), nil), []int64{1, 2, 3, 4, 5}},
		{"beyond whole numbers", in(at(1e15), at(math.MaxFloat64)), []int64{5}},
	}}
}

func equityGroup() group {
	equity := func(id int64, e, v float64) *index.Filing {
		return made(id, values{index.HomeEquityEstimate: e, index.EstimatedValue: v})
	}
	atLeast := func(p float64) index.Filter { return between(index.EquityPercent, at(p), nil) }
	return group{"P13", []*index.Filing{
		equity(1, 50_000, 100_000),
		equity(2, 100_000, 100_000),
		equity(3, 100_000, 0),
		made(4, values{index.HomeEquityEstimate: 1}),
		made(5, values{index.EstimatedValue: 1}),
		equity(6, -10_000, 100_000),
		equity(7, 1.00005, 100),
		equity(8, 1.00004, 100),
		equity(9, 1, 3),
		equity(10, 0, 100),
		equity(11, 3_000_000, 1),
	}, []edgeCase{
		{"inclusive", atLeast(50), []int64{1, 2, 11}},
		{"a little more", atLeast(50.0001), []int64{2, 11}},
		{"a tie is rounded up", between(index.EquityPercent, at(1.0001), at(1.0001)), []int64{7}},
		{"rounded down", between(index.EquityPercent, at(1), at(1)), []int64{8}},
		{"four decimals", between(index.EquityPercent, at(33.3333), at(33.3333)), []int64{9}},
		{"0 leaves out debts and missing values", atLeast(0), []int64{1, 2, 7, 8, 9, 10, 11}},
		{"negative", between(index.EquityPercent, nil, at(-10)), []int64{6}},
		{"beyond 100", atLeast(100.0001), []int64{11}},
	}}
}

func createdGroup() group {
	noon := day("2026-01-15").Add(12 * time.Hour)
	created := func(id int64, d time.Duration) *index.Filing { return made(id, values{index.CreatedAt: noon.Add(d)}) }
	times := func(from, to time.Duration) index.Filter {
		return index.Where(index.Times{From: noon.Add(from), To: noon.Add(to)})
	}
	week := 7 * 24 * time.Hour
	return group{"A3", []*index.Filing{
		created(1, 0),
		created(2, -time.Microsecond),
		created(3, -week),
		created(4, -week-time.Microsecond),
		created(5, time.Microsecond),
		made(6, values{index.CreatedAt: noon.In(time.FixedZone("west", -5*3600))}),
		made(7, values{index.CreatedAt: time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)}),
	}, []edgeCase{
		{"both ends inside, to the microsecond", times(-week, 0), []int64{1, 2, 3, 6}},
		{"one instant in any zone", times(0, 0), []int64{1, 6}},
		{"between instants", times(time.Microsecond+time.Nanosecond*999, time.Hour), []int64{5}},
		{"before 1970", index.Where(index.Times{From: time.Unix(-1, 0), To: time.Unix(0, 0)}), []int64{7}},
		{"nothing", times(time.Hour, 2*time.Hour), nil},
	}}
}
