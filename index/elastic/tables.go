package elastic

import (
	"container/list"
	"encoding/json"
	"sort"
	"sync"
)

// table counts a span's filings by one field's values, in the order that is asked for. Filings without a value are the
// last bucket.
type table struct {
	keys []string // JSON
	ends []int64  // filings up to and including this bucket
	size int      // bytes held, about
	// width is how many values a bucket has room for where it has more than one: whole numbers from its key on.
	width int64
}

func (t *table) add(key json.RawMessage, count int64) {
	t.keys = append(t.keys, string(key))
	t.ends = append(t.ends, t.total()+count)
	t.size += len(key) + 16 + 8 // text, string header, end
}

// close adds the bucket of the filings without a value, the key of which is "".
func (t *table) close(total int64) {
	if missing := total - t.total(); missing > 0 {
		t.add(nil, missing)
	}
}

func (t *table) total() int64 {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// at returns the bucket that holds the filing at a position below total.
func (t *table) at(position int64) int {
	return sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > position })
}

// start returns the position of bucket i's first filing.
func (t *table) start(i int) int64 {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// missing reports whether bucket i is that of the filings without a value.
func (t *table) missing(i int) bool { return t.keys[i] == "" }

// tables keeps the tables that were used last. Since generations never change, a table never gets old.
type tables struct {
	mu     sync.Mutex
	room   int // bytes left
	byName map[string]*list.Element
	used   list.List // of *namedTable, the one used last in front
}

type namedTable struct {
	name string
	*table
}

func newTables(room int) *tables { return &tables{room: room, byName: map[string]*list.Element{}} }

func (ts *tables) get(name string) (*table, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	e, ok := ts.byName[name]
	if !ok {
		return nil, false
	}
	ts.used.MoveToFront(e)
	return e.Value.(*namedTable).table, true
}

// put keeps t, for which it may drop others. The one that is put is kept in any case until the next one comes, however
// large it is: the page after this one needs it again.
func (ts *tables) put(name string, t *table) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if _, ok := ts.byName[name]; ok {
		return // another request was faster
	}
	n := &namedTable{name, t}
	ts.byName[name] = ts.used.PushFront(n)
	for ts.room -= n.bytes(); ts.room < 0 && ts.used.Len() > 1; {
		ts.drop(ts.used.Back())
	}
}

func (ts *tables) drop(e *list.Element) {
	n := ts.used.Remove(e).(*namedTable)
	delete(ts.byName, n.name)
	ts.room += n.bytes()
}

func (n *namedTable) bytes() int { return n.size + 2*len(n.name) + 256 }
