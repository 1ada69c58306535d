// Package limit owns the limit on concurrent calls to a server that many accounts share: how many
// calls are in progress, whose they are, and who is next. It knows no server and no account but by
// name, makes no call itself, and refuses to hold a caller longer than its context lasts.
//
// # Design
//
// A call needs a slot, and the number of slots is limited. While calls wait for one, the accounts
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
// of its kind lasted lately: those of its own account, or, if there were none, those of all. A kind
// of which nothing is known counts as long, so that the first calls of a flood do not have all
// slots. Among long calls the account goes first that has had none for the longest time: who rarely
// sends one waits for the end of another call, not for a round of all accounts that send many.
//
// A call waits for half of its caller's time and is then given up. Otherwise a flood that never
// ends would let every one of its calls begin just before its time is over, to be cancelled when
// the server has done half of the work for nothing.
//
// A server may continue a call after its time, as Elasticsearch does with an aggregation whose
// client has left. The slot of such a call is released when the server has ended it: otherwise the
// server would have more calls than slots.
//
// A caller may have left by its turn. It is asked then, if it can be, and only if it waited: its
// call takes neither the turn nor the slot.
//
// A call that was not made may be its account's own doing: other calls of the account were waiting
// or in progress when it came. Its error says so, for whoever counts the cost of calls.
//
// An account without a name is the service itself. It takes turns like others, and is neither
// bounded nor counted as active.
package limit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
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
	last, rival activity  // the latest one, and the latest one of another account
	short       time.Time // when an account last needed a short call
	kinds       map[kind]*lately
	turn        uint64 // of long calls: how many there were
	swept       time.Time
}

// New returns a limit of that many slots, at least one.
func New(slots int, now func() time.Time) *Limit {
	return &Limit{slots: max(1, slots), now: now, accounts: map[string]*account{}, kinds: map[kind]*lately{}}
}

// Resize makes it a limit of that many slots, at least one. Calls in progress keep theirs.
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

// Waiting returns how many calls wait for a slot.
func (l *Limit) Waiting() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.turns {
		n += len(q.waiting)
	}
	return n
}

// Caller is who acquires a slot.
type Caller interface {
	// Left reports whether it needs the call no more. It is asked when its turn comes, and must
	// answer at once.
	Left() bool
}

// errLeft is why a call was not made whose caller has left.
var errLeft = errors.New("its caller has left")

// Refused is why a call got no slot in time.
type Refused struct {
	Share bool // slots were free, but none for its account
	Owed  bool // other calls of its account were waiting or in progress when it came
	cause error
}

func (e *Refused) Error() string { return e.cause.Error() }
func (e *Refused) Unwrap() error { return e.cause }

// errTurn is why a call was not made: the rest of its caller's time is too short for it.
var errTurn = fmt.Errorf("no turn in half of the time: %w", context.DeadlineExceeded)

// Acquire waits for a slot for a call of an account, for half of the time that ctx has left; if
// that ends first, it returns a Refused. Calls without a kind are all short. caller is nil if it
// cannot be asked whether it has left.
func (l *Limit) Acquire(ctx context.Context, account, kind string, caller Caller) (*Slot, error) {
	c, slot := l.queued(account, kind, caller)
	if slot != nil {
		return slot, nil
	}
	var half <-chan time.Time
	if deadline, ok := ctx.Deadline(); ok {
		timer := time.NewTimer(time.Until(deadline) / 2)
		defer timer.Stop()
		half = timer.C
	}
	var err error
	select {
	case <-c.turn:
		return c.slot, c.err
	case <-half:
		err = errTurn
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.slot != nil || c.err != nil { // at the same moment
		return c.slot, c.err
	}
	l.dequeue(c)
	return nil, &Refused{Share: l.inProgress < l.slots, Owed: c.owed, cause: err}
}

// queued puts a call into a queue, and returns its slot if it had its turn at once.
func (l *Limit) queued(account, kind string, caller Caller) (*call, *Slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.enqueue(account, kind, caller)
	l.dispatch()
	if c.slot == nil {
		c.turn = make(chan struct{})
	}
	return c, c.slot
}

// Slot is the right of a call to run.
type Slot struct {
	limit   *Limit
	account *account
	kind    string
	long    bool
	began   time.Time
}

// IsLong reports whether the slot is one of long calls.
func (s *Slot) IsLong() bool { return s.long }

// Release frees the slot, once.
func (s *Slot) Release() {
	l, a := s.limit, s.account
	l.mu.Lock()
	defer l.mu.Unlock()
	a.inProgress--
	l.inProgress--
	if s.long {
		l.long--
	}
	l.lasted(a.name, s.kind, l.now().Sub(s.began))
	l.forget(a)
	l.dispatch()
}
