package edge

// enter makes c one of l's connections. It waits while all of them are busy, and returns false if l accepts no more.
//
// Clients may open more connections than the process has descriptors, and send nothing on them. So
// at the bound a new one takes the slot of the one that has waited longest for its client.
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
		longest := l.waiting.Front()
		if longest == nil {
			if first {
				l.figures.Waited++
			}
			return false, false
		}
		l.figures.MadeRoom++
		l.drop(longest.Value.(*conn))
	}
	l.figures.Open++
	l.wait(c)
	return true, false
}
