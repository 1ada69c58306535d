package elastic

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
)

const (
	// batchBytes is when a batch is sent. Larger ones gain nothing, and hold memory here and there.
	batchBytes = 5 << 20
	// writers are the requests in progress at once. One batch more is being filled: that is all the memory there is.
	writers = 3
)

// bulk writes filings into one index. Its methods are called by one goroutine; batches are sent by others.
type bulk struct {
	store   *Store
	alias   string // of the index
	version int64  // of the last action
	filling *batch // nil: none yet
	free    chan *batch
	full    chan *batch

	ctx     context.Context // of the writers, ended by the first failure, which is its cause
	fail    context.CancelCauseFunc
	writing sync.WaitGroup
	closed  bool
}

// newBulk returns a writer whose first action has the version after `version`. It ends with finish or abandon, not with
// ctx.
func (s *Store) newBulk(ctx context.Context, alias string, version int64) *bulk {
	b := &bulk{
		store: s, alias: alias, version: version,
		free: make(chan *batch, writers+1), full: make(chan *batch, writers+1),
	}
	b.ctx, b.fail = context.WithCancelCause(context.WithoutCancel(ctx))
	for range writers + 1 {
		b.free <- &batch{}
	}
	for range writers {
		b.writing.Go(b.write)
	}
	return b
}

func (b *bulk) put(ctx context.Context, f *index.Filing) error {
	return b.add(ctx, func(to *batch) { to.put(f, b.version) })
}

func (b *bulk) remove(ctx context.Context, id int64) error {
	return b.add(ctx, func(to *batch) { to.remove(id, b.version) })
}

// add adds an action to the batch that is being filled. It waits while all batches are in progress.
func (b *bulk) add(ctx context.Context, write func(*batch)) error {
	switch {
	case b.ctx.Err() != nil:
		return context.Cause(b.ctx)
	case b.closed:
		return errFinished
	case b.filling == nil:
		select {
		case b.filling = <-b.free:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-b.ctx.Done():
			return context.Cause(b.ctx)
		}
	}
	b.version++
	write(b.filling)
	if len(b.filling.body) >= b.store.batchBytes {
		b.full <- b.filling
		b.filling = nil
	}
	return nil
}

// finish sends what is left and waits until everything was accepted. It returns the first failure.
func (b *bulk) finish(ctx context.Context) error {
	if b.closed {
		return errFinished
	}
	stop := context.AfterFunc(ctx, func() { b.fail(context.Cause(ctx)) })
	defer stop()
	if b.filling != nil {
		b.full <- b.filling
		b.filling = nil
	}
	b.close()
	return context.Cause(b.ctx)
}

// abandon ends all writing.
func (b *bulk) abandon() {
	b.fail(errAborted)
	if !b.closed {
		b.close()
	}
}

var (
	errAborted  = errors.New("the load was aborted")
	errFinished = errors.New("all was written already")
)

func (b *bulk) close() {
	b.closed = true
	close(b.full)
	b.writing.Wait()
}

// write sends full batches, until there are no more or one fails.
func (b *bulk) write() {
	for batch := range b.full {
		if b.ctx.Err() == nil {
			if err := b.send(batch); err != nil {
				b.fail(err)
			}
		}
		batch.reset()
		b.free <- batch
	}
}

// send repeats a batch, less what was accepted, until all of it is.
func (b *bulk) send(batch *batch) error {
	requireAlias := true
	return b.store.c.Retry(b.ctx, client.BulkTime, func(ctx context.Context) error {
		response, err := b.store.c.Do(ctx, esapi.BulkRequest{
			Index: b.alias, Body: bytes.NewReader(batch.body), RequireAlias: &requireAlias, FilterPath: []string{responseFilter},
		})
		if err != nil {
			batch.lent = true
			return err
		}
		return batch.read(response)
	})
}
