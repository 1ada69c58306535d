package export

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// A caller waits for a slot of Slots at most for the time of its context. After slowAfter of
// waiting, the export that took least meanwhile gives up its slot, if it took less than SlowBytes.
const (
	slowAfter = 2.0 / 3
	// SlowBytes is how much a client must take while another export waits for its slot: 1 MiB.
	SlowBytes = 1 << 20
)

// Slots are how many exports a process sends at a time. A caller that finds none free waits, in
// the order of arrival. A client may take a file as slowly as it likes while nobody waits, and no
// longer: a few slow readers would keep all slots.
type Slots struct {
	wait    time.Duration
	mu      sync.Mutex
	free    int
	held    map[*Slot]struct{}
	waiting []*Slot // the next one first
}

// Slot is one of Slots. Its methods are safe for concurrent use.
type Slot struct {
	slots     *Slots
	taken     chan struct{} // closed when it is held
	yield     func()        // nil: it gives way to nobody, or has done so
	sent      int64         // bytes that the client took
	lent      time.Duration // how long the client had something to take
	lentSince time.Time     // since when it has now; zero: it waits for us
}

// NewSlots returns n slots, for which one waits that long.
func NewSlots(n int, wait time.Duration) *Slots {
	return &Slots{wait: wait, free: n, held: map[*Slot]struct{}{}}
}

// Take waits for a slot, until ctx ends or the time to wait is over: then it returns nil. The
// caller must Leave it. After the end of ctx it returns none, also where one became free at the same
// moment, as they do when the service stops: an export would begin only to be cut.
func (p *Slots) Take(ctx context.Context) *Slot {
	slot := p.take(ctx)
	if slot != nil && ctx.Err() != nil {
		slot.Leave()
		return nil
	}
	return slot
}

func (p *Slots) take(ctx context.Context) *Slot {
	slot := &Slot{slots: p, taken: make(chan struct{})}
	earlier, held := p.enter(slot)
	if held {
		return slot
	}
	slow, timeout := time.NewTimer(time.Duration(float64(p.wait)*slowAfter)), time.NewTimer(p.wait)
	defer slow.Stop()
	defer timeout.Stop()
	for {
		select {
		case <-slot.taken:
			return slot
		case <-slow.C:
			p.cutSlowest(earlier)
			continue
		case <-timeout.C:
		case <-ctx.Done():
		}
		return p.giveUp(slot)
	}
}

// usage is how many bytes a client took of an export, and how long it had some to take.
type usage struct {
	bytes int64
	lent  time.Duration
}

// enter grants slot, or puts it into the queue and returns the usage of all slots so far.
func (p *Slots) enter(slot *Slot) (earlier map[*Slot]usage, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free > 0 {
		p.free--
		p.give(slot)
		return nil, true
	}
	p.waiting = append(p.waiting, slot)
	earlier, now := map[*Slot]usage{}, time.Now()
	for h := range p.held {
		earlier[h] = h.usage(now)
	}
	return earlier, false
}

func (p *Slots) give(slot *Slot) {
	p.held[slot] = struct{}{}
	close(slot.taken)
}

// giveUp takes slot out of the queue. Where it got its slot at the same moment, it keeps it.
func (p *Slots) giveUp(slot *Slot) *Slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, slot)
	if i < 0 {
		return slot
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	return nil
}

// cutSlowest has the export yield that took least since earlier, if it took too little and did not
// wait for the service instead: for most of the time its client had something to take.
func (p *Slots) cutSlowest(earlier map[*Slot]usage) {
	p.mu.Lock()
	var slowest *Slot
	least, now := int64(math.MaxInt64), time.Now()
	for h, old := range earlier {
		current := h.usage(now)
		if _, holds := p.held[h]; !holds || h.yield == nil ||
			current.lent-old.lent < time.Duration(float64(p.wait)*slowAfter/2) {
			continue
		}
		if n := current.bytes - old.bytes; n < SlowBytes && n < least {
			slowest, least = h, n
		}
	}
	var yield func()
	if slowest != nil {
		yield, slowest.yield = slowest.yield, nil
	}
	p.mu.Unlock()
	if yield != nil {
		yield()
	}
}

func (h *Slot) usage(now time.Time) usage {
	u := usage{h.sent, h.lent}
	if !h.lentSince.IsZero() {
		u.lent += now.Sub(h.lentSince)
	}
	return u
}

// Yields says how h is made to give up its slot: the client takes its file now.
func (h *Slot) Yields(yield func()) {
	h.slots.mu.Lock()
	defer h.slots.mu.Unlock()
	h.yield = yield
}

// Asks notes that the client took the last bytes.
func (h *Slot) Asks() {
	h.slots.mu.Lock()
	defer h.slots.mu.Unlock()
	if !h.lentSince.IsZero() {
		h.lent += time.Since(h.lentSince)
		h.lentSince = time.Time{}
	}
}

// Sends notes that the client has so many bytes to take.
func (h *Slot) Sends(n int) {
	h.slots.mu.Lock()
	defer h.slots.mu.Unlock()
	h.sent += int64(n)
	h.lentSince = time.Now()
}

// Leave gives the slot to the next one that waits.
func (h *Slot) Leave() {
	p := h.slots
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, h)
	if len(p.waiting) == 0 {
		p.free++
		return
	}
	next := p.waiting[0]
	p.waiting = p.waiting[1:]
	p.give(next)
}
