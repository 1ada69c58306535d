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

// Chunks returns chunks of a hidden index beside a generation; index.ErrNotFound where there is no such index.
func Chunks(ctx context.Context, c *client.Client, name, section string, chunks []int) (all [][]byte, err error) {
	ids := make([]string, len(chunks))
	for i, chunk := range chunks {
		ids[i] = document.ChunkID(section, chunk)
	}
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	var found struct {
		Docs []struct {
			Source document.Chunk `json:"_source"`
			Error  struct{ Type string }
		}
	}
	err = c.Read(ctx, &found, esapi.MgetRequest{Index: name, Body: bytes.NewReader(body)})
	if errors.Is(err, index.ErrGone) || len(found.Docs) > 0 && found.Docs[0].Error.Type == client.IndexNotFound {
		return nil, index.ErrNotFound
	}
	if err == nil && len(found.Docs) != len(chunks) {
		err = client.ErrResponse
	}
	for _, d := range found.Docs {
		if err == nil && d.Source.Data == nil {
			err = client.ErrResponse
		}
		all = append(all, d.Source.Data)
	}
	return all, err
}

// chunks is the sidecar.Source of the generation: index.ErrGone where that is missing too.
func (r *Reader) chunks(ctx context.Context, section string, chunks []int) (_ [][]byte, err error) {
	defer r.wrap(&err, "reading "+section)
	all, err := Chunks(ctx, r.c, document.SidecarIndex(r.generation), section, chunks)
	if errors.Is(err, index.ErrNotFound) {
		if err := r.read(ctx, nil, esapi.IndicesGetAliasRequest{Index: []string{r.generation}}); err != nil {
			return nil, err
		}
	}
	return all, err
}
