package elastic

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/generation"
)

// lock is a generation.Lock. It is safe for concurrent use.
type lock struct {
	store *Store
	token string // the alias that is the lock while this holds it

	mu    sync.Mutex
	entry entry // as last written
}

var _ generation.Lock = (*lock)(nil)

// Lock takes the lock, or fails at once with a *generation.LockedError. A lock that was not renewed for
// generation.LockTTL is taken over.
func (s *Store) Lock(ctx context.Context, run generation.Run) (_ generation.Lock, err error) {
	for range lockTries {
		var l *lock
		l, err = s.tryLock(ctx, run)
		// Another load was faster, by a moment: see which one. A state index that is not there was made by now.
		if errors.Is(err, errRefused) || errors.Is(err, errNoState) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("taking the lock: %w", err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("taking the lock: tried %d times: %w: do these credentials see the index %s and its aliases?",
		lockTries, err, s.stateIndex())
}

// lockTries is more than a load needs that others are faster than: one of them holds the lock then.
const lockTries = 5

// errNoState: there was no state index. It has been created.
var errNoState = errors.New("elasticsearch does not show the state index")

func (s *Store) tryLock(ctx context.Context, run generation.Run) (*lock, error) {
	current, err := s.lockAlias(ctx)
	if errors.Is(err, index.ErrGone) {
		if err = s.createState(ctx); err == nil {
			err = errNoState
		}
	}
	if err != nil {
		return nil, err
	}
	if holder, err := s.holder(ctx, current); err != nil {
		return nil, err
	} else if holder != nil {
		return nil, &generation.LockedError{Run: *holder}
	}
	marks, err := s.marks(ctx)
	if err != nil {
		return nil, err
	}
	l := &lock{store: s, token: s.newToken(s.now())}
	err = s.commit(ctx, l.isHeld,
		append(marks, removeAlias(s.stateIndex(), current), addAlias(s.stateIndex(), l.token))...)
	if err != nil {
		return nil, err
	}
	if current != s.freeLock() {
		s.log.WarnContext(ctx, "the lock of a load that stopped renewing it was taken over")
	}
	// What the entry says is of a load that has no lock any more.
	err = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		return l.publish(ctx, run, func(entry) bool { return true })
	})
	if err != nil {
		return nil, errors.Join(err, l.Release(context.WithoutCancel(ctx)))
	}
	return l, nil
}

// holder returns the load that holds the lock by the alias `current`, or nil if it is free or has expired.
func (s *Store) holder(ctx context.Context, current string) (*generation.Run, error) {
	if current == s.freeLock() {
		return nil, nil
	}
	e, err := s.readEntry(ctx)
	if err != nil {
		return nil, err
	}
	run := e.Source.Run
	if e.Source.Token != current {
		// The holder has not yet written its entry.
		taken := s.takenAt(current)
		run = generation.Run{Holder: "unknown", Started: taken, Renewed: taken, Phase: "preparing"}
	}
	if age := s.now().Sub(run.Renewed); age >= generation.LockTTL || age <= -generation.LockTTL {
		return nil, nil
	}
	return &run, nil
}

// Running returns the load that holds the lock, or nil.
func (s *Store) Running(ctx context.Context) (_ *generation.Run, err error) {
	defer wrap(&err, "looking which load is running")
	current, err := s.lockAlias(ctx)
	if errors.Is(err, index.ErrGone) {
		return nil, nil // no load ever ran
	}
	if err != nil {
		return nil, err
	}
	return s.holder(ctx, current)
}

// LastRun returns what the load that holds the lock, or held it last, published last; nil before the first load.
func (s *Store) LastRun(ctx context.Context) (*generation.Run, error) {
	e, err := s.readEntry(ctx)
	if errors.Is(err, index.ErrGone) || err == nil && e.Term == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading about the last load: %w", err)
	}
	return &e.Source.Run, nil
}

// Renew keeps the lock for another generation.LockTTL and publishes run.
func (l *lock) Renew(ctx context.Context, run generation.Run) (err error) {
	defer wrap(&err, "renewing the lock")
	// An entry of ours that we do not know of is one whose response did not come.
	return l.publish(ctx, run, func(e entry) bool { return e.Source.Token == l.token })
}

// publish writes run as of now. If the entry is not where it was, mayReplace decides about what is there instead.
func (l *lock) publish(ctx context.Context, run generation.Run, mayReplace func(entry) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		run.Renewed = l.store.now().UTC()
		err := l.store.writeEntry(ctx, &l.entry, l.token, run)
		switch {
		case errors.Is(err, index.ErrGone):
			return generation.ErrLockLost
		case !client.HasKind(err, "version_conflict_engine_exception"):
			return err
		}
		if l.entry, err = l.store.readEntry(ctx); err != nil {
			return err
		}
		if !mayReplace(l.entry) {
			return generation.ErrLockLost
		}
	}
}

// fence returns the fencing condition: that the lock is held when the actions with it are carried out.
func (l *lock) fence() []action {
	state := l.store.stateIndex()
	return []action{removeAlias(state, l.token), addAlias(state, l.token)}
}

// isHeld looks whether the lock is held now.
func (l *lock) isHeld(ctx context.Context) (bool, error) {
	current, err := l.store.lockAlias(ctx)
	if errors.Is(err, index.ErrGone) {
		return false, nil
	}
	return current == l.token, err
}

// mustHold is generation.ErrLockLost unless the lock is held now.
func (l *lock) mustHold(ctx context.Context) error {
	held, err := l.isHeld(ctx)
	if err == nil && !held {
		return generation.ErrLockLost
	}
	return err
}

// explain makes an error say what was attempted. One whose reason is that the lock was lost becomes
// generation.ErrLockLost.
func (l *lock) explain(ctx context.Context, err *error, what string) {
	if *err == nil {
		return
	}
	if !client.IsTemporary(*err) {
		if held, unknown := l.isHeld(ctx); unknown == nil && !held {
			*err = generation.ErrLockLost
		}
	}
	wrap(err, what)
}

// Promote is Swap, in one step with the condition that the lock is held.
func (l *lock) Promote(ctx context.Context, from, to string) (err error) {
	defer l.explain(ctx, &err, "promoting "+to)
	return l.store.swap(ctx, from, to, append(l.fence(), l.store.markPromoted())...)
}

// Delete deletes a generation that is not live, in one step with the conditions that the lock is held and that the live
// generation is still another one. index.ErrNotFound if there is none of that name.
func (l *lock) Delete(ctx context.Context, name string) (err error) {
	defer l.explain(ctx, &err, "deleting "+name)
	s := l.store
	if _, ok := generation.ParseName(s.alias, name); !ok {
		return index.ErrNotFound
	}
	live, err := s.liveName(ctx)
	if err != nil {
		return err
	}
	actions := l.fence()
	switch live {
	case name:
		return errors.New("it is live")
	case "":
	default:
		actions = append(actions, removeAlias(live, s.alias), addWriteAlias(live, s.alias))
	}
	beside, err := s.removeBeside(ctx, name)
	if err != nil {
		return err
	}
	remove, err := s.removeOrRetire(ctx, name)
	if err != nil {
		return err
	}
	err = s.commit(ctx, func(ctx context.Context) (bool, error) {
		found, err := s.describe(ctx, name)
		return errors.Is(err, index.ErrGone) || found[name].retired(name), nil
	}, append(append(actions, beside...), remove)...)
	switch {
	case errors.Is(err, index.ErrGone):
		return index.ErrNotFound
	case errors.Is(err, errRefused):
		return generation.ErrConflict
	}
	return err
}

// Release gives the lock up.
func (l *lock) Release(ctx context.Context) (err error) {
	defer wrap(&err, "releasing the lock")
	s := l.store
	err = s.commit(ctx, func(ctx context.Context) (bool, error) {
		held, err := l.isHeld(ctx)
		return !held, err
	}, removeAlias(s.stateIndex(), l.token), addAlias(s.stateIndex(), s.freeLock()))
	if errors.Is(err, errRefused) || errors.Is(err, index.ErrGone) {
		err = generation.ErrLockLost
	}
	return err
}
