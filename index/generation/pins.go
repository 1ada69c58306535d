package generation

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"filings/index"
)

const (
	// pinnedReaders is how many Readers of generations that requests pinned stay open: each may take
	// as much memory as that of the live one.
	pinnedReaders = 2
	// idleTime is how long one of them stays open without a request that pins its generation.
	idleTime = time.Minute
)

// pins are the Readers of generations that requests pinned. Those that met damage stay as long as
// their generations are kept, for Damaged.
type pins struct {
	mu  sync.Mutex
	all []pin // the one used last first
}

type pin struct {
	index.Reader
	used time.Time
}

// use returns the Reader of a generation; nil if there is none, or if it met damage: its file may
// have been replaced.
func (p *pins) use(name string, now time.Time) index.Reader {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.all, func(p pin) bool { return p.Generation() == name })
	if i < 0 || damageOf(p.all[i].Reader) != nil {
		return nil
	}
	found := pin{p.all[i].Reader, now}
	p.all = slices.Insert(slices.Delete(p.all, i, i+1), 0, found)
	return found.Reader
}

// add puts r in the place of another Reader of its generation.
func (p *pins) add(r index.Reader, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(other pin) bool { return other.Generation() == r.Generation() })
	p.all = slices.Insert(p.all, 0, pin{r, now})
}

// tidy lets go of Readers whose generations are deleted, that are idle, or that are too many. A
// Reader closes with the last request that uses it.
func (p *pins) tidy(c *Catalog, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sound := 0
	p.all = slices.DeleteFunc(p.all, func(pinned pin) bool {
		if _, err := c.sealed(pinned.Generation()); err != nil {
			return true
		}
		if damageOf(pinned.Reader) != nil {
			return false
		}
		sound++
		return sound > pinnedReaders || now.Sub(pinned.used) >= idleTime
	})
}

// damaged names the generations whose Readers met damage.
func (p *pins) damaged() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pinned := range p.all {
		if damageOf(pinned.Reader) != nil {
			names = append(names, pinned.Generation())
		}
	}
	return names
}

// Damage is the first damage that calls of a Reader have met in its file. It is that Reader's: a
// file that is put in its place gets another one.
type Damage struct{ met atomic.Pointer[error] }

// Meet keeps the first damage, and reports whether err is that.
func (d *Damage) Meet(err error) (first bool) { return d.met.CompareAndSwap(nil, &err) }

// Met returns the damage; nil for none.
func (d *Damage) Met() error {
	if err := d.met.Load(); err != nil {
		return *err
	}
	return nil
}

func damageOf(r index.Reader) error {
	if file, ok := r.(interface{ Met() error }); ok {
		return file.Met()
	}
	return nil
}
