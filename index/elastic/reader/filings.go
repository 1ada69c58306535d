package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// Filing returns one filing, or index.ErrNotFound.
func (r *Reader) Filing(ctx context.Context, id int64) (index.Record, error) {
	response, err := r.read(ctx, esapi.GetRequest{Index: r.generation, DocumentID: strconv.FormatInt(id, 10)})
	if err == nil {
		d := readDocument(client.Walk(response))
		if d.source == nil {
			err = client.ErrResponse
		} else if record, failure := document.Canonical(d.source); failure != nil {
			err = fmt.Errorf("%w: %w", client.ErrResponse, failure)
		} else {
			return record, nil
		}
	}
	return nil, fmt.Errorf("reading filing %d of %s: %w", id, r.generation, err)
}

// idsAtOnce is how many ids one request has: with all their fields, a response of about 1.5 MB.
const idsAtOnce = 1000

// Filings returns the records with these ids. Updates of a load depend on it: it is complete or an error, and a request
// that failed for a moment is sent again.
func (r *Reader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	records := make([]index.Record, 0, len(ids))
	for some := range slices.Chunk(ids, idsAtOnce) {
		var more []index.Record
		err := r.c.Retry(ctx, client.RequestTime, func(ctx context.Context) (err error) {
			more, err = r.multiGet(ctx, some)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("reading %d filings of %s: %w", len(ids), r.generation, err)
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
	records, err := readDocuments(response, names)
	return records, r.note(err)
}

// readDocuments reads the response to a request of many documents. Each must be there, found or not, in its place.
func readDocuments(response []byte, names []string) ([]index.Record, error) {
	records := make([]index.Record, 0, len(names))
	w := client.Walk(response)
	for name := range w.Object() {
		if string(name) != "docs" {
			continue
		}
		for range w.Array() {
			d, i := readDocument(w), len(records)
			if d.err != nil {
				return nil, d.err
			}
			if i == len(names) || d.id != names[i] || !d.said || d.found != (d.source != nil) {
				return nil, client.Incomplete(i, len(names))
			}
			var record index.Record
			if d.found {
				var err error
				if record, err = document.Canonical(d.source); err != nil {
					return nil, fmt.Errorf("%w: %w", client.ErrResponse, err)
				}
			}
			records = append(records, record)
		}
	}
	if err := w.Err(); err != nil {
		return nil, err
	}
	if len(records) != len(names) {
		return nil, client.Incomplete(len(records), len(names))
	}
	return records, nil
}

// fetched is a document of a response by id.
type fetched struct {
	id          string
	said, found bool // whether it is there; said is false for one that could not be read
	source      []byte
	err         error // why it could not be read
}

func readDocument(w *client.Walker) (d fetched) {
	for name := range w.Object() {
		switch string(name) {
		case "_id":
			id := w.Raw()
			d.id = string(bytes.Trim(id, `"`)) // of digits
		case "found":
			d.said, d.found = true, w.Next() == 't'
		case "_source":
			d.source = bytes.Clone(w.Raw())
		case "error":
			d.err = documentError(w.Raw())
		}
	}
	if w.Err() != nil {
		d.source = nil
	}
	return d
}

// documentError returns the error of one document among others. The index of all of them may be missing, which is said of
// each; everything else may pass.
func documentError(text []byte) error {
	var cause struct{ Type, Reason string }
	if err := json.Unmarshal(text, &cause); err != nil {
		return fmt.Errorf("%w: %w", client.ErrResponse, err)
	}
	e := &client.Error{Kind: cause.Type, Reason: cause.Reason}
	if e.Kind == client.IndexNotFound {
		e.Status = http.StatusNotFound
	}
	return e
}
