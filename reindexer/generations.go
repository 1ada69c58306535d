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

// open opens the live generation, name, and counts it for the shrink guard. A full load that may shrink by 100 percent needs
// neither: it repairs a live generation that cannot be read.
func (r *running) open(ctx context.Context, name string) (index.Reader, error) {
	switch {
	case name == "" && r.cfg.Update:
		return r.cfg.Store.Live(ctx) // index.ErrLost, unless there was no load yet: changes alone are not all filings
	case name == "":
		return index.Empty{}, nil
	}
	replaces := !r.cfg.Update && r.cfg.MaxShrink == 100
	reader, err := r.cfg.Store.Open(ctx, name)
	if err == nil && !replaces {
		r.before, err = reader.Count(ctx, index.Filter{})
	}
	switch {
	case err == nil:
		return reader, nil
	case !errors.Is(err, index.ErrUnavailable) || ctx.Err() != nil:
		return nil, fmt.Errorf("opening the live generation: %w", err)
	case replaces:
		return index.Empty{}, nil
	case r.cfg.Update:
		return nil, fmt.Errorf("the live generation %s cannot be read, and an update changes a copy of it: make another one live "+
			"with `filings rollback`, or load all filings with --max-shrink 100: %w", name, err)
	}
	return nil, fmt.Errorf("the live generation %s cannot be counted, so --max-shrink %v cannot be checked: make another one live "+
		"with `filings rollback`, or load with --max-shrink 100, which does not count it: %w", name, r.cfg.MaxShrink, err)
}

func liveOf(generations []generation.Info) string {
	for _, g := range generations {
		if g.Live {
			return g.Name
		}
	}
	return ""
}

// prepare deletes what dead runs left behind and returns the name of the live generation.
func (r *running) prepare(ctx context.Context) (string, error) {
	all, err := r.generations(ctx)
	if err != nil {
		return "", err
	}
	for _, g := range all {
		if g.Sealed || g.Live {
			continue
		}
		r.cfg.Log.Info("deleting what an unfinished load left behind", "generation", g.Name)
		if err := r.lock.Delete(ctx, g.Name); err != nil && !errors.Is(err, index.ErrNotFound) {
			return "", fmt.Errorf("deleting the unfinished generation %s: %w", g.Name, err)
		}
	}
	return liveOf(all), nil
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
