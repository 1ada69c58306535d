package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"filings/index/generation"
)

// newName names a generation that is begun now. It is newer than all that there are, whatever the clock says.
func (s *Store) newName() (string, error) {
	all, err := s.files.list()
	if err != nil {
		return "", err
	}
	now := s.now().Truncate(time.Microsecond)
	if len(all) > 0 && !now.After(all[0].CreatedAt) {
		now = all[0].CreatedAt.Add(time.Microsecond)
	}
	return generation.Name(s.files.index, now, version), nil
}

// Generations implements generation.Store.
func (s *Store) Generations(ctx context.Context) ([]generation.Info, error) {
	live, err1 := s.files.live()
	listed, err2 := s.files.list()
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("list generations: %w", err)
	}
	var all []generation.Info
	for _, g := range listed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.Live = g.Name == live
		if g.Sealed {
			var err error
			if g.Filings, err = countFilings(s.files.sealed(g.Name)); errors.Is(err, fs.ErrNotExist) {
				continue // deleted meanwhile
			} else if err != nil {
				return nil, fmt.Errorf("generation %s: %w", g.Name, explained(err))
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// countFilings returns how many filings the sealed file at path has.
func countFilings(path string) (int64, error) {
	db, s, err := openSealed(path, 1)
	if err != nil {
		return 0, err
	}
	return s.Stats.Filings, db.Close()
}
