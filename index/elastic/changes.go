package elastic

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/reader"
	"filings/index/generation"
	"filings/index/history"
)

// chunk is a document of a changeset.
type chunk struct {
	Last  int64  `json:"last"`
	Parts []int  `json:"parts"` // a number for each field group
	Data  []byte `json:"data"`
}

// WriteChangeset implements generation.Writer.
func (b *build) WriteChangeset(ctx context.Context, s index.Changeset, differences []generation.Difference) (whole bool, err error) {
	copies := s.Added+s.Changed+s.Removed <= b.storage.mostCopied
	name := changesetIndex(b.name)
	err = b.createSidecar(ctx, name, map[string]any{
		"dynamic": "strict",
		"properties": map[string]any{
			"last":  map[string]any{"type": "long"},
			"parts": map[string]any{"type": "byte"}, "data": map[string]any{"type": "binary"},
		},
	}, map[string]any{"refresh_interval": "-1", "sort.field": "last"})
	if err != nil {
		return false, err
	}
	chunks := 0
	err = history.Encode(ctx, s, differences, copies, b.storage.Filings, func(c history.Chunk) error {
		chunks++
		return b.storage.putSidecar(ctx, name, chunks, chunk{c.Last, each(c.FieldGroups), c.Data})
	})
	if err != nil {
		return false, err
	}
	return !copies, b.storage.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.IndicesRefreshRequest{Index: []string{name}}
	})
}

// each lists the numbers of field groups.
func each(groups index.FieldGroups) (all []int) {
	for group := index.FieldGroups(1); group&index.AllFieldGroups != 0; group <<= 1 {
		if groups&group != 0 {
			all = append(all, int(group))
		}
	}
	return all
}

// Filings implements history.Source: of any generation whose index is there.
func (s *storage) Filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	return reader.New(s.c, name, s.cache).Versions(ctx, ids)
}

// Chunks implements history.Source.
func (s *storage) Chunks(ctx context.Context, generation string, after int64, groups index.FieldGroups, n int) ([][]byte, error) {
	body, err := json.Marshal(map[string]any{
		"size": n, "track_total_hits": false, "sort": []any{map[string]any{"last": "asc"}},
		"query": map[string]any{"bool": map[string]any{"filter": []any{
			map[string]any{"range": map[string]any{"last": map[string]any{"gt": after}}},
			map[string]any{"terms": map[string]any{"parts": each(groups)}},
		}}},
		"_source": []string{"data"},
	})
	if err != nil {
		return nil, err
	}
	var found struct {
		Hits struct {
			Hits []struct {
				Source struct {
					Data []byte `json:"data"`
				} `json:"_source"`
			}
		}
	}
	partial := false
	err = s.c.ReadInto(ctx, &found, esapi.SearchRequest{
		Index: []string{changesetIndex(generation)}, Body: bytes.NewReader(body), AllowPartialSearchResults: &partial,
	})
	chunks := make([][]byte, len(found.Hits.Hits))
	for i, hit := range found.Hits.Hits {
		chunks[i] = hit.Source.Data
	}
	return chunks, err
}
