package edges

import (
	"time"

	"filings/index"
)

// SortMark selects SortFilings. Their case number is in no other Group.
var SortMark = index.Contains{Text: "mark p17"}

// SortFilings have ties and gaps in every field that filings are sorted by.
func SortFilings() []*index.Filing {
	t1 := Day("2026-01-01")
	t2, t3 := t1.Add(time.Hour), t1.Add(2*time.Hour)
	filings := []*index.Filing{
		Filing(1, Values{index.FilingDate: "2024-05-01", index.FilingAmount: 100, index.CurrentAmount: 50, index.Owner: "banana", index.CreatedAt: t1}),
		Filing(2, Values{index.FilingDate: "2024-05-01", index.FilingAmount: 100, index.CurrentAmount: -5, index.Owner: "Apple", index.CreatedAt: t1}),
		Filing(3, Values{index.FilingDate: "2024-06-01", index.FilingAmount: -20, index.Owner: "BANANA", index.CreatedAt: t2}),
		Filing(4, Values{index.FilingAmount: 100, index.CurrentAmount: 0, index.CreatedAt: t3}),
		Filing(5, Values{index.FilingDate: "2024-04-01", index.CurrentAmount: 50, index.Owner: "apple", index.CreatedAt: t1.Add(time.Microsecond)}),
		Filing(6, Values{index.Owner: "éclair"}),
		Filing(7, Values{index.FilingDate: "2024-06-01", index.FilingAmount: 0, index.CurrentAmount: 1e12, index.Owner: "zebra", index.CreatedAt: t3}),
		Filing(8, nil),
		Filing(9, Values{index.Owner: "～ after U+D83D, before U+1F600"}),
		Filing(10, Values{index.Owner: "😀"}),
	}
	for _, f := range filings {
		f.SetText(index.CaseNumber, "Mark P17")
		f.ID += SortIDs
	}
	return filings
}

// SortIDs is what is added to the ids of SortFilings, which are 1 to 10.
const SortIDs = 1_000_000_000_000

// restGroup tries positions in the default order: of its own filings, and between them.
func restGroup() Group {
	date := func(id int64, d string) *index.Filing { return Filing(id, Values{index.FilingDate: d}) }
	rest := func(date string, id int64) index.Filter { return index.Where(index.Rest{Date: date, ID: id}) }
	return Group{"X6", []*index.Filing{
		date(1, "2024-01-02"),
		date(2, "2024-01-01"),
		date(3, "2024-01-02"),
		Filing(4, nil),
		date(5, "1969-12-31"),
		Filing(6, nil),
	}, []Case{
		{"from the first", rest("2024-01-02", 3), []int64{1, 2, 3, 4, 5, 6}},
		{"after the first", rest("2024-01-02", 2), []int64{1, 2, 4, 5, 6}},
		{"after the last of a day", rest("2024-01-02", 0), []int64{2, 4, 5, 6}},
		{"from a day without filings", rest("2024-01-03", 0), []int64{1, 2, 3, 4, 5, 6}},
		{"from before 1970", rest("1969-12-31", 5), []int64{4, 5, 6}},
		{"without a date", rest("", 6), []int64{4, 6}},
		{"after the last one but one", rest("", 5), []int64{4}},
		{"after the last", rest("", 3), nil},
		{"narrowed", Both(rest("2024-01-01", 2), index.Where(index.Days{First: "2000-01-01"})), []int64{2}},
	}}
}
