// Package limit owns the limit on concurrent calls to a server that many accounts share: how many
// calls are in progress, whose they are, and who is next. It knows no server and no account but by
// name, makes no call itself, and refuses to hold a caller longer than its context lasts.
//
// # Design
//
// A call needs a slot, and the number of slots is limited. Where calls wait for one, the accounts
// take turns, and the calls of one account go in the order of their arrival. So an account that
// sends a flood makes its own calls wait, not others'.
//
// Turns alone are not enough: between two calls of a quiet account a flood would fill all slots,
// and the server would have a queue of the flood's calls to work through, in an order of its own.
// So an account has at most a quarter of all slots while others are active, even where slots are
// free, and the next call of another account gets one at once. An account is active for a minute
// after a call. One that is alone has all slots but a quarter: its calls may last longer than the
// next account can wait, so a slot that it could take is one that no other account could have.
//
// Turns are not enough either where calls cannot be interrupted: eight accounts whose calls take
// seconds would hold all slots between them, and a ninth would wait for seconds each time. So calls
// that last long have a share of the slots, all of them together: a quarter while others make short
// ones, and at most all but a quarter. How long a call will last is not known, but how long those
// of its kind lasted lately: those of its own account, or else those of all. A kind of which
// nothing is known counts as long, so that the first calls of a flood do not have all slots. Among
// long calls the account goes first that has had none for the longest time: who sends one now and
// then waits for the end of another one, and not for a round of all who send many.
//
// Several accounts may need the result of one call (package cache makes it once). Such a call waits
// in the queue of each of them, and is made when the first of them has its turn, in that one's
// slot: no account waits in another one's queue.
//
// A call waits for half of its caller's time and is then given up. Otherwise a flood that never
// ends would let every one of its calls begin just before its time is over, to be cancelled when
// the server has done half of the work for nothing.
//
// A server may go on with a call after its time, as Elasticsearch does with an aggregation whose
// client has left. The slot of such a call is taken from it (Detach) and freed when the server has
// ended it: otherwise the server would have more calls than slots.
//
// A caller may have left by its turn. It is asked then, if it can be, and only if it waited: a call
// that it alone needed takes neither the turn nor the slot.
//
// A call that was not made may be its account's own doing: other calls of the account were waiting
// or in progress when it came. Who has to count what a call cost asks for that (Owes).
//
// An account without a name is the service itself. It takes turns like others, and is neither
// bounded nor counted as active.
package limit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// shares: an account has one of so many parts of the slots while others are active, and leaves
	// one free while it is alone.
	shares     = 4
	activeTime = time.Minute // after a call

	// A call is long that takes more than slotTime times the slots, and mostTime at most: who waits
	// for one of n slots that calls of a time t have waits for t/n. On a busy machine all calls
	// take longer: so a long one also takes more than that part of the longest.
	slotTime = 125 * time.Millisecond
	mostTime = 750 * time.Millisecond
	longPart = 4
	// halfLife is the time in which the longest call of a kind counts half: one of a second counts
	// as long for 20 seconds, and one of 300 ms, as a busy machine makes of any, for three.
	halfLife = 10 * time.Second
)

// Limit hands out slots. It is safe for concurrent use.
type Limit struct {
	now func() time.Time

	mu         sync.Mutex
	slots      int
	inProgress int
	long       int                 // of these, that are long
	accounts   map[string]*account // that have calls in progress or waiting
	// turns has the queues with calls waiting, the next one first, or, of long ones, the one with the
	// lowest turn.
	turns       []*queue
	shared      map[string]*Call // by key
	last, other activity         // the latest one, and the latest one of another account
	short       time.Time        // when an account last needed a short call
	kinds       map[kind]*lately
	turn        uint64 // of long calls: how many there were
	swept       time.Time
}

type account struct {
	name        string
	inProgress  int
	short, long queue
}

func (a *account) waits() bool { return len(a.short.waiting)+len(a.long.waiting) > 0 }

// queue is the calls of an account that wait, the next one first.
type queue struct {
	of      *account
	waiting []*Call
}

func (q *queue) isLong() bool { return q == &q.of.long }

type activity struct {
	account string
	at      time.Time
}

// New returns a limit of so many slots, at least one.
func New(slots int, now func() time.Time) *Limit {
	return &Limit{slots: max(1, slots), now: now, accounts: map[string]*account{}, shared: map[string]*Call{},
		kinds: map[kind]*lately{}}
}

// Resize makes it a limit of so many slots, at least one. Calls in progress keep theirs.
func (l *Limit) Resize(slots int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots = max(1, slots)
	l.dispatch()
}

// InProgress returns how many calls have a slot.
func (l *Limit) InProgress() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inProgress
}

// Waiting returns how many calls wait for a slot. A call that several accounts need counts for each
// of them.
func (l *Limit) Waiting() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.turns {
		n += len(q.waiting)
	}
	return n
}

// active notes that an account has a call to make.
func (l *Limit) active(name string) {
	if name == "" {
		return
	}
	if l.last.account != name {
		l.other = l.last
	}
	l.last = activity{name, l.now()}
}

// bound returns how many slots an account may have now.
func (l *Limit) bound(a *account) int {
	latest := l.last
	if latest.account == a.name {
		latest = l.other
	}
	switch share := l.slots / shares; {
	case a.name == "":
		return l.slots
	case latest.account == "" || l.now().Sub(latest.at) >= activeTime:
		return l.slots - share
	default:
		return max(1, share)
	}
}

// enqueue puts c into the queue of an account.
func (l *Limit) enqueue(c *Call, of *callers) {
	a := l.accounts[of.account]
	if a == nil {
		a = &account{name: of.account}
		a.short.of, a.long.of = a, a
		l.accounts[of.account] = a
	}
	of.owes = of.owes || a.inProgress > 0 || a.short.hasOther(c) || a.long.hasOther(c)
	q := &a.short
	if l.lastsLong(a.name, c.kind) {
		q = &a.long
	} else if a.name != "" {
		l.short = l.now()
	}
	if len(q.waiting) == 0 {
		l.turns = append(l.turns, q)
	}
	q.waiting = append(q.waiting, c)
}

// hasOther reports whether another caller's call than that of c waits.
func (q *queue) hasOther(c *Call) bool {
	return slices.ContainsFunc(q.waiting, func(o *Call) bool {
		return o != c && (c.caller == nil || o.caller != c.caller)
	})
}

// dequeue takes c out of the queue of an account, if it is there.
func (l *Limit) dequeue(c *Call, name string) {
	a := l.accounts[name]
	if a == nil {
		return
	}
	for _, q := range []*queue{&a.short, &a.long} {
		i := slices.Index(q.waiting, c)
		if i < 0 {
			continue
		}
		q.waiting = slices.Delete(q.waiting, i, i+1)
		if len(q.waiting) == 0 {
			i := slices.Index(l.turns, q)
			l.turns = slices.Delete(l.turns, i, i+1)
		}
	}
	l.forget(a)
}

// forget drops what is known of an account that has no calls.
func (l *Limit) forget(a *account) {
	if a.inProgress == 0 && !a.waits() {
		delete(l.accounts, a.name)
	}
}

// next returns the position in turns of the queue whose turn it is, -1 for none that may have a
// slot.
func (l *Limit) next() int {
	first := slices.IndexFunc(l.turns, l.mayTake)
	if first < 0 || !l.turns[first].isLong() {
		return first
	}
	for i, q := range l.turns {
		if q.isLong() && l.mayTake(q) && l.turnOf(q.of.name) < l.turnOf(l.turns[first].of.name) {
			first = i
		}
	}
	return first
}

// mayTake reports whether a call of q may have a slot.
func (l *Limit) mayTake(q *queue) bool {
	return q.of.inProgress < l.bound(q.of) && (!q.isLong() || l.long < l.longBound())
}

// dispatch hands out slots as long as there are any, and accounts that may have one.
func (l *Limit) dispatch() {
	for l.inProgress < l.slots {
		i := l.next()
		if i < 0 {
			return
		}
		q := l.turns[i]
		c := q.waiting[0]
		if c.dropped() {
			continue
		}
		l.turns = append(slices.Delete(l.turns, i, i+1), q) // its next turn is after the others'
		q.of.inProgress++
		l.inProgress++
		if c.long = q.isLong(); c.long {
			l.long++
			l.turn++
			l.lately(q.of.name, "").turn = l.turn
		}
		c.charged, c.began = q.of, l.now()
		for i := range c.callers {
			c.callers[i].owes = true
		}
		c.unqueue()
		if c.turn != nil {
			close(c.turn)
		}
	}
}

// Call is one call to the server, which several callers may need.
type Call struct {
	limit   *Limit
	kind    string
	key     string
	callers []callers
	waits   bool          // it is in the queues of its callers
	turn    chan struct{} // closed when it gets a slot, or err; nil unless someone waits for that
	caller  Caller        // who waits for that; nil: it cannot be asked
	err     error         // why it gets none
	charged *account      // whose slot it has; nil: it has none
	long    bool          // it has a slot of long calls
	began   time.Time     // when it got its slot
}

// Caller is who acquires a slot.
type Caller interface {
	// Left returns why it needs the call no more; nil: it does. It is asked when its turn comes,
	// and must answer at once.
	Left() error
}

// callers are how many callers of one account need a call.
type callers struct {
	account string
	n       int
	owes    bool // the call was made, or it waited for others of the account
}

// Join announces that an account needs a call of a kind; all that need the one of the same key at
// the same time share it. "" is the key of a call that is not shared, and the kind of calls that
// are all short. The caller must Leave when it has its result, or does without.
func (l *Limit) Join(name, kind, key string) *Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active(name)
	c := l.shared[key]
	if c == nil {
		c = &Call{limit: l, kind: kind, key: key}
		if key != "" {
			l.shared[key] = c
		}
	}
	i := slices.IndexFunc(c.callers, func(o callers) bool { return o.account == name })
	if i >= 0 {
		c.callers[i].n++
		return c
	}
	c.callers = append(c.callers, callers{name, 1, c.charged != nil})
	if c.waits {
		l.enqueue(c, &c.callers[len(c.callers)-1])
		l.dispatch()
	}
	return c
}

// Owes reports whether the call was made while callers of an account needed it, or waited for other
// calls of that account.
func (c *Call) Owes(name string) bool {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	return slices.ContainsFunc(c.callers, func(of callers) bool { return of.account == name && of.owes })
}

// Leave is the end of what Join announced.
func (c *Call) Leave(name string) {
	l := c.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(c.callers, func(o callers) bool { return o.account == name })
	if c.callers[i].n--; c.callers[i].n > 0 {
		return
	}
	c.callers = slices.Delete(c.callers, i, i+1)
	if c.waits {
		l.dequeue(c, name)
	}
	if len(c.callers) == 0 && c.key != "" {
		delete(l.shared, c.key)
	}
}

// errTurn is why a call was not made: the rest of its caller's time is too short for it.
var errTurn = fmt.Errorf("no turn in half of the time: %w", context.DeadlineExceeded)

// Acquire waits for a slot, for half of the time that ctx has left; where that ends first, share
// tells whether slots were free, but not for any account that needs this call. Only one of the
// callers may acquire and hold a slot at a time; by is that one, nil if it cannot be asked whether
// it has left.
func (c *Call) Acquire(ctx context.Context, by Caller) (share bool, err error) {
	if c.queued(by) {
		return false, nil
	}
	var half <-chan time.Time
	if deadline, ok := ctx.Deadline(); ok {
		timer := time.NewTimer(time.Until(deadline) / 2)
		defer timer.Stop()
		half = timer.C
	}
	select {
	case <-c.turn:
		return false, c.err
	case <-half:
		err = errTurn
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l := c.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.charged != nil { // at the same moment
		return false, nil
	}
	c.unqueue()
	return l.inProgress < l.slots, err
}

// queued puts c into the queues of its callers, and reports whether it had its turn at once.
func (c *Call) queued(by Caller) (atOnce bool) {
	l := c.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	c.waits, c.turn, c.caller, c.err = true, nil, by, nil
	for i := range c.callers {
		l.enqueue(c, &c.callers[i])
	}
	l.dispatch()
	if c.charged == nil {
		c.turn = make(chan struct{})
	}
	return c.charged != nil
}

// dropped takes c, whose turn it is, out of all queues if it waited for a caller that has left, and
// nobody else needs it.
func (c *Call) dropped() bool {
	if c.turn == nil || c.caller == nil {
		return false
	}
	err := c.caller.Left() // whoever else needs it: the caller learns from that what it has to pay for
	if err == nil || len(c.callers) > 1 || c.callers[0].n > 1 {
		return false
	}
	c.err = err
	c.unqueue()
	close(c.turn)
	return true
}

// unqueue takes c out of all queues.
func (c *Call) unqueue() {
	c.waits = false
	for _, of := range c.callers {
		c.limit.dequeue(c, of.account)
	}
}

// Release frees the slot.
func (c *Call) Release() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	of := *c
	c.charged = nil
	of.free()
}

// Detach takes the slot from the call, which others of its callers may then make anew. The slot
// stays taken until it is released.
func (c *Call) Detach() (release func()) {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	of := *c
	c.charged = nil
	return func() {
		of.limit.mu.Lock()
		defer of.limit.mu.Unlock()
		of.free()
	}
}

// free frees the slot that c has.
func (c *Call) free() {
	l, a := c.limit, c.charged
	a.inProgress--
	l.inProgress--
	if c.long {
		l.long--
	}
	l.lasted(a.name, c.kind, l.now().Sub(c.began))
	l.forget(a)
	l.dispatch()
}

// IsLong reports whether the slot that the call has is one of long calls.
func (c *Call) IsLong() bool { return c.long }
