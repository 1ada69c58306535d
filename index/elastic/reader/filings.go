package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// Filing returns one filing, or index.ErrNotFound.
func (r *Reader) Filing(ctx context.Context, id int64) (_ index.Record, err error) {
	name := strconv.FormatInt(id, 10)
	defer r.wrap(&err, "reading filing "+name)
	response, err := r.read(ctx, esapi.GetRequest{Index: r.generation, DocumentID: name})
	if err != nil {
		return nil, err
	}
	record, err := document.Record(response)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", client.ErrResponse, err)
	}
	return record, nil
}

// idsAtOnce is how many ids one request has: with all their fields, a response of about 1.5 MB.
const idsAtOnce = 1000

// Filings returns the records with these ids. Updates of a load depend on it: it is complete or an error, and a request
// that failed for a moment is sent again.
func (r *Reader) Filings(ctx context.Context, ids []int64) (_ []index.Record, err error) {
	defer r.wrap(&err, "reading filings by id")
	records := make([]index.Record, 0, len(ids))
	for some := range slices.Chunk(ids, idsAtOnce) {
		var more []index.Record
		err := r.c.Retry(ctx, client.RequestTime, func(ctx context.Context) (err error) {
			more, err = r.multiGet(ctx, some)
			return err
		})
		if err != nil {
			return nil, err
		}
		records = append(records, more...)
	}
	return records, nil
}

func (r *Reader) multiGet(ctx context.Context, ids []int64) ([]index.Record, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = strconv.FormatInt(id, 10)
	}
	body, err := json.Marshal(object{"ids": names})
	if err != nil {
		return nil, err
	}
	realtime := false // a generation that is read has no writes that a search does not see
	response, err := r.read(ctx, esapi.MgetRequest{Index: r.generation, Body: bytes.NewReader(body), Realtime: &realtime})
	if err != nil {
		return nil, err
	}
	var found documents
	if err := client.Decode(response, &found); err != nil {
		return nil, err
	}
	records, err := found.records(names)
	return records, r.note(err)
}

// documents is the response to a request of many documents.
type documents struct {
	Docs []struct {
		ID     string         `json:"_id"`
		Found  *bool          // nil: the document could not be read
		Source jsontext.Value `json:"_source"`
		Error  *struct{ Type, Reason string }
	}
}

// records returns the records. Each document must be there, found or not, in its place.
func (d *documents) records(names []string) ([]index.Record, error) {
	if len(d.Docs) != len(names) {
		return nil, client.Incomplete(len(d.Docs), len(names))
	}
	records := make([]index.Record, len(names))
	for i, doc := range d.Docs {
		switch {
		case doc.Error != nil && doc.Error.Type == client.IndexNotFound: // said of each document
			return nil, &client.Error{Status: http.StatusNotFound, Kind: doc.Error.Type, Reason: doc.Error.Reason}
		case doc.ID != names[i], doc.Found == nil, *doc.Found != (doc.Source != nil):
			return nil, client.Incomplete(i, len(names))
		case *doc.Found:
			var err error
			if records[i], err = document.Canonical(doc.Source); err != nil {
				return nil, fmt.Errorf("%w: %w", client.ErrResponse, err)
			}
		}
	}
	return records, nil
}

// Versions returns filings with what they can be filtered by, in the order of ids, the zero Version where there is none. Like
// Filings it is complete or an error, and sends again what failed for a moment.
func (r *Reader) Versions(ctx context.Context, ids []int64) (_ []index.Version, err error) {
	defer r.wrap(&err, "reading filings by id")
	versions := make(map[int64]index.Version, len(ids))
	for some := range slices.Chunk(ids, idsAtOnce) {
		err := r.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error { return r.find(ctx, some, versions) })
		if err != nil {
			return nil, err
		}
	}
	all := make([]index.Version, len(ids))
	for i, id := range ids {
		all[i] = versions[id]
	}
	return all, nil
}

// find searches for filings by their ids. A search reads columns too, which a multi get does not.
func (r *Reader) find(ctx context.Context, ids []int64, into map[int64]index.Version) error {
	var found struct {
		Hits struct {
			Hits []struct {
				Source jsontext.Value `json:"_source"`
				Fields map[string][]string
				Sort   []int64
			}
		}
	}
	err := r.searchInto(ctx, &found, object{
		"size": len(ids), "track_total_hits": false, "query": object{"terms": object{"id": ids}},
		"sort": []any{object{"id": "asc"}}, "docvalue_fields": []any{document.WrittenCity},
	})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits.Hits {
		v := index.Version{City: strings.Join(hit.Fields[document.WrittenCity], "")}
		if v.Record, err = document.Canonical(hit.Source); err != nil || len(hit.Sort) != 1 {
			return fmt.Errorf("%w: %w", client.ErrResponse, err)
		}
		into[hit.Sort[0]] = v
	}
	return nil
}
