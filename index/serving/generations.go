package serving

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"filings/index"
)

const (
	// keptFor is how long the list of generations is taken for granted, as the live one is.
	keptFor = time.Second
	// lookTime is the longest time of a look at the list, since all callers that come meanwhile
	// wait for the same one.
	lookTime = 3 * time.Second
	// pinnedReaders is how many Readers of generations that requests pinned stay open: each may take as much memory as
	// that of the live one.
	pinnedReaders = 2
	// idleTime is when they are closed if no request pins them any more. A file that was pruned takes up the disk for
	// as long as it is open.
	idleTime = time.Minute
)

// generations is the list of generations as seen last, and the Readers of those that requests pinned.
type generations struct {
	looks  atomic.Uint64 // begun
	seen   atomic.Pointer[seen]
	flight singleflight.Group

	idle   atomic.Int64 // Unix time in nanoseconds when pinned is idle; 0: it is empty
	mu     sync.Mutex
	pinned []index.Reader // the one used last first
}

// seen is the result of a look.
type seen struct {
	number uint64    // of the look
	at     time.Time // when it began
	kept   []index.Generation
}

func (k *seen) find(id string) (index.Generation, bool) {
	i := slices.IndexFunc(k.kept, func(g index.Generation) bool { return g.ID() == id })
	if i < 0 {
		return index.Generation{}, false
	}
	return k.kept[i], true
}

func (of *generations) open(name string) index.Reader {
	of.mu.Lock()
	defer of.mu.Unlock()
	for _, r := range of.pinned {
		if r.Generation() == name {
			return r
		}
	}
	return nil
}

// use notes that r, which is of a generation of k, was used now. It lets go of pruned ones, and of
// those that are too many.
func (of *generations) use(r index.Reader, k *seen, now time.Time) {
	of.idle.Store(now.Add(idleTime).UnixNano())
	of.mu.Lock()
	defer of.mu.Unlock()
	others := slices.DeleteFunc(of.pinned, func(p index.Reader) bool {
		pruned := !slices.ContainsFunc(k.kept, func(g index.Generation) bool { return g.Name == p.Generation() })
		return pruned || p.Generation() == r.Generation()
	})
	of.pinned = slices.Insert(others, 0, r)
	if len(of.pinned) > pinnedReaders {
		of.pinned = slices.Delete(of.pinned, pinnedReaders, len(of.pinned))
	}
}

// letGo closes r with the last request that uses it.
func (of *generations) letGo(r index.Reader) {
	of.mu.Lock()
	defer of.mu.Unlock()
	of.pinned = slices.DeleteFunc(of.pinned, func(p index.Reader) bool { return p == r })
}

// closeIdle lets go of all Readers if no request has used one for idleTime.
func (of *generations) closeIdle(now time.Time) {
	if at := of.idle.Load(); at == 0 || now.UnixNano() < at || !of.idle.CompareAndSwap(at, 0) {
		return
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	of.pinned = nil
}
