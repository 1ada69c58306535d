package document

import (
	"bytes"
	"encoding/gob"
	"encoding/json"

	"filings/index"
)

// CountiesIndex names the index that holds what is known of a generation's counties, where these are many. It is a sibling
// and no part of the generation, every document of which is a filing.
func CountiesIndex(generation string) string { return generation + "-counties" }

// counties is a document of that index.
type counties struct {
	Counties []byte `json:"counties"` // []index.CountyStats as gob, which unlike JSON has infinite sums
}

// OfCounties returns the document of a part of the counties.
func OfCounties(part []index.CountyStats) ([]byte, error) {
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(part); err != nil {
		return nil, err
	}
	return json.Marshal(counties{data.Bytes()})
}

// Counties reads what OfCounties wrote.
func Counties(document []byte) (part []index.CountyStats, err error) {
	var read counties
	if err = json.Unmarshal(document, &read); err == nil {
		err = gob.NewDecoder(bytes.NewReader(read.Counties)).Decode(&part)
	}
	return part, err
}
