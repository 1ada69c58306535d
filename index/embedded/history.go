package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"filings/index"
	"filings/index/embedded/columns"
)

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

// Filings implements sidecar.Changesets: also of generations that only changesets need.
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

// Chunks implements sidecar.Changesets. A changeset that is damaged is none: clients who need it have to export anew.
func (s *storage) Chunks(ctx context.Context, name, section string, chunks []int) ([][]byte, error) {
	f, err := openFile(s.files.changes(name))
	var all [][]byte
	if err == nil {
		all, err = f.chunks(ctx, section, chunks)
		err = errors.Join(err, f.Close())
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, columns.ErrDamaged) {
		return nil, fmt.Errorf("the changeset of %s: %w: %v", name, index.ErrGone, err)
	}
	if err != nil {
		err = outage(err)
	}
	return all, err
}
