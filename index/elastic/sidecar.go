package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/generation"
	"filings/index/history"
)

// A sidecar of a generation is a hidden index NAME-KIND, written while the generation is sealed. What becomes of it decides the
// catalog: whoever adds a kind adds its name here.
const fingerprintsPart, countiesPart = "stamps", "counties"

var sidecars = []string{fingerprintsPart, countiesPart, generation.ChangesPart}

// createBeside makes a hidden index beside the generation, unless it is there. It is small: one shard.
func (b *build) createBeside(ctx context.Context, name string, mappings map[string]any, settings map[string]any) error {
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

// putBeside writes a document of such an index.
func (b *build) putBeside(ctx context.Context, name string, id int, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return b.storage.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.IndexRequest{Index: name, DocumentID: strconv.Itoa(id), Body: bytes.NewReader(body)}
	})
}

// fingerprintsIndex names the index with the fingerprints of a generation's filings, in documents with the ids 0, 1, …
func fingerprintsIndex(name string) string {
	return indexOf(generation.Part{Generation: name, Kind: fingerprintsPart})
}

// fingerprintsDocument is a document of that index.
type fingerprintsDocument struct {
	Fingerprints []byte `json:"stamps"` // a chunk of package history
}

// writeFingerprints writes the fingerprints of what was put, over those of the generation that was copied; none, if that has
// none.
func (b *build) writeFingerprints(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, b.collected.Close()) }()
	before := iter.Seq2[index.Fingerprint, error](func(func(index.Fingerprint, error) bool) {})
	var note func(before, after index.Fingerprint)
	if b.from != "" {
		before, note = b.storage.fingerprints(ctx, b.from), b.noted.Note
	}
	created := false
	w := history.NewFingerprintWriter(func(chunk int, data []byte) error {
		if !created {
			if err := b.createBeside(ctx, fingerprintsIndex(b.name), map[string]any{"enabled": false}, nil); err != nil {
				return err
			}
			created = true
		}
		return b.putBeside(ctx, fingerprintsIndex(b.name), chunk, fingerprintsDocument{data})
	})
	for s, err := range b.collected.Over(ctx, before, note) {
		if errors.Is(err, index.ErrNotFound) && !created {
			b.unfingerprinted = true
			return nil
		}
		if err == nil {
			err = w.Add(s)
		}
		if err != nil {
			return fmt.Errorf("writing fingerprints: %w", err)
		}
	}
	return w.Finish()
}

// fingerprints yields the fingerprints of a generation.
func (s *storage) fingerprints(ctx context.Context, generation string) iter.Seq2[index.Fingerprint, error] {
	return history.DecodeFingerprints(func(chunk int) (_ []byte, err error) {
		defer wrap(&err, "reading the fingerprints of "+generation)
		var d fingerprintsDocument
		err = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
			return s.c.ReadInto(ctx, &d, esapi.GetSourceRequest{Index: fingerprintsIndex(generation), DocumentID: strconv.Itoa(chunk)})
		})
		if errors.Is(err, index.ErrGone) || chunk == 0 && errors.Is(err, index.ErrNotFound) {
			err = index.ErrNotFound
		} else if errors.Is(err, index.ErrNotFound) {
			err = client.ErrResponse // some of them are there
		}
		return d.Fingerprints, err
	})
}

// Fingerprints implements generation.Writer.
func (b *build) Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return b.storage.fingerprints(ctx, b.name)
}

// Differences implements generation.Writer. writeFingerprints, which reads the fingerprints of what was copied, has noted them.
func (b *build) Differences(context.Context) (*generation.Differences, error) {
	if b.unfingerprinted {
		return nil, index.ErrNotFound
	}
	return &b.noted, nil
}

const (
	// fewCounties are counted when they are needed, by one search of a fraction of a second. There are some 3,000, so that
	// few generations have an index of counties.
	fewCounties = 5_000
	// countiesADocument keeps a document below a megabyte.
	countiesADocument = 10_000
)

// keepCounties writes what is known of the generation's counties beside it, if they are many, and returns of how many
// documents that is. The generation must not be searched for it: 300,000 counties would take longer than a request has.
func (b *build) keepCounties(ctx context.Context, counties []index.CountyStats) (documents int, err error) {
	if len(counties) <= b.storage.fewCounties {
		return 0, nil
	}
	if err := b.createBeside(ctx, document.CountiesIndex(b.name), map[string]any{"enabled": false}, nil); err != nil {
		return 0, err
	}
	for part := range slices.Chunk(counties, b.storage.countiesADocument) {
		body, err := document.OfCounties(part)
		if err == nil {
			err = b.putBeside(ctx, document.CountiesIndex(b.name), documents, json.RawMessage(body))
		}
		if err != nil {
			return 0, err
		}
		documents++
	}
	return documents, nil
}
