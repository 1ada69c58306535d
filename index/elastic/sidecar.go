package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index/elastic/client"
)

// createSidecar makes a hidden index of the generation. It is small: one shard.
func (b *build) createSidecar(ctx context.Context, name string, mappings map[string]any, settings map[string]any) error {
	all := map[string]any{"number_of_shards": 1, "number_of_replicas": b.storage.replicas, "hidden": true}
	maps.Copy(all, settings)
	return b.storage.createIndex(ctx, name, "", map[string]any{"settings": map[string]any{"index": all}, "mappings": mappings})
}

// putSidecar writes a document of such an index.
func (b *build) putSidecar(ctx context.Context, name string, id int, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return b.storage.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.IndexRequest{Index: name, DocumentID: strconv.Itoa(id), Body: bytes.NewReader(body)}
	})
}
