package reindexer

import (
	"context"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/generation"
)

const (
	// batchSize is how many records go from reading to filling at once: enough that handing over costs nothing, and
	// few enough that a batch (of some 1 KiB a filing) stays in the processor's cache.
	batchSize = 256
	// batches are filled, read and waiting at the same time.
	batches = 4
)

// change is one record on its way into a generation.
type change struct {
	filing  index.Filing
	deleted bool
}

// place is where the filing goes.
func (c *change) place() *index.Filing { return &c.filing }

// batch is a run of changes; only the first n count.
type batch struct {
	changes [batchSize]change
	n       int
}

// filler applies changes to a generation.
type filler interface {
	// apply applies the changes in order. If build is nil it only counts them.
	apply(ctx context.Context, changes []change, build generation.Build) error
	// finish is called after the last apply.
	finish(ctx context.Context) error
}

// pump reads all records beside filling them in. Once there are more rejects than allowed, reading goes on to find all
// of them, but nothing is put into build any more.
func (r *running) pump(ctx context.Context, fill filler, build generation.Build) error {
	free, full := make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		free <- new(batch)
	}
	group, either := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(full)
		return r.readBatches(either, free, full)
	})
	group.Go(func() error {
		for b := range full {
			if either.Err() != nil {
				return either.Err()
			}
			if r.tooMany() {
				build = nil
			}
			// The engine gets ctx, not either, which ends with the group: it may go on sending what it was given.
			if err := fill.apply(ctx, b.changes[:b.n], build); err != nil {
				return err
			}
			b.n = 0
			free <- b
		}
		return nil
	})
	return group.Wait()
}

// readBatches reads records into free batches and passes them on.
func (r *running) readBatches(ctx context.Context, free <-chan *batch, full chan<- *batch) error {
	b := <-free
	take := func(deleted bool) error {
		b.changes[b.n].deleted = deleted
		if b.n++; b.n < batchSize {
			return nil
		}
		full <- b // has room for every batch there is
		select {
		case b = <-free:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := r.reading.each(ctx, func() *index.Filing { return b.changes[b.n].place() }, take); err != nil {
		return err
	}
	full <- b
	return nil
}

// full fills a new generation: whatever is read is new.
type full struct {
	state  *state
	expect *expectation
}

func (w *full) apply(ctx context.Context, changes []change, build generation.Build) error {
	for i := range changes {
		f := &changes[i].filing
		w.expect.add(f)
		w.state.indexed.Add(1)
		if build == nil {
			continue
		}
		if err := build.Put(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (w *full) finish(context.Context) error { return nil }
