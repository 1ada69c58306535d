package limit

import (
	"math"
	"time"
)

// kind is a kind of calls, of an account or, without one, of all. Without a name too it is all
// calls, with an account its long ones.
type kind struct{ account, name string }

// lately is the record of a kind's latest calls.
type lately struct {
	longest time.Duration // counts half after each halfLife
	at      time.Time     // when it was that long
	seen    time.Time
	turn    uint64 // of an account: that of its last long call
}

func (k *lately) length(now time.Time) time.Duration {
	return time.Duration(float64(k.longest) * math.Exp2(-now.Sub(k.at).Seconds()/halfLife.Seconds()))
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
			k.longest, k.at = long, now
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
