package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
)

// filing is a line of the file: the values that engines find it by, and its text.
type filing struct {
	ID                                         int64
	County, Owner, PropertyAddress, CaseNumber string
	FilingAmount                               *float64
	FilingDate                                 string
	Latitude                                   *float64 `json:"geocodedLatitude"`
	Longitude                                  *float64 `json:"geocodedLongitude"`

	text []byte
}

// texts is the text that searches look in. No term has a line break.
func (f filing) texts() string {
	return strings.ToLower(strings.Join([]string{f.Owner, f.PropertyAddress, f.CaseNumber, f.County}, "\n"))
}

// day is the recording date, or nil.
func (f filing) day() any {
	if f.FilingDate == "" {
		return nil
	}
	return f.FilingDate
}

// eachFiling calls do with every filing of a file, whose text is overwritten by the next one.
func eachFiling(name string, do func(filing) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		f := filing{text: lines.Bytes()}
		if err := json.Unmarshal(f.text, &f); err != nil {
			return err
		}
		if err := do(f); err != nil {
			return err
		}
	}
	return lines.Err()
}
