package generation

// IdleTime is idleTime, for tests.
const IdleTime = idleTime

// Pinned names the generations whose Readers stay open for requests that pin them, the one used last first.
func (l *Lifecycle) Pinned() (names []string) {
	l.pins.mu.Lock()
	defer l.pins.mu.Unlock()
	for _, of := range l.pins.pinned {
		names = append(names, of.Generation())
	}
	return names
}
