package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

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
	name := document.CountiesIndex(b.name)
	body, err := json.Marshal(map[string]any{
		"settings": map[string]any{"index": map[string]any{
			"number_of_shards": 1, "number_of_replicas": b.store.replicas, "hidden": true,
		}},
		"mappings": map[string]any{"enabled": false},
	})
	if err != nil {
		return err
	}
	err = b.store.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		_, err := b.store.c.Do(ctx, esapi.IndicesCreateRequest{Index: name, Body: bytes.NewReader(body)})
		if client.HasKind(err, alreadyExists) {
			return nil // the first request, whose response did not come, made it
		}
		return err
	})
	if err != nil {
		return err
	}
	return b.store.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.ClusterHealthRequest{Index: []string{name}, WaitForStatus: "yellow", Timeout: 50 * time.Second}
	})
}

// removeCounties returns the actions that delete the index of a generation's counties, none if there is none.
func (s *Store) removeCounties(ctx context.Context, generation string) ([]action, error) {
	name := document.CountiesIndex(generation)
	_, err := s.describe(ctx, name)
	if errors.Is(err, index.ErrGone) {
		return nil, nil
	}
	return []action{removeIndex(name)}, err
}
