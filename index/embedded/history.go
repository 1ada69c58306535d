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

// fingerprints yields the fingerprints in the file of r.
func (r *reader) fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return history.DecodeFingerprints(func(chunk int) ([]byte, error) { return r.chunk(ctx, chunkFingerprints, chunk, 0, -1) })
}

// versions returns filings by their ids, as Filings does, with what they can be filtered by.
func (r *reader) versions(ctx context.Context, ids []int64) ([]index.Version, error) {
	versions := make([]index.Version, len(ids))
	rows, positions, err := r.rowsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	records, err := r.records(ctx, rows, 0)
	for i, row := range rows {
		if err != nil {
			return nil, err
		}
		v := &versions[positions[i]]
		*v, err = r.Place(ctx, row)
		v.Record = records[i]
	}
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
func (s *storage) Chunks(ctx context.Context, name string, after int64, groups index.FieldGroups, n int) ([][]byte, error) {
	chunks, err := readChangeset(ctx, s.files.changes(name), after, groups, n)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, columns.ErrDamaged) {
		return nil, fmt.Errorf("the changeset of %s: %w: %v", name, index.ErrGone, err)
	}
	if err != nil {
		err = outage(err)
	}
	return chunks, err
}
