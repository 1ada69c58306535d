package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"filings/index"
	"filings/index/generation"
)

// newName names a generation that is begun now. It is newer than all that there are, than those that steps are kept of, and
// than the live one, whose file may be lost, whatever the clock says.
func (s *Store) newName() (string, error) {
	all, err := s.files.list()
	if err != nil {
		return "", err
	}
	live, err := s.files.live()
	if err != nil {
		return "", err
	}
	steps, _, err := s.files.promotedSteps()
	if err != nil {
		return "", err
	}
	newest, _ := generation.ParseName(s.files.index, slices.Max(append(steps, live)))
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
			if g.Filings, err = s.countFilings(g.Name); errors.Is(err, fs.ErrNotExist) {
				continue // deleted meanwhile
			} else if err != nil {
				g.Damaged = explained(err) // and no reason not to list the others: one of them may replace it
			}
		}
		all = append(all, g)
	}
	return all, nil
}

// countFilings returns how many filings a sealed generation has.
func (s *Store) countFilings(name string) (int64, error) {
	of, err := s.summaryOf(name)
	return of.Stats.Filings, err
}

// summaryOf returns the summary of a sealed generation.
func (s *Store) summaryOf(name string) (summary, error) {
	db, of, err := openSealed(name, s.files.sealed(name), 1)
	if err != nil {
		return of, err
	}
	return of, db.Close()
}

// Kept implements index.Engine. It leaves out what cannot be read: damaged files, and those of another version. A sealed
// file is opened for it once, since it never changes.
func (s *Store) Kept(ctx context.Context) ([]index.Generation, error) {
	live, err := s.files.live()
	listed, err2 := s.files.list()
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("list generations: %w: %w", index.ErrUnavailable, err)
	}
	s.mu.Lock()
	known := s.kept
	s.mu.Unlock()
	kept, all := map[string]int64{}, []index.Generation(nil)
	for _, g := range listed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !g.Sealed {
			continue
		}
		filings, ok := known[g.Name]
		if !ok {
			of, err := s.summaryOf(g.Name)
			if err != nil || !of.current() {
				continue
			}
			filings = of.Stats.Filings
		}
		kept[g.Name] = filings
		all = append(all, index.Generation{Name: g.Name, CreatedAt: g.CreatedAt, Filings: filings, Live: g.Name == live})
	}
	s.mu.Lock()
	s.kept = kept
	s.mu.Unlock()
	return all, nil
}
