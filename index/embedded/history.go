package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/history"
)

// chunkFingerprints is the name of the chunks that hold the fingerprints of a generation's filings.
const chunkFingerprints = "fingerprints"

// fingerprint returns that of a filing with these stored values and this record.
func fingerprint(facts []byte, record index.Record) (index.Fingerprint, error) {
	id, created, city, err := columns.Hidden(facts)
	return index.FingerprintOf(id, index.Version{Record: record, City: string(city)}, created), err
}

// fingerprints yields the fingerprints in the file of r.
func (r *reader) fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return history.DecodeFingerprints(func(chunk int) ([]byte, error) { return r.chunk(ctx, chunkFingerprints, chunk) })
}

// versions returns filings by their ids, as Filings does, with what they can be filtered by.
func (r *reader) versions(ctx context.Context, ids []int64) ([]index.Version, error) {
	versions := make([]index.Version, len(ids))
	err := r.each(ctx, r.rows, list(ids), func(position int, stored *row) error {
		_, _, city, err := columns.Hidden(stored.facts)
		if err == nil {
			versions[position].City = string(city)
			versions[position].Record, err = stored.appendRecord(nil)
		}
		return err
	})
	return versions, err
}

// Filings implements history.Source: also of generations that only changesets need.
func (s *storage) Filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	r, err := s.reader(ctx, name)
	if errors.Is(err, index.ErrNotFound) {
		err = fmt.Errorf("%s: %w", name, index.ErrGone)
	}
	if err != nil {
		return nil, err
	}
	return r.versions(ctx, ids)
}

// Chunks implements history.Source. A changeset that is damaged is none: clients who need it have to export anew.
func (s *storage) Chunks(_ context.Context, name string, after int64, parts index.Parts, n int) ([][]byte, error) {
	chunks, err := readChangeset(s.files.changes(name), after, parts, n)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, history.ErrDamaged) {
		return nil, fmt.Errorf("the changeset of %s: %w: %w", name, index.ErrGone, err)
	}
	if err != nil {
		err = outage(err)
	}
	return chunks, err
}
