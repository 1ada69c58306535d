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
	storage  *storage
	alias    string // of the index
	version  int64  // of the last action
	filling  batch
	finished bool

	ctx      context.Context // of the requests, ended by the first failure, which is its cause
	fail     context.CancelCauseFunc
	sending  sync.WaitGroup
	inFlight chan struct{} // holds one for each request in progress
}

// newBulk returns a writer whose first action has the version after `version`. It ends with finish
// or Stop, not with ctx.
func (s *storage) newBulk(ctx context.Context, alias string, version int64) *bulk {
	b := &bulk{storage: s, alias: alias, version: version, inFlight: make(chan struct{}, writers)}
	b.ctx, b.fail = context.WithCancelCause(context.WithoutCancel(ctx))
	return b
}

// Put implements generation.Writer.
func (b *bulk) Put(ctx context.Context, f *index.Filing) (fingerprint index.Fingerprint, err error) {
	err = b.add(ctx, func(to *batch) { fingerprint = to.put(f, b.version) })
	return fingerprint, err
}

// Remove implements generation.Writer.
func (b *bulk) Remove(ctx context.Context, id int64) error {
	return b.add(ctx, func(to *batch) { to.remove(id, b.version) })
}

// Stop implements generation.Writer.
func (b *bulk) Stop() {
	b.fail(errAborted)
	b.finished = true
	b.sending.Wait()
}

// add adds an action to the batch that is being filled. It waits while as many requests are in progress as may be.
func (b *bulk) add(ctx context.Context, write func(*batch)) error {
	switch {
	case b.ctx.Err() != nil:
		return context.Cause(b.ctx)
	case b.finished:
		return errFinished
	case b.filling.body == nil:
		const lastAction = 64 << 10 // hardly one is larger
		b.filling.body = make([]byte, 0, b.storage.batchBytes+lastAction)
	}
	b.version++
	write(&b.filling)
	if len(b.filling.body) < b.storage.batchBytes {
		return nil
	}
	return b.flush(ctx)
}

// flush sends the batch that is being filled. A batch's memory is never used again: a request that broke may still be
// reading its body, as net/http says.
func (b *bulk) flush(ctx context.Context) error {
	select {
	case b.inFlight <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.ctx.Done():
		return context.Cause(b.ctx)
	}
	full := b.filling
	b.filling = batch{}
	b.sending.Go(func() {
		if err := b.send(&full); err != nil {
			b.fail(err)
		}
		<-b.inFlight
	})
	return nil
}

// finish sends the rest and waits until everything was accepted. It returns the first failure.
func (b *bulk) finish(ctx context.Context) error {
	if b.finished {
		return errFinished
	}
	stop := context.AfterFunc(ctx, func() { b.fail(context.Cause(ctx)) })
	defer stop()
	if len(b.filling.ids) > 0 {
		_ = b.flush(ctx) // which fails only with one of the two contexts, and so below too
	}
	b.finished = true
	b.sending.Wait()
	return context.Cause(b.ctx)
}

var (
	errAborted  = errors.New("the load was aborted")
	errFinished = errors.New("all was written already")
)

// send repeats a batch, less its accepted actions, until all of it is accepted.
func (b *bulk) send(batch *batch) error {
	requireAlias := true
	return b.storage.c.Retry(b.ctx, client.BulkTime, func(ctx context.Context) error {
		var response []byte
		err := b.storage.c.Write(ctx, &response, esapi.BulkRequest{
			Index: b.alias, Body: bytes.NewReader(batch.body), RequireAlias: &requireAlias, FilterPath: []string{responseFilter},
		})
		if err != nil {
			return err
		}
		return batch.read(response)
	})
}
