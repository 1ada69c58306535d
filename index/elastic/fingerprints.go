package elastic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/generation"
	"filings/index/history"
	"filings/index/owners"
)

// fingerprintsDocument is a document of that index.
type fingerprintsDocument struct {
	Fingerprints []byte `json:"stamps"` // a chunk of package history
}

// writeFingerprints writes the fingerprints of what was put, over those of the generation that was copied; none, if that has
// none. What it writes of owners and words is worked out of their facts.
func (b *build) writeFingerprints(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, b.collected.Close()) }()
	before := iter.Seq2[index.Fingerprint, error](func(func(index.Fingerprint, error) bool) {})
	var note func(before, after index.Fingerprint)
	if b.from != "" {
		before, note = b.storage.fingerprints(ctx, b.from), b.noted.Note
	}
	created, collector := false, owners.NewCollector()
	w := history.NewFingerprintWriter(func(chunk int, data []byte) error {
		if !created {
			if err := b.createSidecar(ctx, fingerprintsIndex(b.name), map[string]any{"enabled": false}, nil); err != nil {
				return err
			}
			created = true
		}
		return b.storage.putSidecar(ctx, fingerprintsIndex(b.name), chunk, fingerprintsDocument{data})
	})
	for s, err := range b.collected.Over(ctx, before, note) {
		if errors.Is(err, index.ErrNotFound) && !created {
			b.unfingerprinted = true
			return nil
		}
		var facts owners.Facts
		if err == nil {
			facts, err = owners.ReadFacts([]byte(s.Facts))
		}
		if err == nil {
			collector.Add(&facts)
			err = w.Add(s)
		}
		if err != nil {
			return fmt.Errorf("writing fingerprints: %w", err)
		}
	}
	if err := w.Finish(); err != nil {
		return err
	}
	return b.writeOwners(ctx, collector)
}

// fingerprints yields the fingerprints of a generation.
func (s *storage) fingerprints(ctx context.Context, generation string) iter.Seq2[index.Fingerprint, error] {
	return history.DecodeFingerprints(func(chunk int) (_ []byte, err error) {
		defer index.Wrap(&err, "reading the fingerprints of "+generation)
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
