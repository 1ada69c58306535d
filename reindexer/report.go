package reindexer

import (
	"math"
	"time"
)

// Report is the outcome of a run. Its JSON is the one line that `filings reindex` prints.
//
// Of every run that read its sources to the end, Read is the sum of Indexed, Updated, Deleted, Missing and Rejected;
// records of an update count as if they were applied one after the other. If nothing was promoted the counts say what
// the load would have done.
type Report struct {
	Generation string `json:"generation"` // "" if there is none: a dry run, or an error
	Read       int64  `json:"read"`       // records
	Indexed    int64  `json:"indexed"`    // filings that were not there before
	Updated    int64  `json:"updated"`    // filings that were replaced
	Deleted    int64  `json:"deleted"`
	Missing    int64  `json:"missing"` // deletions of filings that were not there
	Rejected   int64  `json:"rejected"`
	Rounded    int64  `json:"rounded"` // amounts that were rounded to the cent

	// IgnoredFields counts names that no field has. Beyond 1,000 different ones they are counted under "(others)".
	IgnoredFields map[string]int64 `json:"ignoredFields"`

	Filings  int64   `json:"filings"` // in the new generation
	Seconds  float64 `json:"seconds"`
	Promoted bool    `json:"promoted"`
}

// seconds returns d in seconds with three decimals.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
