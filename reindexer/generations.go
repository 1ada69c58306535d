package reindexer

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// generations lists the generations as they are right now; Store.Live may be a second behind.
func (r *running) generations(ctx context.Context) ([]generation.Info, error) {
	all, err := r.cfg.Store.Generations(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the generations: %w", err)
	}
	return all, nil
}

// open opens the live one of all generations.
func (r *running) open(ctx context.Context, all []generation.Info) (index.Reader, error) {
	name := liveOf(all)
	if name == "" {
		return index.Empty{}, nil
	}
	reader, err := r.cfg.Store.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("opening the live generation: %w", err)
	}
	return reader, nil
}

func liveOf(generations []generation.Info) string {
	for _, g := range generations {
		if g.Live {
			return g.Name
		}
	}
	return ""
}

// prepare deletes what dead runs left behind and opens the live generation.
func (r *running) prepare(ctx context.Context) (index.Reader, error) {
	all, err := r.generations(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range all {
		if g.Sealed || g.Live {
			continue
		}
		r.cfg.Log.Info("deleting what an unfinished load left behind", "generation", g.Name)
		if err := r.lock.Delete(ctx, g.Name); err != nil && !errors.Is(err, index.ErrNotFound) {
			return nil, fmt.Errorf("deleting the unfinished generation %s: %w", g.Name, err)
		}
	}
	return r.open(ctx, all)
}

// prune deletes old generations but the newest cfg.Keep. previous, which was live until now, always stays and counts as
// one of them. A failure is not the load's: the next one prunes too.
func (r *running) prune(ctx context.Context, previous string) {
	generations, err := r.cfg.Store.Generations(ctx)
	if err != nil {
		r.cfg.Log.Warn("old generations could not be listed", "error", err)
		return
	}
	kept := 0
	if previous != "" {
		kept = 1
	}
	for _, g := range generations {
		if g.Live || !g.Sealed || g.Name == previous {
			continue
		}
		if kept++; kept <= r.cfg.Keep {
			continue
		}
		if err := r.lock.Delete(ctx, g.Name); err != nil {
			r.cfg.Log.Warn("an old generation could not be deleted", "generation", g.Name, "error", err)
			continue
		}
		r.cfg.Log.Info("an old generation was deleted", "generation", g.Name)
	}
}
