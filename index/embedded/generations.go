package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"filings/index/generation"
)

// newName names a generation that is begun now. It is newer than all that there are, whatever the clock says.
func (s *Store) newName() (string, error) {
	all, _, err := s.files.names()
	if err != nil {
		return "", err
	}
	now := s.now().Truncate(time.Microsecond)
	if len(all) > 0 {
		if newest, _ := generation.ParseName(s.files.index, all[0]); !now.After(newest) {
			now = newest.Add(time.Microsecond)
		}
	}
	return generation.Name(s.files.index, now, version), nil
}

// Generations implements generation.Store.
func (s *Store) Generations(ctx context.Context) ([]generation.Info, error) {
	names, sealed, err := s.files.names()
	if err != nil {
		return nil, fmt.Errorf("list generations: %w", err)
	}
	live, err := s.files.live()
	if err != nil {
		return nil, fmt.Errorf("list generations: %w", err)
	}
	var all []generation.Info
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := s.files.describe(name, sealed[name])
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted or sealed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("generation %s: %w", name, err)
		}
		g.Live = name == live
		all = append(all, g)
	}
	return all, nil
}

// describe returns what the file of a generation says of it.
func (f files) describe(name string, sealed bool) (generation.Info, error) {
	path := f.building(name)
	if sealed {
		path = f.sealed(name)
	}
	info, err := os.Stat(path)
	if err != nil {
		return generation.Info{}, err
	}
	created, _ := generation.ParseName(f.index, name)
	g := generation.Info{Name: name, CreatedAt: created, Bytes: info.Size(), Sealed: sealed}
	if !sealed {
		return g, nil
	}
	db, err := openSealed(path, 1)
	if err != nil {
		return generation.Info{}, err
	}
	defer db.Close()
	s, err := readSummary(db)
	g.Filings = s.Stats.Filings
	return g, err
}
