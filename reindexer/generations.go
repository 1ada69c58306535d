package reindexer

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// liveReader reads the generation that is live right now; Store.Live may be a second behind.
func (r *running) liveReader(ctx context.Context) (index.Reader, error) {
	generations, err := r.cfg.Store.Generations(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the generations: %w", err)
	}
	return r.open(ctx, liveOf(generations))
}

func (r *running) open(ctx context.Context, generation string) (index.Reader, error) {
	if generation == "" {
		return index.Empty{}, nil
	}
	reader, err := r.cfg.Store.Open(ctx, generation)
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
func (r *running) prepare(ctx context.Context, lock generation.Lock) (index.Reader, error) {
	generations, err := r.cfg.Store.Generations(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the generations: %w", err)
	}
	for _, g := range generations {
		if g.Sealed || g.Live {
			continue
		}
		r.cfg.Log.Info("deleting what an unfinished load left behind", "generation", g.Name)
		if err := lock.Delete(ctx, g.Name); err != nil && !errors.Is(err, index.ErrNotFound) {
			return nil, fmt.Errorf("deleting the unfinished generation %s: %w", g.Name, err)
		}
	}
	return r.open(ctx, liveOf(generations))
}

// prune deletes old generations but the newest cfg.Keep. previous, which was live until now, always stays and counts as
// one of them. A failure is not the load's: the next one prunes too.
func (r *running) prune(ctx context.Context, lock generation.Lock, previous string) {
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
		if err := lock.Delete(ctx, g.Name); err != nil {
			r.cfg.Log.Warn("an old generation could not be deleted", "generation", g.Name, "error", err)
			continue
		}
		r.cfg.Log.Info("an old generation was deleted", "generation", g.Name)
	}
}
