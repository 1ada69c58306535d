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

// change is a filing to store or, without values, an id to remove. values and record are parts of the batch's data.
type change struct {
	id             int64
	valuesEnd, end int // in data; the change begins where the one before it ends
	tail           int
	remove         bool
}

// batch is a number of changes in their order.
type batch struct {
	changes []change
	data    []byte
	empty   []byte // emptyRecord
}

// put puts the stamp of f into stamps too, unless that is nil.
func (b *batch) put(f *index.Filing, stamps *history.Collector) {
	start := len(b.data)
	b.data = columns.AppendValues(b.data, f)
	valuesEnd := len(b.data)
	b.data = index.AppendRecord(b.data, f)
	if stamps != nil {
		created, city, _ := columns.Hidden(b.data[start:valuesEnd]) // as AppendValues wrote them
		stamps.Put(index.FingerprintOf(f.ID, index.Version{Record: b.data[valuesEnd:], City: string(city)}, created))
	}
	tail := commonTail(b.data[valuesEnd:], b.empty)
	b.data = b.data[:len(b.data)-tail]
	b.changes = append(b.changes, change{id: f.ID, valuesEnd: valuesEnd, end: len(b.data), tail: tail})
}

func (b *batch) remove(id int64, stamps *history.Collector) {
	if stamps != nil {
		stamps.Remove(id)
	}
	b.changes = append(b.changes, change{id: id, valuesEnd: len(b.data), end: len(b.data), remove: true})
}

func (b *batch) full() bool { return len(b.changes) >= batchChanges || len(b.data) >= batchBytes }

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
	full  chan *batch   // one waits while another is filled and a third is stored
	empty sync.Pool     // of batches
	done  chan struct{} // closed when the goroutine has ended
	err   error         // why it ended; read after done
	stop  func() error  // waits until everything is stored and returns the first error; may be called again

	put, remove *sql.Stmt
}

// newWriter starts a writer into db, which belongs to it until it is stopped.
func newWriter(db *sql.DB) (*writer, error) {
	record := emptyRecord()
	w := &writer{
		full:  make(chan *batch, 1),
		empty: sync.Pool{New: func() any { return &batch{empty: record} }},
		done:  make(chan struct{}),
	}
	w.stop = sync.OnceValue(func() error {
		close(w.full)
		<-w.done
		return w.err
	})
	var err1, err2 error
	w.put, err1 = db.Prepare("INSERT OR REPLACE INTO filings (id, facts, record, tail) VALUES (?, ?, ?, ?)")
	w.remove, err2 = db.Prepare("DELETE FROM filings WHERE id = ?")
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
	w.err = errors.Join(w.put.Close(), w.remove.Close())
}

func (w *writer) store(b *batch) error {
	start := 0
	for _, c := range b.changes {
		var err error
		if c.remove {
			_, err = w.remove.Exec(c.id)
		} else {
			_, err = w.put.Exec(c.id, b.data[start:c.valuesEnd], b.data[c.valuesEnd:c.end], c.tail)
		}
		if err != nil {
			return err
		}
		start = c.end
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
