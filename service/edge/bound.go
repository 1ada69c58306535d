package edge

import (
	"container/list"
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

// wait notes that c waits for a request, in fresh or idle.
func (l *Listener) wait(c *conn, in *list.List) {
	c.since, c.received = time.Now(), false
	c.element, c.in = in.PushBack(c), in
}

// unlist notes that c waits no more.
func (l *Listener) unlist(c *conn) {
	if c.element != nil {
		c.in.Remove(c.element)
		c.element = nil
	}
}

// drop closes c while it waits. A request that arrives on it is not handled: no response would arrive.
func (l *Listener) drop(c *conn) {
	c.dropped = true
	l.leave(c)
	_ = c.raw.Close()
}

// leave notes that c is closed.
func (l *Listener) leave(c *conn) {
	if !c.left {
		c.left = true
		l.unlist(c)
		l.figures.Open--
		l.hasRoom()
	}
}

// hasRoom wakes a goroutine that waits for room, or for the last connection.
func (l *Listener) hasRoom() {
	select {
	case l.room <- struct{}{}:
	default:
	}
}
