package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// ownersChunks is the owners.Source of the generation's sidecar. One that is not there is none, since what was copied had none or an
// operator has deleted it.
func (r *Reader) ownersChunks(ctx context.Context, section string, chunks []int) (all [][]byte, err error) {
	ids := make([]string, len(chunks))
	for i, chunk := range chunks {
		ids[i] = document.OwnersID(section, chunk)
	}
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	var found struct {
		Docs []struct {
			Source document.OwnersChunk `json:"_source"`
			Error  struct{ Type string }
		}
	}
	err = r.c.ReadInto(ctx, &found, esapi.MgetRequest{Index: document.OwnersIndex(r.generation), Body: bytes.NewReader(body)}) // not by read: see keptCounties
	if errors.Is(err, index.ErrGone) || len(found.Docs) > 0 && found.Docs[0].Error.Type == "index_not_found_exception" {
		return nil, index.ErrNoOwners
	}
	if err == nil && len(found.Docs) != len(chunks) {
		err = client.ErrResponse
	}
	for _, d := range found.Docs {
		all = append(all, d.Source.Data)
	}
	return all, err
}
