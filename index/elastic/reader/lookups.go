package reader

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
	"filings/index/batch"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/search"
)

// lookups requests single filings of a generation: each by its id, or those that are requested at
// the same time together.
type lookups struct {
	generation string
	read       func(context.Context, any, esapi.Request) error
	group      *batch.Group[*lookup]
}

// lookup is a request for one filing, and its result: a nil record if there is none.
type lookup struct {
	id     string
	record index.Record
	err    error
}

// lookupsAlone is how many lookups in progress go alone. With more, a node of two processors has
// enough to do, and each request of its own costs it more than the filing in it: at eight
// connections together are 1.4 times as many a second (`filings serve` with and without it, medians
// of seven interleaved runs on a busy machine).
const lookupsAlone = 2

func newLookups(generation string, read func(context.Context, any, esapi.Request) error) *lookups {
	l := &lookups{generation: generation, read: read}
	l.group = batch.New(lookupsAlone, client.RequestTime, l.send)
	return l
}

// filing returns one filing; nil if there is none.
func (l *lookups) filing(ctx context.Context, id string) (_ index.Record, err error) {
	defer index.Wrap(&err, "reading filing "+id+" of "+l.generation)
	one := &lookup{id: id}
	if err := l.group.Do(ctx, one); err != nil && ctx.Err() != nil {
		return nil, client.Ended(ctx)
	} else if err != nil {
		return nil, err
	}
	return one.record, one.err
}

// send sends lookups as one request.
func (l *lookups) send(ctx context.Context, all []*lookup) {
	if len(all) == 1 {
		all[0].record, all[0].err = l.get(ctx, all[0].id)
		return
	}
	if err := l.multiGet(ctx, all); err != nil {
		for _, one := range all {
			one.err = err
		}
	}
}

// get requests one filing.
func (l *lookups) get(ctx context.Context, id string) (index.Record, error) {
	var response []byte
	err := l.read(ctx, &response, esapi.GetRequest{Index: l.generation, DocumentID: id})
	if errors.Is(err, index.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	record, err := document.Record(response)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", client.ErrResponse, err)
	}
	return record, nil
}

// multiGet requests several filings. If one of them fails, a request of its own has the reason.
func (l *lookups) multiGet(ctx context.Context, all []*lookup) error {
	ids := make([]string, len(all))
	for i, one := range all {
		ids[i] = one.id
	}
	body, err := json.Marshal(search.Object{"ids": ids})
	if err != nil {
		return err
	}
	var found struct {
		Docs []struct {
			ID     string         `json:"_id"`
			Source jsontext.Value `json:"_source"`
			Error  jsontext.Value
			Found  bool
		}
	}
	err = l.read(ctx, &found, esapi.MgetRequest{Index: l.generation, Body: bytes.NewReader(body)})
	if err != nil || len(found.Docs) != len(all) {
		return cmp.Or(err, client.ErrResponse)
	}
	for i, one := range all {
		switch doc := found.Docs[i]; {
		case doc.ID != one.id, doc.Found != (doc.Source != nil):
			one.err = client.ErrResponse
		case doc.Error != nil:
			one.record, one.err = l.get(ctx, one.id)
		case doc.Found:
			one.record, one.err = document.Canonical(doc.Source)
		}
	}
	return nil
}
