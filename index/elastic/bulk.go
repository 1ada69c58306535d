package elastic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// writers is the number of requests in progress at once. One batch more is being filled.
const writers = 3

// bulk writes filings into one index. One goroutine calls its methods; others send its batches.
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
	err = b.add(ctx, func(filling *batch) { fingerprint = filling.put(f, b.version) })
	return fingerprint, err
}

// Remove implements generation.Writer.
func (b *bulk) Remove(ctx context.Context, id int64) error {
	return b.add(ctx, func(filling *batch) { filling.remove(id, b.version) })
}

// Stop implements generation.Writer.
func (b *bulk) Stop() {
	b.fail(errAborted)
	b.finished = true
	b.sending.Wait()
}

// add adds an action to the batch that is being filled. It waits until one more may be in flight.
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

// flush sends the batch that is being filled. A batch's memory is never used again: a request that
// broke may still be reading its body, as net/http says.
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
	return b.storage.c.Retry(b.ctx, client.BulkTime, func(ctx context.Context) error {
		var response []byte
		err := b.storage.c.Write(ctx, &response, esapi.BulkRequest{
			Index: b.alias, Body: bytes.NewReader(batch.body), RequireAlias: new(true),
			FilterPath: []string{responseFilter},
		})
		if err != nil {
			return err
		}
		return batch.read(response)
	})
}

// batch is the body of a bulk request, and which filing each action in it is about.
type batch struct {
	body []byte
	ids  []int64
	ends []int // of each action's lines in body
}

// put adds f and returns its fingerprint.
func (b *batch) put(f *index.Filing, version int64) (fingerprint index.Fingerprint) {
	b.head(`{"index":{"_id":"`, f.ID, version)
	b.body, fingerprint = document.Append(b.body, f)
	b.body = append(b.body, '\n')
	b.end(f.ID)
	return fingerprint
}

func (b *batch) remove(id, version int64) {
	b.head(`{"delete":{"_id":"`, id, version)
	b.end(id)
}

func (b *batch) head(action string, id, version int64) {
	b.body = strconv.AppendInt(append(b.body, action...), id, 10)
	b.body = strconv.AppendInt(append(b.body, `","version":`...), version, 10)
	b.body = append(b.body, `,"version_type":"external_gte"}}`+"\n"...)
}

func (b *batch) end(id int64) {
	b.ids, b.ends = append(b.ids, id), append(b.ends, len(b.body))
}

// keep drops all actions but these, into new memory.
func (b *batch) keep(actions []int) {
	var kept batch
	for _, i := range actions {
		start := 0
		if i > 0 {
			start = b.ends[i-1]
		}
		kept.body = append(kept.body, b.body[start:b.ends[i]]...)
		kept.end(b.ids[i])
	}
	*b = kept
}

// responseFilter leaves those parts of a bulk response that read reads.
const responseFilter = "errors,items.*._id,items.*.status,items.*.error.type,items.*.error.reason"

// read reads the response, which has an item for each action. It returns nil if all were accepted,
// a temporary error and keeps those that can be sent again, or the error that ends the load.
func (b *batch) read(response []byte) error {
	var bulk struct {
		Items []struct {
			Index  *item `json:"index"`
			Delete *item `json:"delete"`
		} `json:"items"`
	}
	if err := client.Decode(response, &bulk); err != nil || len(bulk.Items) != len(b.ids) {
		return client.Incomplete(len(bulk.Items), len(b.ids))
	}
	var refused []int
	var busy error
	for i, item := range bulk.Items {
		result := item.Index
		if result == nil {
			result = item.Delete
		}
		if result == nil || result.ID != strconv.FormatInt(b.ids[i], 10) {
			return client.Incomplete(i, len(b.ids))
		}
		switch err := result.err(item.Delete != nil); {
		case client.IsTemporary(err):
			refused, busy = append(refused, i), err
		case err != nil:
			return fmt.Errorf("filing %d: %w", b.ids[i], err)
		}
	}
	if busy != nil {
		b.keep(refused)
	}
	return busy
}

// item is the response to one action.
type item struct {
	ID     string `json:"_id"`
	Status int    `json:"status"`
	Error  struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	} `json:"error"`
}

// err returns nil for an action that was done, or did not need to be.
func (i *item) err(isDelete bool) error {
	switch {
	case i.Status == http.StatusOK, i.Status == http.StatusCreated:
		return nil
	case i.Status == http.StatusNotFound && isDelete && i.Error.Type == "":
		return nil // there was nothing to delete
	case i.Status == http.StatusConflict && i.Error.Type == "version_conflict_engine_exception":
		return nil // a later action of the same id was faster
	}
	return &client.Error{Status: i.Status, Kind: i.Error.Type, Reason: i.Error.Reason}
}
