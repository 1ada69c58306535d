package elastic

import (
	"context"
	"encoding/json"
	"slices"

	"filings/index"
	"filings/index/elastic/document"
)

const (
	// fewCounties are counted when they are needed, by one search of a fraction of a second. There are some 3,000, so that
	// few generations have an index of counties.
	fewCounties = 5_000
	// countiesADocument keeps a document below a megabyte.
	countiesADocument = 10_000
)

// keepCounties writes what is known of the generation's counties into a sidecar, if they are many, and returns of how many
// documents that is. The generation must not be searched for it: 300,000 counties would take longer than a request has.
func (b *build) keepCounties(ctx context.Context, counties []index.CountyStats) (documents int, err error) {
	if len(counties) <= b.storage.fewCounties {
		return 0, nil
	}
	if err := b.createSidecar(ctx, document.CountiesIndex(b.name), map[string]any{"enabled": false}, nil); err != nil {
		return 0, err
	}
	for part := range slices.Chunk(counties, b.storage.countiesADocument) {
		body, err := document.OfCounties(part)
		if err == nil {
			err = b.storage.putSidecar(ctx, document.CountiesIndex(b.name), documents, json.RawMessage(body))
		}
		if err != nil {
			return 0, err
		}
		documents++
	}
	return documents, nil
}
