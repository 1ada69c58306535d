package reindexer

import (
	"strings"
	"testing"
	"unsafe"

	"filings/index"
)

// TestExpectation_KeepsNoLines: of a record, whose texts are parts of its line, nothing stays in memory but what is counted
// by: neither of the first record of a county and month, nor of those that follow.
func TestExpectation_KeepsNoLines(t *testing.T) {
	t.Parallel()
	e := newExpectation()
	var lines []string
	for range 3 {
		line := strings.Clone("Orange, FL 2026-01-31 and all that a record has besides")
		lines = append(lines, line)
		f := index.Filing{ID: int64(len(lines))}
		f.SetText(index.County, line[:10])
		f.SetText(index.FilingDate, line[11:21])
		e.add(&f)
	}
	if e.checksum.Counties["Orange, FL"].Filings != 3 || e.checksum.Months["2026-01"] != 3 {
		t.Fatalf("%+v", e.checksum)
	}
	kept := func(text string) {
		for i, line := range lines {
			begin, at := uintptr(unsafe.Pointer(unsafe.StringData(line))), uintptr(unsafe.Pointer(unsafe.StringData(text)))
			if at >= begin && at < begin+uintptr(len(line)) {
				t.Errorf("%q keeps line %d", text, i+1)
			}
		}
	}
	for county := range e.checksum.Counties {
		kept(county)
	}
	for month := range e.checksum.Months {
		kept(month)
	}
}
