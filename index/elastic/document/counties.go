package document

import (
	"bytes"
	"encoding/gob"

	"filings/index"
)

// CountiesSection is the section of a sidecar that has what is known of a generation's counties, where these are many.
const CountiesSection = "counties"

// OfCounties returns a part of the counties as gob, which unlike JSON has infinite sums.
func OfCounties(part []index.CountyStats) ([]byte, error) {
	var data bytes.Buffer
	err := gob.NewEncoder(&data).Encode(part)
	return data.Bytes(), err
}

// Counties reads what OfCounties returned.
func Counties(data []byte) (part []index.CountyStats, err error) {
	err = gob.NewDecoder(bytes.NewReader(data)).Decode(&part)
	return part, err
}
