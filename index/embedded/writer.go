package embedded

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/history"
)

// A batch goes to the writer when it has that many changes or bytes. Larger ones gain nothing.
const (
	batchChanges = 256
	batchBytes   = 1 << 20
)

// change is a filing to store, or an id to remove.
type change struct {
	id     int64
	row    row
	remove bool
}

// batch is a number of changes in their order. data has what is in their rows.
type batch struct {
	changes []change
	data    []byte
}

// put puts the fingerprint of f into collected too, unless that is nil.
func (b *batch) put(f *index.Filing, collected *history.Collector) {
	start := len(b.data)
	b.data = columns.AppendValues(b.data, f)
	end := len(b.data)
	b.data = index.AppendRecord(b.data, f)
	facts, record := b.data[start:end], b.data[end:]
	if collected != nil {
		print, _ := fingerprint(facts, record) // as AppendValues wrote them
		collected.Put(print)
	}
	tail := commonTail(record, emptyRecord)
	b.data = b.data[:len(b.data)-tail]
	b.changes = append(b.changes, change{id: f.ID, row: row{facts, record[:len(record)-tail], uint64(tail)}})
}

func (b *batch) remove(id int64, collected *history.Collector) {
	if collected != nil {
		collected.Remove(id)
	}
	b.changes = append(b.changes, change{id: id, remove: true})
}

func (b *batch) full() bool { return len(b.changes) >= batchChanges || len(b.data) >= batchBytes }

// writer stores batches one after the other, in a goroutine of its own.
type writer struct {
	full  chan *batch   // one waits while another is filled and a third is stored
	empty sync.Pool     // of batches
	done  chan struct{} // closed when the goroutine has ended
	err   error         // why it ended; read after done
	stop  func() error  // waits until everything is stored and returns the first error; may be called again

	put, remove *sql.Stmt
}

// newWriter starts a writer into tx, which belongs to it until it is stopped.
func newWriter(tx *sql.Tx) (*writer, error) {
	w := &writer{
		full:  make(chan *batch, 1),
		empty: sync.Pool{New: func() any { return new(batch) }},
		done:  make(chan struct{}),
	}
	w.stop = sync.OnceValue(func() error {
		close(w.full)
		<-w.done
		return w.err
	})
	var err1, err2 error
	w.put, err1 = tx.Prepare("INSERT OR REPLACE INTO filings (id, facts, record, tail) VALUES (?, ?, ?, ?)")
	w.remove, err2 = tx.Prepare("DELETE FROM filings WHERE id = ?")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
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
		b.changes, b.data = b.changes[:0], b.data[:0]
		w.empty.Put(b)
	}
}

func (w *writer) store(b *batch) (err error) {
	for _, c := range b.changes {
		if c.remove {
			_, err = w.remove.Exec(c.id)
		} else {
			_, err = w.put.Exec(c.id, c.row.facts, c.row.record, c.row.tail)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write hands a batch to the goroutine.
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
