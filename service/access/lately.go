package access

import (
	"sync"
	"time"
)

// Lately knows the keys that were admitted in the last minute: only for them may work begin beside
// an admission. What that takes where the admission refuses is bounded: a key has one such work at
// a time, and none for a minute after a refusal, nor before it is admitted again. So no key has
// more than one a minute for nothing. The zero value knows none. It is safe for concurrent use.
type Lately struct {
	mu    sync.Mutex
	keys  map[string]*lately // by hash
	swept time.Time          // of what is over
}

// lately is what is known of a key.
type lately struct {
	admission Admission // the last one that admitted
	admitted  time.Time // when that was
	refused   time.Time // the last time; zero: not since it is known
	busy      bool
}

const (
	latelyTime = time.Minute
	// latelyKeys bounds the memory: 4 MB. More keys than that in a minute have no such work.
	latelyKeys = 10_000
)

// Begin reports whether work may begin beside an admission of the key with that hash, as the last
// admission had it. If it may, the key has none again until the next Ended.
func (l *Lately) Begin(hash string, now time.Time) (Admission, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.keys[hash]
	if k == nil || k.busy || now.Sub(k.admitted) >= latelyTime || now.Sub(k.refused) < latelyTime {
		return Admission{}, false
	}
	k.busy = true
	return k.admission, true
}

// Ended notes how an admission of a key ended. Began reports whether Begin let work begin beside it.
func (l *Lately) Ended(hash string, a Admission, err error, began bool, now time.Time) {
	admits := err == nil && a.Verdict == Admitted
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.keys[hash]
	if k == nil {
		if !admits || !l.hasRoom(now) {
			return
		}
		k = new(lately)
		l.keys[hash] = k
	}
	if began {
		k.busy = false
	}
	if admits {
		k.admission, k.admitted = a, now
	} else {
		k.refused = now
	}
}

// hasRoom reports whether there is room for another key.
func (l *Lately) hasRoom(now time.Time) bool {
	if l.keys == nil {
		l.keys = map[string]*lately{}
	}
	if len(l.keys) >= latelyKeys && now.Sub(l.swept) >= latelyTime {
		l.swept = now
		for hash, k := range l.keys {
			if now.Sub(k.admitted) >= latelyTime {
				delete(l.keys, hash)
			}
		}
	}
	return len(l.keys) < latelyKeys
}
