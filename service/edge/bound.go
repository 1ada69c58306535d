package edge

import (
	"time"
)

// Clients may open more connections than the process has descriptors, and send nothing on them. At the bound a new one takes
// the slot of one that only waits for its client: the one that has waited longest. A new client sends a request within
// milliseconds, one that has had a response may take its time: waiting for the first request weighs so many times as much.
const freshWeight = 60

// enter makes c one of l's connections. It makes room where the bound is reached, and waits while all are busy. It returns
// false if l accepts no more.
func (l *Listener) enter(c *conn) bool {
	for waited := false; ; waited = true {
		if entered, ended := l.tryEnter(c, !waited); entered || ended {
			return entered
		}
		select {
		case <-l.room:
		case <-l.ended:
		}
	}
}

func (l *Listener) tryEnter(c *conn, first bool) (entered, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.ended:
		return false, true
	default:
	}
	if l.figures.Open >= l.most {
		longest := l.longest(time.Now())
		if longest == nil {
			if first {
				l.figures.Waited++
			}
			return false, false
		}
		l.figures.MadeRoom++
		l.drop(longest)
	}
	l.figures.Open++
	l.wait(c, l.fresh)
	return true, false
}

// longest returns the connection that has waited longest for its client, nil if none waits.
func (l *Listener) longest(now time.Time) *conn {
	first, second := l.fresh.Front(), l.idle.Front()
	switch {
	case first == nil && second == nil:
		return nil
	case first == nil:
		return second.Value.(*conn)
	case second == nil:
		return first.Value.(*conn)
	}
	fresh, idle := first.Value.(*conn), second.Value.(*conn)
	if now.Sub(fresh.since)*freshWeight >= now.Sub(idle.since) {
		return fresh
	}
	return idle
}
