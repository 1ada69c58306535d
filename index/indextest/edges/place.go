package edges

import (
	"strings"
	"time"

	"filings/index"
)

func stateGroup() Group {
	county := func(id int64, name string) *index.Filing { return Filing(id, Values{index.County: name}) }
	return Group{"X54 states", []*index.Filing{
		county(1, "Orange, FL"),
		county(2, "Lake, FL"),
		county(3, "Orange, CA"),
		county(4, "Town, FL, GA"),
		county(5, "Florida, PR"),
		county(6, "Town, Georgia"),
	}, []Case{
		{"any case", AnyOf(index.State, "fL"), []int64{1, 2}},
		{"several", AnyOf(index.State, "CA", "GA"), []int64{3, 4}},
		{"the one at the end", AnyOf(index.State, "GA"), []int64{4}},
		{"no name of a county", AnyOf(index.State, "florida", "town", ""), nil},
		{"and a county", Both(AnyOf(index.State, "CA"), index.Where(index.InCounty("Orange"))), []int64{3}},
		{"counties, or names of several", index.Where(index.InCounty("orange, ca", "LAKE", "nowhere")), []int64{2, 3}},
		{"excluded", noneOf(index.State, "fl", "ga"), []int64{3, 5, 6}},
	}}
}

func zipGroup() Group {
	filing := func(id int64, loaded, address string) *index.Filing {
		return Filing(id, Values{index.ZIP: loaded, index.PropertyAddress: address})
	}
	return Group{"X54 ZIP codes", []*index.Filing{
		filing(1, "32801", ""),
		filing(2, "32801-1234", "2 Elm St, Elsewhere, FL 32802"),
		filing(3, "", "3 Elm St, Elsewhere, FL 32801"),
		filing(4, "", "4 Elm St, Elsewhere, FL, 32801-1234"),
		filing(5, "", "5 ELM ST ELSEWHERE FL 32802"),
		filing(6, "", "32801 Elm St"),
		filing(7, "3280", "7 Elm St, Elsewhere, FL"),
		filing(8, "02903", ""),
	}, []Case{
		{"loaded or from the address", AnyOf(index.ZIP, "32801"), []int64{1, 2, 3, 4}},
		{"several", AnyOf(index.ZIP, "32802", "02903", "99999"), []int64{5, 8}},
		{"no part of one", AnyOf(index.ZIP, "3280", "2903", ""), nil},
		{"excluded", noneOf(index.ZIP, "32801"), []int64{5, 6, 7, 8}},
	}}
}

func addressGroup() Group {
	filing := func(id int64, address, city, zip string) *index.Filing {
		return Filing(id, Values{
			index.PropertyAddress: address, index.City: city, index.ZIP: zip, index.County: "Orange, FL",
		})
	}
	at := func(texts ...string) index.Filter { return index.Where(Addresses(texts...)) }
	return Group{"X55", []*index.Filing{
		filing(1, "12 N Elm St", "Ocoee", ""),
		filing(2, "0012 NORTH ELM STREET, OCOEE, FL 32801", "", ""),
		filing(3, "12 N. Elm St Apt 04, Ocoee, FL", "", "34761"),
		filing(4, "12 N Elm St #4", "", "34761-1234"),
		filing(5, "12 Elm St", "Ocoee", ""),
		filing(6, "12 N Elm St W", "Ocoee", ""),
		filing(7, "Elm St", "Ocoee", ""),
		filing(8, "12 St Johns Ave", "St Cloud", ""),
		filing(9, "12 Johns St", "Saint Cloud", ""),
		filing(10, "7 1/2 강남 Ave", "Ocoee", ""),
		Filing(11, Values{index.PropertyAddress: "12 N Elm St, Ocoee, GA", index.County: "Orange, FL"}),
		filing(12, "12 "+strings.Repeat("Elm", index.MaxAddress), "Ocoee", ""),
	}, []Case{
		{"each spelling, and no other part", at("12 north elm str."), []int64{1, 2, 3, 4, 11}},
		{"a unit", at("12 N Elm St Unit 4"), []int64{3, 4}},
		{"a city and its state", at("12 N Elm St, Ocoee, FL"), []int64{1, 2, 3}},
		{"a ZIP code", at("12 N Elm St 34761"), []int64{3, 4}},
		{"a ZIP code, or without one the city", at("12 N Elm St, Ocoee, FL 34761"), []int64{1, 3, 4}},
		{"all parts", at("12 N Elm St, Apt 4, Ocoee, FL 34761-0001"), []int64{3, 4}},
		{"a state", at("12 N Elm St, GA"), []int64{11}},
		{"another direction", at("12 S Elm St", "12 Elm St N"), nil},
		{"a saint, which is no street", at("12 Saint John's Avenue, Saint Cloud, FL"), []int64{8}},
		{"several", at("12 Elm Street", "12 Johns St, St. Cloud", "99 Elm St"), []int64{5, 9}},
		{"beyond ASCII", at("7 1/2 강남 AVENUE, Ocoee"), []int64{10}},
		{"of no length that addresses have", at("12 " + strings.Repeat("Elm", index.MaxAddress)), nil},
		{"excluded", index.Where(index.Not{Predicate: Addresses("12 N Elm St", "12 N Elm St W")}),
			[]int64{5, 7, 8, 9, 10, 12}},
	}}
}

func currentAmountGroup() Group {
	amount := func(id int64, v float64) *index.Filing { return Filing(id, Values{index.CurrentAmount: v}) }
	in := func(low, high *float64) index.Filter { return Between(index.CurrentAmount, low, high) }
	return Group{"X54 amounts", []*index.Filing{
		amount(1, -0.01),
		amount(2, 0),
		amount(3, 0.29),
		amount(4, 1e12),
		Filing(5, Values{index.FilingAmount: 0.29}),
	}, []Case{
		{"inclusive", in(At(0), At(0.29)), []int64{2, 3}},
		{"credits", in(nil, At(-0.01)), []int64{1}},
		{"no upper bound", in(At(0.3), nil), []int64{4}},
		{"both amounts", Both(in(At(0), nil), Between(index.FilingAmount, At(0), nil)), nil},
	}}
}

func addedGroup() Group {
	noon := Day("2026-01-15").Add(12 * time.Hour)
	created := func(id int64, d time.Duration) *index.Filing { return Filing(id, Values{index.CreatedAt: noon.Add(d)}) }
	return Group{"X54 times", []*index.Filing{
		created(1, 0),
		created(2, -time.Microsecond),
		created(3, time.Microsecond),
		Filing(4, Values{index.CreatedAt: time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)}),
		Filing(5, Values{index.CreatedAt: time.Date(2999, 12, 31, 0, 0, 0, 0, time.UTC)}),
		Filing(6, nil),
	}, []Case{
		{"since, inclusive", index.Where(index.Times{First: noon}), []int64{1, 3, 5}},
		{"until, inclusive", index.Where(index.Times{Last: noon}), []int64{1, 2, 4}},
		{"of one instant", Both(index.Where(index.Times{Last: noon}), index.Where(index.Times{First: noon})), []int64{1}},
	}}
}
