package embedded

import (
	"context"
	"database/sql"
	"errors"

	"filings/index"
)

// A batch goes to the writer when it has that many changes or bytes. Larger ones gain nothing.
const (
	batchChanges = 256
	batchBytes   = 1 << 20
)

// change is a filing to store or, without facts, an id to remove. facts and record are parts of the batch's data.
type change struct {
	id            int64
	factsEnd, end int // in data; the change begins where the one before it ends
	tail          int
	remove        bool
}

// batch is a number of changes in their order.
type batch struct {
	changes []change
	data    []byte
	empty   []byte // emptyRecord
}

func (b *batch) put(f *index.Filing) {
	b.data = appendFacts(b.data, f)
	factsEnd := len(b.data)
	b.data = index.AppendRecord(b.data, f)
	tail := commonTail(b.data[factsEnd:], b.empty)
	b.data = b.data[:len(b.data)-tail]
	b.changes = append(b.changes, change{id: f.ID, factsEnd: factsEnd, end: len(b.data), tail: tail})
}

func (b *batch) remove(id int64) {
	b.changes = append(b.changes, change{id: id, factsEnd: len(b.data), end: len(b.data), remove: true})
}

func (b *batch) full() bool { return len(b.changes) >= batchChanges || len(b.data) >= batchBytes }

func (b *batch) reset() { b.changes, b.data = b.changes[:0], b.data[:0] }

// commonTail returns how many bytes a and b have in common at their ends.
func commonTail(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// writer stores batches one after the other, in a goroutine of its own.
type writer struct {
	full    chan *batch
	emptied chan *batch
	done    chan struct{} // closed when the goroutine has ended
	err     error         // why it ended; read after done
	stopped bool

	put, remove *sql.Stmt
}

// newWriter starts a writer into db, which belongs to it until it is stopped.
func newWriter(db *sql.DB) (*writer, error) {
	const batches = 3 // one is filled, one is written, one waits
	w := &writer{full: make(chan *batch, batches), emptied: make(chan *batch, batches), done: make(chan struct{})}
	var err1, err2 error
	w.put, err1 = db.Prepare("INSERT OR REPLACE INTO filings (id, facts, record, tail) VALUES (?, ?, ?, ?)")
	w.remove, err2 = db.Prepare("DELETE FROM filings WHERE id = ?")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	empty := emptyRecord()
	for range batches {
		w.emptied <- &batch{empty: empty}
	}
	go w.run()
	return w, nil
}

func (w *writer) run() {
	defer close(w.done)
	for b := range w.full {
		if w.err = w.store(b); w.err != nil {
			return
		}
		b.reset()
		w.emptied <- b
	}
	w.err = errors.Join(w.put.Close(), w.remove.Close())
}

func (w *writer) store(b *batch) error {
	start := 0
	for _, c := range b.changes {
		var err error
		if c.remove {
			_, err = w.remove.Exec(c.id)
		} else {
			_, err = w.put.Exec(c.id, b.data[start:c.factsEnd], b.data[c.factsEnd:c.end], c.tail)
		}
		if err != nil {
			return err
		}
		start = c.end
	}
	return nil
}

// free returns an empty batch.
func (w *writer) free(ctx context.Context) (*batch, error) {
	select {
	case b := <-w.emptied:
		return b, nil
	case <-w.done:
		return nil, w.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write takes a batch over.
func (w *writer) write(ctx context.Context, b *batch) error {
	select {
	case w.full <- b:
		return nil
	case <-w.done:
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop waits until everything is stored and returns the first error.
func (w *writer) stop() error {
	if !w.stopped {
		w.stopped = true
		close(w.full)
	}
	<-w.done
	return w.err
}
