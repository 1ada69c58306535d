// Package mappings owns the settings and the mapping of the Elasticsearch index that holds a
// generation, as JSON, and their version. It knows nothing of clients, queries or filings.
//
// # Design
//
// The fields of the API's record stand at the top level of a document, and `_source` gives them
// back, byte for byte. Values that are derived from them to be searched, sorted by or counted stand
// in the object x, which is excluded from `_source`; in OpenSearch it is not (package elastic), and
// package document skips it. A top-level field is indexed itself only if its value can be queried
// unchanged: numbers, dates and values listed as written. Everything that is compared ignoring case
// is folded by the program (index.Fold) and lies in x: a normalizer of Elasticsearch would fold by
// other rules.
//
// `dynamic` is strict everywhere: a field that the mapping does not know is an error at once.
//
//   - x.text holds the search texts as trigrams with positions, each text followed by two NULs, so
//     that every position of a text begins a trigram. Texts cannot hold NUL themselves.
//   - x.runs holds the ends of the runs of letters in these texts, from each letter on, cut short:
//     any letters that a text contains begin a word of it. The postings of a word are far fewer
//     than those of its trigrams.
//   - x.is holds a word for each thing that is true of the filing: foreclosureStatus, propertyData,
//     trust, estate.
//   - x.code holds, for each sort key, a keyword that sorts as the key does and has few different
//     values. Counting by it finds any offset without walking there.
//   - x.day is filingDate as days since 1970-01-01, for ranges and for the order of filings. It is
//     no `date`: with several shards, Elasticsearch fails to sort by a date that is missing
//     somewhere ("too far in the future"). filingDate itself is a keyword, which sorts right too,
//     and is its own code.
//   - x.point is where boxes are searched. It is rounded, so the two coordinates as loaded decide
//     at the edges of a box, and alone for map tiles.
//   - x.cents is the amount in whole cents, because sums of whole numbers are exact.
//   - x.countyCents is x.cents after a number of the county: a county's filings by amounts are
//     counted as a range of it, which visits no filing.
//   - x.ownerKey is the key of the owner, which the program computes (index.OwnerKeyOf); x.zip is
//     of five digits.
//   - x.addressKey is the word of the address (package index/address), and x.address its terms, by
//     which it is found.
//   - Groups are counted by fields with doc values: county, type, owner, holder, classification and
//     categories of the record as they are, and x.state, x.writtenCity, x.addressKey, x.month and
//     x.year.
//
// The index is sorted as both endpoints list filings by default, so a first page reads only the
// filings that it shows.
package mappings

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
)

// Version numbers the mapping. It is part of a generation's name, and goes up with every change of
// filings.json, or of the contents of documents: generations of another version are not read.
const Version = 9

//go:embed filings.json
var filings []byte

// Body returns the body of the request that creates an index: the mapping, and the settings with
// those given added or replaced. Names are those within `index`, such as "number_of_shards".
func Body(settings map[string]any) (body map[string]any, err error) {
	if err := json.Unmarshal(filings, &body); err != nil {
		return nil, fmt.Errorf("mappings: %w", err)
	}
	maps.Copy(body["settings"].(map[string]any)["index"].(map[string]any), settings)
	return body, nil
}
