package access_test

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/service/access"
)

func TestX58_Overlap(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s, other := p.open(t, smallQuotas(), now.Now), p.open(t, smallQuotas(), now.Now)
		good := func(what string, want bool, keys ...string) {
			t.Helper()
			for _, key := range keys {
				for _, s := range []access.Store{s, other} {
					a, err := s.Admit(ctx, access.Key(key), access.NoPrice)
					must(t, err)
					same(t, what, want, a.Verdict == access.Admitted)
				}
			}
		}
		rotate := func(overlap time.Duration) string {
			t.Helper()
			key, err := s.Rotate(ctx, "ann", overlap)
			must(t, err)
			return key
		}
		first := create(t, s, "ann", access.Pro)
		made := now.Now()
		now.Advance(time.Hour)
		second := rotate(24 * time.Hour)
		until := now.Now().Add(24 * time.Hour)
		want := []access.OlderKey{{Prefix: first[:8], CreatedAt: made, Ends: until}}
		same(t, "shown", want, show(t, s, "ann").Older)

		admit(t, s, second)
		same(t, "the newer one was used", want, show(t, s, "ann").Older)
		now.Advance(time.Hour)
		used := now.Now()
		same(t, "one usage: two are used", int64(6), admit(t, other, first).Remaining)
		want[0].LastUsedAt = &used
		same(t, "used", want, show(t, s, "ann").Older)
		now.Advance(time.Hour)
		good("both", true, first, second)

		now.Advance(until.Sub(now.Now()) - time.Microsecond)
		third := rotate(time.Minute)
		good("a second rotation keeps the promise of the first", true, first, second, third)
		same(t, "three are shown", 2, len(show(t, s, "ann").Older))
		now.Advance(time.Microsecond)
		good("the first ends at its time", false, first)
		good("the others stay", true, second, third)
		now.Advance(time.Minute)
		good("the second ends at its time", false, first, second)
		good("the third stays", true, third)
		same(t, "none is shown", 0, len(show(t, s, "ann").Older))

		fourth := rotate(time.Hour)
		fifth := rotate(0)
		good("K3 without an overlap all end", false, third, fourth)
		sixth := rotate(access.MaxOverlap)
		good("before a revocation", true, fifth, sixth)
		must(t, s.Revoke(ctx, "ann"))
		good("revoked", false, fifth, sixth)
		same(t, "none is shown after a revocation", 0, len(show(t, s, "ann").Older))
		last := create(t, s, "ann", access.Pro)
		good("created after a revocation", false, fifth, sixth)
		good("the only one", true, last)
		same(t, "usage of the next day", int64(0), show(t, s, "ann").Used)
	})
}

// TestX58_Tokens has a token end with the key that it was made with.
func TestX58_Tokens(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, tokenLimits(8, 8), now.Now)
		first := create(t, s, "ann", access.Pro)
		_, err := s.Rotate(ctx, "ann", time.Hour)
		must(t, err)
		visit := func() access.Verdict {
			a, err := s.Admit(ctx, access.Credential{Hash: access.HashKey(first), Visitor: "v", Burst: 5}, 1)
			must(t, err)
			return a.Verdict
		}
		same(t, "until then", access.Admitted, visit())
		used := now.Now()
		same(t, "a token uses its key", &used, show(t, s, "ann").Older[0].LastUsedAt)
		now.Advance(time.Hour)
		same(t, "afterwards", access.UnknownKey, visit())
	})
}

func TestX58_Invalid(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, s := t.Context(), p.open(t, smallQuotas(), nil)
		key := create(t, s, "ann", access.Pro)
		for _, overlap := range []time.Duration{-time.Hour, 1, time.Minute - 1, access.MaxOverlap + 1} {
			_, err := s.Rotate(ctx, "ann", overlap)
			var invalid access.InvalidError
			if !errors.As(err, &invalid) {
				t.Errorf("%s: %v", overlap, err)
			}
		}
		same(t, "nothing has happened", access.Admitted, admit(t, s, key).Verdict)
		if _, err := s.Rotate(ctx, "bob", time.Hour); !errors.Is(err, access.ErrNoAccount) {
			t.Errorf("no account: %v", err)
		}
		must(t, s.Revoke(ctx, "ann"))
		if _, err := s.Rotate(ctx, "ann", time.Hour); !errors.Is(err, access.ErrRevoked) {
			t.Errorf("revoked: %v", err)
		}
	})
}

// TestX58_OneQuota uses two keys of an account up, in two processes at once: together they get its quota, and no more.
func TestX58_OneQuota(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, sharedLimits(), nil)
		first := create(t, s, "ann", access.Free)
		second, err := s.Rotate(t.Context(), "ann", time.Hour)
		must(t, err)
		var done [2]int64
		var group errgroup.Group
		for i, key := range []string{first, second} {
			group.Go(func() (err error) {
				done[i], err = worker{Place: p, Key: key}.run(t)
				return err
			})
		}
		must(t, group.Wait())
		same(t, "admitted", int64(300), done[0]+done[1])
		same(t, "counted", int64(300), show(t, s, "ann").Used)
	})
}
