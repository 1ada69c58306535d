package embedded

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// TestRows_LongRecords: of a page whose records may have so many bytes hardly more are read, in any order, from any position, where
// records are as long as a load lets them be. It is not parallel: it measures what is allocated.
func TestRows_LongRecords(t *testing.T) {
	const bytes = 4 << 20
	n := 192
	if testing.Short() {
		n = 96
	}
	s := openStore(t, t.TempDir())
	filings := make([]*index.Filing, n)
	for i, f := range synthetics(n, 1) {
		for _, field := range []index.Field{index.CaseNumber, index.PropertyAddress, index.FilingType, index.PropertyType, index.StandardizedAddress,
			index.ForeclosureStatus, index.OwnerPhonePrimary, index.OwnerPhoneSecondary, index.OwnerEmailPrimary, index.OwnerEmailSecondary} {
			f.SetText(field, strings.Repeat("𝄞", 8000))
		}
		f.SetText(index.AISummary, strings.Repeat("𝄞", 100_000))
		f.SetText(index.Owner, fmt.Sprintf("Owner %d", i*7919%n))
		f.SetNumber(index.FilingAmount, float64(i*104_729%n))
		filings[i] = f
	}
	o := indextest.NewOracle(load(t, s, filings), filings)
	r := liveReader(t, s)
	for _, sort := range []index.Sort{
		index.DefaultSort, {Field: index.Owner, Ascending: true}, {Field: index.FilingAmount},
		{Field: index.FilingDate, Ascending: true},
	} {
		var ids []int64
		for after := ""; len(ids) < n; {
			q := index.Query{Sort: sort, Limit: 1000, Bytes: bytes, Start: after}
			var before, since runtime.MemStats
			runtime.ReadMemStats(&before)
			page, err := r.Rows(t.Context(), q)
			runtime.ReadMemStats(&since)
			if err != nil || len(page.Records) == 0 {
				t.Fatalf("%v after %q: %d records, %v", sort, after, len(page.Records), err)
			}
			size := 0
			for _, record := range page.Records {
				id, err := record.ID()
				if err != nil {
					t.Fatal(err)
				}
				ids, size = append(ids, id), size+len(record)
			}
			if size > bytes {
				t.Errorf("%v: a page of %d bytes", sort, size)
			}
			// A block of records is decoded into memory of its own, and more of it where garbage was collected meanwhile. All records are
			// some 200 MB, or half of that.
			if took := int(since.TotalAlloc - before.TotalAlloc); took > 16*bytes {
				t.Errorf("%v after %q: %d MB were allocated for a page of %d", sort, after, took>>20, size>>20)
			}
			after = page.End
		}
		for i, f := range o.Select(index.Filter{}, sort) {
			if f.ID != ids[i] {
				t.Fatalf("%v: filing %d stands at %d, where %d belongs", sort, ids[i], i, f.ID)
			}
		}
	}
}
