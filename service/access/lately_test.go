package access_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"filings/service/access"
)

// TestLately: only a key that was admitted in the last minute, and not refused in it, has work begun
// beside an admission, and one at a time.
func TestLately(t *testing.T) {
	t.Parallel()
	var l access.Lately
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	good := access.Admission{User: "u", Tier: access.Pro}
	begins := func(want bool) {
		t.Helper()
		last, ok := l.Begin("k", now)
		if ok != want || ok && last.User != "u" {
			t.Errorf("begins: %v, as %+v; want %v", ok, last, want)
		}
	}
	ends := func(a access.Admission, err error, began bool) { l.Ended("k", a, err, began, now) }

	begins(false) // a stranger
	ends(access.Admission{Verdict: access.UnknownKey}, nil, false)
	begins(false)
	ends(good, nil, false)
	begins(true)
	begins(false) // one at a time
	ends(good, nil, false)
	begins(false) // that was another one's admission
	ends(good, nil, true)
	begins(true)
	ends(good, nil, true)
	now = now.Add(time.Minute)
	begins(false) // admitted too long ago
	for _, refused := range []struct {
		a   access.Admission
		err error
	}{
		{access.Admission{Verdict: access.UnknownKey}, nil},
		{access.Admission{Verdict: access.BurstExceeded, User: "u"}, nil},
		{access.Admission{Verdict: access.DailyExceeded, User: "u"}, nil},
		{access.Admission{Verdict: access.LifetimeExceeded, User: "u"}, nil},
		{access.Admission{}, errors.New("no reply")},
	} {
		ends(good, nil, false)
		begins(true)
		ends(refused.a, refused.err, true)
		begins(false)
		now = now.Add(time.Minute - 1)
		ends(good, nil, false) // admitted again
		begins(false)
		now = now.Add(1)
		begins(true) // a minute after the refusal
		ends(good, nil, true)
	}
}

// TestLately_Bounded: of however many keys some are known, and room is made by those that are old.
func TestLately_Bounded(t *testing.T) {
	t.Parallel()
	var l access.Lately
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	begun := func(from int) (n int) {
		for i := range 30_000 {
			hash := strconv.Itoa(from + i)
			l.Ended(hash, access.Admission{User: "u"}, nil, false, now)
			if _, ok := l.Begin(hash, now); ok {
				n++
			}
		}
		return n
	}
	if n := begun(0); n != 10_000 {
		t.Errorf("%d keys are known", n)
	}
	now = now.Add(30 * time.Second)
	if n := begun(30_000); n != 0 {
		t.Errorf("%d more are known", n)
	}
	now = now.Add(30 * time.Second)
	if n := begun(60_000); n != 10_000 {
		t.Errorf("%d keys are known a minute later", n)
	}
}
