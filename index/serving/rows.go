package serving

import (
	"bytes"
	"strconv"
	"sync"
	"weak"

	"filings/index"
)

// keptRows is how many rows of cached pages are found by their ids: those of the last 800 pages of
// 20. It is a power of two.
const keptRows = 1 << 14

// rows finds the filings of cached pages by their ids, so that from a list to one of its filings no
// call is made. It keeps no page: one that was evicted from the cache is not found any more. Each
// id has one slot, which it shares with others: the latest one has it.
type rows struct {
	mu    sync.Mutex
	slots []slot // nil: no page was cached
}

// slot is where a filing is: a row of a page of a generation.
type slot struct {
	generation string
	id         int64
	page       weak.Pointer[index.Page]
	row        int
}

// idStart is the beginning of a record, before its id.
const idStart = `{"id":`

// keep notes the rows of a page, whose records were checked and do not change any more.
func (r *rows) keep(generation string, page *index.Page) {
	cached := weak.Make(page)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots == nil {
		r.slots = make([]slot, keptRows)
	}
	for row, record := range page.Records {
		digits, _, _ := bytes.Cut(record[len(idStart):], []byte(","))
		if id, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
			r.slots[id&(keptRows-1)] = slot{generation, id, cached, row}
		}
	}
}

// find returns the filing of a generation with an id from a cached page, nil if none has it.
func (r *rows) find(generation string, id int64) index.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots == nil {
		return nil
	}
	s := r.slots[id&(keptRows-1)]
	if s.id != id || s.generation != generation {
		return nil
	}
	if page := s.page.Value(); page != nil {
		return page.Records[s.row]
	}
	return nil
}

// clear forgets all.
func (r *rows) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slots = nil
}
