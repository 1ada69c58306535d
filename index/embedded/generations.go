package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"filings/index/generation"
)

// newName names a generation that is begun now. It is newer than all that there are, and than the live one, whose file may
// be lost, whatever the clock says.
func (s *Store) newName() (string, error) {
	all, err := s.files.list()
	if err != nil {
		return "", err
	}
	live, err := s.files.live()
	if err != nil {
		return "", err
	}
	newest, _ := generation.ParseName(s.files.index, live)
	if len(all) > 0 && all[0].CreatedAt.After(newest) {
		newest = all[0].CreatedAt
	}
	now := s.now().Truncate(time.Microsecond)
	if !now.After(newest) {
		now = newest.Add(time.Microsecond)
	}
	return generation.Name(s.files.index, now, version), nil
}

// Generations implements generation.Store.
func (s *Store) Generations(ctx context.Context) ([]generation.Info, error) {
	live, err := s.files.live()
	listed, err2 := s.files.list()
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("list generations: %w", err)
	}
	var all []generation.Info
	for _, g := range listed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.Live = g.Name == live
		if g.Sealed {
			if g.Filings, err = countFilings(s.files.sealed(g.Name)); errors.Is(err, fs.ErrNotExist) {
				continue // deleted meanwhile
			} else if err != nil {
				g.Damaged = explained(err) // and no reason not to list the others: one of them may replace it
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
