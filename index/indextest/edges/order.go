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
		Filing(9, Values{index.Owner: "～ behind U+D83D, before U+1F600"}),
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
