package reindexer

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/sieve"
)

const (
	// batchSize is how many records go from reading to filling at once: enough that handing over
	// costs nothing, and few enough that a batch (of some 1 KiB a filing) stays in the processor's
	// cache. An update looks so many up at once.
	batchSize = 256
	// batchesAhead is how many batches may be read before they are filled in.
	batchesAhead = 2
)

// load reads all sources into build, or only counts their filings if build is nil. Once there are
// more rejects than allowed, reading goes on to find all, but nothing more is put into build.
func (r *running) load(ctx context.Context, live index.Reader, build generation.Build) error {
	if err := r.rejects.start(); err != nil {
		return err
	}
	apply := r.putAll
	var changes *update
	if r.cfg.Update {
		var err error
		if changes, err = newUpdate(ctx, r, live); err != nil {
			return err
		}
		apply = changes.apply
		if err = changes.takeOut(ctx, build); err != nil {
			return err
		}
	}
	r.enter(PhaseLoading)
	err := r.pipeline(ctx, build, apply)
	if err == nil && changes != nil {
		err = changes.removeOthers(ctx, build)
		changes.noteMoves()
	}
	if closing := r.rejects.close(); err == nil {
		err = closing
	}
	if err == nil {
		err = r.reading.failedParts()
	}
	if err == nil && r.tooMany() {
		err = fmt.Errorf("%w: %d of %d", ErrRejected, r.rejected.Load(), r.reading.read.Load())
		if !r.cfg.Stored { // of an archive there are no such options
			err = fmt.Errorf("%w; at most %d are allowed (--max-rejects N allows more, --rejects FILE lists them all)",
				err, r.cfg.MaxRejects)
		}
	}
	if err == nil && r.cfg.Holds != nil {
		err = differ(r.cfg.Holds().Diff(r.withLeft()))
	}
	if err == nil && changes != nil {
		err = changes.sampleUntouched(ctx)
	}
	return err
}

// pipeline reads records beside applying them, which takes about as long.
func (r *running) pipeline(
	ctx context.Context, build generation.Build, apply func(context.Context, []change, generation.Build) error,
) error {
	batches, used := make(chan []change, batchesAhead), make(chan []change, batchesAhead)
	group, reading := errgroup.WithContext(ctx)
	send := func(batch []change) error {
		select {
		case batches <- batch:
			return nil
		case <-reading.Done():
			return reading.Err()
		}
	}
	group.Go(func() error {
		defer close(batches)
		batch := make([]change, 0, batchSize)
		err := r.reading.readSources(reading, func(f *index.Filing, deleted bool) error {
			batch = append(batch, change{filing: *f, deleted: deleted})
			f.Categories = nil // the batch's now; nothing else of f is reused
			if len(batch) < batchSize {
				return nil
			}
			full := batch
			select {
			case batch = <-used:
			default: // the first ones
				batch = make([]change, 0, batchSize)
			}
			return send(full)
		})
		if err == nil {
			err = send(batch)
		}
		return err
	})
	sifted := batches
	if r.sieve != nil { // which takes about as long as reading where it knows addresses
		sifted = make(chan []change, batchesAhead)
		group.Go(func() error {
			defer close(sifted)
			for batch := range batches {
				r.sift(batch)
				select {
				case sifted <- batch:
				case <-reading.Done():
					return reading.Err()
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for batch := range sifted {
			if err := apply(ctx, batch, build); err != nil {
				return err
			}
			select {
			case used <- batch[:0]:
			default: // enough wait to be used again
			}
		}
		return nil
	})
	return group.Wait()
}

// putAll applies the records of a full load: all are new.
func (r *running) putAll(ctx context.Context, batch []change, build generation.Build) error {
	for i := range batch {
		if batch[i].withheld == sieve.Whole {
			if err := r.leaveOut(ctx, &batch[i].filing); err != nil {
				return err
			}
			continue
		}
		r.indexed.Add(1)
		if err := r.setAdded(ctx, &batch[i].filing); err != nil {
			return err
		}
		h := index.ValuesOf(&batch[i].filing)
		if err := r.put(ctx, &batch[i].filing, h, build); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut counts a record that is withheld from a full load. If the live generation has its
// filing, guards do not miss that.
func (r *running) leaveOut(ctx context.Context, f *index.Filing) error {
	r.withheld.Add(1)
	h := index.ValuesOf(f)
	if created, err := r.addedBefore(ctx, f.ID); err != nil {
		return err
	} else if !created.IsZero() && !r.taken[f.ID] {
		r.exempt(h, sieve.Whole)
	}
	r.left.Count(h, 1)
	return nil
}
