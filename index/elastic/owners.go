package elastic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/owners"
)

// writeOwners writes the sidecar of owners.
func (b *build) writeOwners(ctx context.Context, collector *owners.Collector) error {
	name := document.OwnersIndex(b.name)
	if err := b.createSidecar(ctx, name, map[string]any{"enabled": false}, nil); err != nil {
		return err
	}
	b.owners = collector.Owners()
	var body []byte
	send := func(least int) error {
		if len(body) <= least {
			return nil
		}
		full := body
		body = nil
		return b.storage.c.Retry(ctx, client.BulkTime, func(ctx context.Context) error {
			response, err := b.storage.c.Do(ctx, esapi.BulkRequest{Index: name, Body: bytes.NewReader(full), FilterPath: []string{"errors"}})
			result := struct{ Errors bool }{true}
			if err = cmp.Or(err, client.Decode(response, &result)); err == nil && result.Errors {
				err = client.ErrResponse
			}
			return err
		})
	}
	err := collector.Write(func(section string, chunk int, data []byte) error {
		id := document.OwnersID(section, chunk)
		chunkBody, err := json.Marshal(document.OwnersChunk{Data: data})
		body = fmt.Appendf(body, `{"index":{"_id":%q}}`+"\n%s\n", id, chunkBody)
		return cmp.Or(err, send(batchBytes))
	})
	return cmp.Or(err, send(0))
}
