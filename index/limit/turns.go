package limit

import (
	"math"
	"slices"
	"time"
)

const (
	// shares: an account has one of that many parts of the slots while others are active, and leaves
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

// account is an account with calls in progress or waiting.
type account struct {
	name        string
	inProgress  int
	short, long queue
}

func (a *account) waits() bool { return len(a.short.waiting)+len(a.long.waiting) > 0 }

// queue is the calls of an account that wait, the next one first.
type queue struct {
	account *account
	waiting []*call
}

func (q *queue) isLong() bool { return q == &q.account.long }

// activity is when an account last had a call to make.
type activity struct {
	account string
	time    time.Time
}

// enqueue puts a call into a queue of its account.
func (l *Limit) enqueue(name, kind string, caller Caller) *call {
	l.active(name)
	a := l.accounts[name]
	if a == nil {
		a = &account{name: name}
		a.short.account, a.long.account = a, a
		l.accounts[name] = a
	}
	owed := a.inProgress > 0 || a.short.hasOther(caller) || a.long.hasOther(caller)
	c := &call{kind: kind, caller: caller, owed: owed}
	c.queue = &a.short
	if l.lastsLong(name, kind) {
		c.queue = &a.long
	} else if name != "" {
		l.short = l.now()
	}
	if len(c.queue.waiting) == 0 {
		l.turns = append(l.turns, c.queue)
	}
	c.queue.waiting = append(c.queue.waiting, c)
	return c
}

// hasOther reports whether a call of another caller waits.
func (q *queue) hasOther(caller Caller) bool {
	return slices.ContainsFunc(q.waiting, func(c *call) bool { return caller == nil || c.caller != caller })
}

// dequeue takes c out of its queue.
func (l *Limit) dequeue(c *call) {
	q := c.queue
	i := slices.Index(q.waiting, c)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	if len(q.waiting) == 0 {
		i := slices.Index(l.turns, q)
		l.turns = slices.Delete(l.turns, i, i+1)
	}
	l.forget(q.account)
}

// forget drops an account that has no calls.
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
		if q.isLong() && l.mayTake(q) && l.turnOf(q.account.name) < l.turnOf(l.turns[first].account.name) {
			first = i
		}
	}
	return first
}

// mayTake reports whether a call of q may have a slot.
func (l *Limit) mayTake(q *queue) bool {
	return q.account.inProgress < l.bound(q.account) && (!q.isLong() || l.long < l.longBound())
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
		if c.turn != nil && c.caller != nil && c.caller.Left() {
			l.dequeue(c)
			c.end(nil, errLeft)
			continue
		}
		l.turns = append(slices.Delete(l.turns, i, i+1), q) // its next turn is after the others'
		slot := &Slot{limit: l, account: q.account, kind: c.kind, long: q.isLong(), began: l.now()}
		q.account.inProgress++
		l.inProgress++
		if slot.long {
			l.long++
			l.turn++
			l.lately(q.account.name, "").turn = l.turn
		}
		l.dequeue(c)
		c.end(slot, nil)
	}
}

// call is a call that waits for a slot.
type call struct {
	queue  *queue
	kind   string
	caller Caller        // who waits; nil: it cannot be asked
	owed   bool          // others of the account were before it
	turn   chan struct{} // closed when it gets slot or err; nil: nobody waits for that yet
	slot   *Slot
	err    error
}

func (c *call) end(slot *Slot, err error) {
	if c.slot, c.err = slot, err; c.turn != nil {
		close(c.turn)
	}
}

// active notes that an account has a call to make.
func (l *Limit) active(name string) {
	if name == "" {
		return
	}
	if l.last.account != name {
		l.rival = l.last
	}
	l.last = activity{name, l.now()}
}

// bound returns how many slots an account may have now.
func (l *Limit) bound(a *account) int {
	latest := l.last
	if latest.account == a.name {
		latest = l.rival
	}
	switch share := l.slots / shares; {
	case a.name == "":
		return l.slots
	case latest.account == "" || l.now().Sub(latest.time) >= activeTime:
		return l.slots - share
	default:
		return max(1, share)
	}
}

// kind is a kind of calls, of an account or, without one, of all. Without a name too it is all
// calls, with an account its long ones.
type kind struct{ account, name string }

// lately is the record of a kind's latest calls.
type lately struct {
	longest  time.Duration // counts half after each halfLife
	measured time.Time     // when it was that long
	seen     time.Time
	turn     uint64 // of an account: that of its last long call
}

func (k *lately) length(now time.Time) time.Duration {
	return time.Duration(float64(k.longest) * math.Exp2(-now.Sub(k.measured).Seconds()/halfLife.Seconds()))
}

// lately returns the record of a kind, at first an empty one. It forgets those that were not seen
// for activeTime.
func (l *Limit) lately(account, name string) *lately {
	now := l.now()
	if now.Sub(l.swept) >= activeTime {
		for key, k := range l.kinds {
			if now.Sub(k.seen) >= activeTime {
				delete(l.kinds, key)
			}
		}
		l.swept = now
	}
	k := l.kinds[kind{account, name}]
	if k == nil {
		k = new(lately)
		l.kinds[kind{account, name}] = k
	}
	k.seen = now
	return k
}

// lasted notes how long a call of an account had its slot.
func (l *Limit) lasted(account, name string, long time.Duration) {
	if name == "" {
		return
	}
	for _, key := range []kind{{account, name}, {"", name}, {"", ""}} {
		k, now := l.lately(key.account, key.name), l.now()
		if long >= k.length(now) {
			k.longest, k.measured = long, now
		}
	}
}

// lastsLong reports whether an account's call of a kind counts as long. The service's own never do.
func (l *Limit) lastsLong(account, name string) bool {
	if account == "" || name == "" {
		return false
	}
	longest := l.lately("", "").length(l.now()) // and old records are forgotten
	k := l.kinds[kind{account, name}]
	if k == nil {
		k = l.kinds[kind{"", name}]
	}
	bound := slotTime * min(time.Duration(l.slots), mostTime/slotTime) // with very many slots the product alone overflows
	return k == nil || k.length(l.now()) > max(bound, longest/longPart)
}

// turnOf returns the turn of an account's last long call, 0 for none lately.
func (l *Limit) turnOf(account string) uint64 {
	if k := l.kinds[kind{account, ""}]; k != nil {
		return k.turn
	}
	return 0
}

// longBound returns how many slots long calls may have now.
func (l *Limit) longBound() int {
	share := max(1, l.slots/shares)
	if !l.short.IsZero() && l.now().Sub(l.short) < activeTime {
		return share
	}
	return max(1, l.slots-share)
}
