package access_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/service/access"
)

// tokenLimits are those of a pro account whose tokens have a share.
func tokenLimits(quota, share int64) access.Limits {
	l := smallQuotas()
	l[access.Pro] = access.Limit{Quota: quota, Burst: 1_000_000, Tokens: share}
	return l
}

// visits is the task of a process: many visitors at once, at one instant, each with more requests than its burst has.
type visits struct {
	Hash         string
	Visitors     int
	Burst        int64
	Quota, Share int64
	At           time.Time
}

// work prints how often each visitor was admitted.
func (v visits) work(at place) error {
	store, err := at.connect(tokenLimits(v.Quota, v.Share), func() time.Time { return v.At })
	if err != nil {
		return err
	}
	defer store.Close()
	admitted := make([]int64, v.Visitors)
	var group errgroup.Group
	for i := range admitted {
		group.Go(func() error {
			for range v.Burst + 1 {
				a, err := store.Admit(context.Background(),
					access.Credential{Hash: v.Hash, Visitor: fmt.Sprint("visitor ", i), Burst: v.Burst}, 1)
				switch {
				case err != nil:
					return err
				case a.Verdict == access.Admitted:
					admitted[i]++
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(admitted)
}

// TestX33_ExactUnderProcesses: of 200 visitors in four processes none is admitted more often than its burst, all together not more
// often than the tokens' share, nor than what the key leaves of the quota; and as often as that.
func TestX33_ExactUnderProcesses(t *testing.T) {
	t.Parallel()
	const visitors, burst, byKey = 200, 5, 7
	for name, test := range map[string]struct{ quota, share, want int64 }{
		"burst": {5000, 4000, visitors * burst},
		"share": {1000, 300, 300},
		"quota": {400, 400, 400 - byKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, p place) {
				s := p.open(t, tokenLimits(test.quota, test.share), morning().Now)
				key := create(t, s, "ann", access.Pro)
				admitAll(t, s, key, byKey)
				task := worker{Place: p, Visits: &visits{access.HashKey(key), visitors, burst, test.quota, test.share, morning().Now()}}
				var mu sync.Mutex
				var group errgroup.Group
				total, of := int64(0), make([]int64, visitors)
				for range 4 {
					group.Go(func() error {
						var admitted []int64
						err := task.prints(t, &admitted)
						mu.Lock()
						defer mu.Unlock()
						for i, n := range admitted {
							of[i] += n
							total += n
						}
						return err
					})
				}
				must(t, group.Wait())
				for i, n := range of {
					if n > burst {
						t.Errorf("visitor %d: admitted %d times", i, n)
					}
				}
				same(t, "admitted", test.want, total)
				same(t, "counted", test.want+byKey, show(t, s, "ann").Used)
			})
		})
	}
}

// TestX33_Ends: a token ends with its key, and where the account becomes free; the tokens' share outlives both.
func TestX33_Ends(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, s := t.Context(), p.open(t, tokenLimits(8, 4), morning().Now)
		visit := func(key string) access.Admission {
			t.Helper()
			a, err := s.Admit(ctx, access.Credential{Hash: access.HashKey(key), Visitor: "192.0.2.7", Burst: 25}, 1)
			must(t, err)
			return a
		}
		first := create(t, s, "ann", access.Pro)
		a := visit(first)
		same(t, "admitted", access.Admitted, a.Verdict)
		same(t, "share", int64(3), a.Tokens.Remaining)
		same(t, "visitor", int64(24), a.Visitor.Remaining)
		second, err := s.Rotate(ctx, "ann", 0)
		must(t, err)
		same(t, "rotated", access.UnknownKey, visit(first).Verdict)
		a = visit(second)
		same(t, "with the new key", int64(2), a.Tokens.Remaining)
		must(t, s.Refund(ctx, a, 1))
		same(t, "refunded", int64(2), visit(second).Tokens.Remaining)
		must(t, s.SetTier(ctx, "ann", access.Free))
		same(t, "of a free account", access.UnknownKey, visit(second).Verdict)
		must(t, s.SetTier(ctx, "ann", access.Pro))
		visit(second)
		visit(second)
		same(t, "the share is used up", access.TokensExceeded, visit(second).Verdict)
		same(t, "the key is not", access.Admitted, admit(t, s, second).Verdict)
		must(t, s.Revoke(ctx, "ann"))
		same(t, "revoked", access.UnknownKey, visit(second).Verdict)
	})
}

// TestX33_Burst: tokens of any number of visitors leave the rest of the account's burst to its key, at any moment, and have what the key
// leaves of their share; once it is refilled they go on.
func TestX33_Burst(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		clock := morning()
		l := smallQuotas()
		l[access.Pro] = access.Limit{Quota: 1000, Burst: 10, Tokens: 800, TokenBurst: 8}
		s := p.open(t, l, clock.Now)
		key := create(t, s, "ann", access.Pro)
		visitors := 0
		visit := func() access.Admission {
			t.Helper()
			visitors++
			a, err := s.Admit(t.Context(),
				access.Credential{Hash: access.HashKey(key), Visitor: fmt.Sprint(visitors), Burst: 5}, 1)
			must(t, err)
			return a
		}
		for i := range int64(8) {
			a := visit()
			same(t, "a visitor", access.Admitted, a.Verdict)
			same(t, "of the burst", access.Window{Name: "burst", Limit: 8, Used: i + 1, Remaining: 7 - i, Resets: a.Burst.Resets}, a.Burst)
		}
		a := visit()
		same(t, "beyond the share", access.BurstExceeded, a.Verdict)
		same(t, "remains", int64(0), a.Burst.Remaining)
		a = admit(t, s, key)
		same(t, "the key", access.Admitted, a.Verdict)
		same(t, "remains of the key's", int64(1), a.Burst.Remaining)
		same(t, "the key, again", access.Admitted, admit(t, s, key).Verdict)
		same(t, "the key, beyond the burst", access.BurstExceeded, admit(t, s, key).Verdict)
		clock.Advance(200 * time.Millisecond) // two are refilled
		same(t, "while the key has some of the share", access.BurstExceeded, visit().Verdict)
		clock.Advance(100 * time.Millisecond)
		same(t, "once that is refilled", access.Admitted, visit().Verdict)
		same(t, "counted", int64(11), show(t, s, "ann").Used)
	})
}

// TestX57_Charge: what is charged to a token counts in the share too, all of it or nothing, and
// on the day of the charge; a key's does not.
func TestX57_Charge(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, clock := t.Context(), morning()
		s := p.open(t, tokenLimits(20, 8), clock.Now)
		key := create(t, s, "ann", access.Pro)
		visit := func() access.Admission {
			t.Helper()
			a, err := s.Admit(ctx, access.Credential{Hash: access.HashKey(key), Visitor: "192.0.2.7", Burst: 5}, 0)
			must(t, err)
			return a
		}
		says := func(what string, a access.Admission, verdict access.Verdict, remaining, ofTokens int64) {
			t.Helper()
			same(t, what, []any{verdict, remaining, ofTokens}, []any{a.Verdict, a.Remaining, a.Tokens.Remaining})
		}
		a := visit()
		says("admitted uncharged", a, access.Admitted, 20, 8)
		says("more than the share", charge(t, s, a, 9), access.TokensExceeded, 20, 8)
		first := charge(t, s, a, 5)
		says("charged", first, access.Admitted, 15, 3)
		same(t, "the visitor's burst", a.Visitor, first.Visitor)
		says("more than is left of the share", charge(t, s, first, 4), access.TokensExceeded, 15, 3)
		must(t, s.Refund(ctx, charge(t, s, first, 4), 4))
		says("a refund of what was refused", visit(), access.Admitted, 15, 3)
		must(t, s.Refund(ctx, first, 2))
		says("refunded", visit(), access.Admitted, 17, 5)

		byKey := admitUncharged(t, s, key)
		says("by the key", charge(t, s, byKey, 14), access.Admitted, 3, 0)
		says("more than is left of the quota", charge(t, s, a, 4), access.DailyExceeded, 3, 5)
		says("all that is left", charge(t, s, a, 3), access.Admitted, 0, 2)

		clock.Advance(24 * time.Hour)
		next := charge(t, s, a, 8)
		says("after midnight", next, access.Admitted, 12, 0)
		must(t, s.Refund(ctx, first, 3))
		says("a refund of yesterday", charge(t, s, next, 1), access.TokensExceeded, 12, 0)
		same(t, "no more visits", access.TokensExceeded, visit().Verdict)
		same(t, "the key goes on", access.Admitted, admit(t, s, key).Verdict)
		must(t, s.SetTier(ctx, "ann", access.Free))
		same(t, "of an account that became free", false, charge(t, s, a, 1).Verdict == access.Admitted)
	})
}
