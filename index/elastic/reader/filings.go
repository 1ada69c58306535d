package reader

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
	"filings/index/batch"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/search"
)

// Filings returns the records with these ids. One alone is requested by its id, which is the
// fastest, with others alone that are requested at the same time.
func (r *Reader) Filings(ctx context.Context, ids []int64) (_ []index.Record, err error) {
	if len(ids) == 1 {
		record, err := r.lookups.filing(ctx, strconv.FormatInt(ids[0], 10))
		return []index.Record{record}, err
	}
	defer r.wrap(&err, "reading filings by id")
	records, found := make([]index.Record, len(ids)), make(map[int64]index.Version, len(ids))
	for part := range slices.Chunk(ids, idsAtOnce) {
		if err := r.find(ctx, part, found); err != nil {
			return nil, err
		}
	}
	for i, id := range ids {
		records[i] = found[id].Record
	}
	return records, nil
}

// idsAtOnce is how many ids one request has: with all their fields, a response of about 1.5 MB.
const idsAtOnce = 1000

// Versions returns filings with their hidden values, in the order of ids, the zero Version where
// there is none. It is complete or an error, and a request that failed for a moment is sent again.
func (r *Reader) Versions(ctx context.Context, ids []int64) (_ []index.Version, err error) {
	defer r.wrap(&err, "reading filings by id")
	found := make(map[int64]index.Version, len(ids))
	for part := range slices.Chunk(ids, idsAtOnce) {
		err := r.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
			return r.find(ctx, part, found)
		})
		if err != nil {
			return nil, err
		}
	}
	versions := make([]index.Version, len(ids))
	for i, id := range ids {
		versions[i] = found[id]
	}
	return versions, nil
}

// storedRows and storedBytes are how much Stored reads at a time.
const storedRows, storedBytes = 1000, 4 << 20

// Stored returns filings in the order in which they are stored, with all that is stored of them,
// and the position after them: from a position on, "" being the beginning. It is complete or an
// error, and a request that failed for a moment is sent again.
func (r *Reader) Stored(ctx context.Context, start string) (page []index.Stored, end string, err error) {
	defer r.wrap(&err, "reading filings")
	q := index.Query{Sort: index.DefaultSort, Limit: storedRows, Start: start, Bytes: storedBytes}
	plan := search.PageOf(q, nil)
	plan.Columns = []string{document.WrittenCity, document.Derived(index.ZIP), document.Derived(index.CreatedAt)}
	var found rows
	err = r.c.Retry(ctx, client.RequestTime, func(ctx context.Context) (err error) {
		found, err = r.found(ctx, q, plan)
		return err
	})
	if err != nil || len(found.records) == 0 {
		return nil, "", err
	}
	return found.stored, search.End(found.first, found.last), nil
}

// find searches for filings by their ids: as fast as a multi get, which reads no columns (256 of
// 20,000: 18 and 20 ms). How many there are in all says whether the response has them all.
func (r *Reader) find(ctx context.Context, ids []int64, versions map[int64]index.Version) error {
	var found struct {
		Hits struct {
			hits
			Hits []storedHit
		}
	}
	err := r.search(ctx, &found, search.ByIDs(ids, document.WrittenCity, document.Derived(index.ZIP)))
	if err != nil {
		return err
	}
	if total := found.Hits.Total; total == nil || int(total.Value) != len(found.Hits.Hits) {
		return client.ErrResponse
	}
	for _, hit := range found.Hits.Hits {
		v, err := hit.stored()
		if err != nil {
			return err
		}
		id, err := strconv.ParseInt(strings.Trim(string(hit.Sort), "[]"), 10, 64)
		if err != nil || !slices.Contains(ids, id) {
			return client.ErrResponse
		}
		versions[id] = v.Version
	}
	return nil
}

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
// connections, together, 1.1 to 1.5 times as many are read in a second (`filings serve` with and
// without it, medians of seven interleaved runs on a busy machine).
const lookupsAlone = 2

func newLookups(generation string, read func(context.Context, any, esapi.Request) error) *lookups {
	l := &lookups{generation: generation, read: read}
	l.group = batch.New(lookupsAlone, client.RequestTime, l.send)
	return l
}

// filing returns one filing; nil if there is none.
func (l *lookups) filing(ctx context.Context, id string) (_ index.Record, err error) {
	defer index.Wrap(&err, "reading filing "+id+" of "+l.generation)
	request := &lookup{id: id}
	if err := l.group.Do(ctx, request); err != nil && ctx.Err() != nil {
		return nil, client.Ended(ctx)
	} else if err != nil {
		return nil, err
	}
	return request.record, request.err
}

// send sends lookups as one request.
func (l *lookups) send(ctx context.Context, requests []*lookup) {
	if len(requests) == 1 {
		requests[0].record, requests[0].err = l.get(ctx, requests[0].id)
		return
	}
	if err := l.multiGet(ctx, requests); err != nil {
		for _, request := range requests {
			request.err = err
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
func (l *lookups) multiGet(ctx context.Context, requests []*lookup) error {
	ids := make([]string, len(requests))
	for i, request := range requests {
		ids[i] = request.id
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
	if err != nil || len(found.Docs) != len(requests) {
		return cmp.Or(err, client.ErrResponse)
	}
	for i, request := range requests {
		switch doc := found.Docs[i]; {
		case doc.ID != request.id, doc.Found != (doc.Source != nil):
			request.err = client.ErrResponse
		case doc.Error != nil:
			request.record, request.err = l.get(ctx, request.id)
		case doc.Found:
			if request.record, request.err = document.Canonical(doc.Source); request.err != nil {
				request.err = fmt.Errorf("%w: %w", client.ErrResponse, request.err)
			}
		}
	}
	return nil
}
