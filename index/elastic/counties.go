package elastic

import (
	"context"
	"slices"

	"filings/index"
	"filings/index/elastic/document"
)

const (
	// fewCounties are counted when they are needed, by one search of a fraction of a second. There are some 3,000.
	fewCounties = 5_000
	// countiesADocument keeps a document below a megabyte.
	countiesADocument = 10_000
)

// keepCounties writes what is known of the generation's counties into the sidecar, if they are many, and returns of how many
// documents that is. The generation must not be searched for it: 300,000 counties would take longer than a request has.
func (b *build) keepCounties(ctx context.Context, counties []index.CountyStats) (documents int, err error) {
	if len(counties) <= b.storage.fewCounties {
		return 0, nil
	}
	for part := range slices.Chunk(counties, b.storage.countiesADocument) {
		data, err := document.OfCounties(part)
		if err == nil {
			err = b.sidecar.put(ctx)(document.CountiesSection, documents, data)
		}
		if err != nil {
			return 0, err
		}
		documents++
	}
	return documents, b.sidecar.flush(ctx)
}
