package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index/elastic/client"
)

// createSidecar makes a hidden index of the generation, unless it is there. It is small: one shard.
func (b *build) createSidecar(ctx context.Context, name string, mappings map[string]any, settings map[string]any) error {
	all := map[string]any{"number_of_shards": 1, "number_of_replicas": b.storage.replicas, "hidden": true}
	for setting, v := range settings {
		all[setting] = v
	}
	body, err := json.Marshal(map[string]any{"settings": map[string]any{"index": all}, "mappings": mappings})
	if err != nil {
		return err
	}
	err = b.storage.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		_, err := b.storage.c.Do(ctx, esapi.IndicesCreateRequest{Index: name, Body: bytes.NewReader(body)})
		if client.HasKind(err, alreadyExists) {
			return nil // the first request, whose response did not come, made it
		}
		return err
	})
	if err != nil {
		return b.storage.explainTemplate(ctx, err)
	}
	if err := b.storage.keepOffAlias(ctx, name); err != nil {
		return err
	}
	return b.storage.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.ClusterHealthRequest{Index: []string{name}, WaitForStatus: "yellow", Timeout: 50 * time.Second}
	})
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
