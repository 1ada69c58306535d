package elastic

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"filings/index"
	"filings/index/elastic/document"
	"filings/index/sidecar"
)

// writeFingerprints writes the fingerprints of what was put, over those of the generation that was copied, and what of owners and
// words is worked out of their facts.
func (b *build) writeFingerprints(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, b.collected.Close()) }()
	if b.sidecar, err = b.storage.createSidecar(ctx, document.SidecarIndex(b.name)); err != nil {
		return err
	}
	before := iter.Seq2[index.Fingerprint, error](func(func(index.Fingerprint, error) bool) {})
	var note func(before, after index.Fingerprint)
	if b.from != "" {
		before, note = b.storage.fingerprints(ctx, b.from), b.noted.Note
	}
	owners, prints := sidecar.NewOwners(), sidecar.NewFingerprintWriter(b.sidecar.put(ctx))
	for s, err := range b.collected.Over(ctx, before, note) {
		var facts sidecar.Facts
		if err == nil {
			facts, err = sidecar.ReadFacts([]byte(s.Facts))
		}
		if err == nil {
			owners.Add(&facts)
			err = prints.Add(s)
		}
		if err != nil {
			return fmt.Errorf("writing fingerprints: %w", err)
		}
	}
	if err := prints.Finish(); err != nil {
		return err
	}
	b.owners = owners.Owners()
	if err := owners.Write(b.sidecar.put(ctx)); err != nil {
		return err
	}
	return b.sidecar.flush(ctx)
}

// fingerprints yields the fingerprints of a generation.
func (s *storage) fingerprints(ctx context.Context, generation string) iter.Seq2[index.Fingerprint, error] {
	return sidecar.Fingerprints(ctx, s.chunks(document.SidecarIndex(generation)))
}

// Fingerprints implements generation.Writer.
func (b *build) Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return b.storage.fingerprints(ctx, b.name)
}

// Differences implements generation.Writer. writeFingerprints, which reads the fingerprints of what was copied, has noted them.
func (b *build) Differences(context.Context) (*sidecar.Differences, error) { return &b.noted, nil }
