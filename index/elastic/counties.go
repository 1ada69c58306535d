package elastic

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

const (
	// fewCounties are counted when they are needed, by one search of a fraction of a second. There are some 3,000, so that
	// few generations have an index of counties.
	fewCounties = 5_000
	// countiesADocument keeps a document below a megabyte.
	countiesADocument = 10_000
)

// keepCounties writes what is known of the generation's counties beside it, if they are many, and returns of how many
// documents that is. The generation must not be searched for it: 300,000 counties would take longer than a request has.
func (b *build) keepCounties(ctx context.Context, counties []index.CountyStats) (documents int, err error) {
	if len(counties) <= b.store.fewCounties {
		return 0, nil
	}
	if err := b.createCountiesIndex(ctx); err != nil {
		return 0, err
	}
	for part := range slices.Chunk(counties, b.store.countiesADocument) {
		body, err := document.OfCounties(part)
		if err != nil {
			return 0, err
		}
		err = b.store.c.Send(ctx, client.RequestTime, func() esapi.Request {
			return esapi.IndexRequest{
				Index: document.CountiesIndex(b.name), DocumentID: strconv.Itoa(documents), Body: bytes.NewReader(body),
			}
		})
		if err != nil {
			return 0, err
		}
		documents++
	}
	return documents, nil
}

func (b *build) createCountiesIndex(ctx context.Context) error {
	return b.createBeside(ctx, document.CountiesIndex(b.name), map[string]any{"enabled": false}, nil)
}
