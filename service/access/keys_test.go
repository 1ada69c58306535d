package access_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/service/access"
)

var keyForm = regexp.MustCompile(`^ak_live_[0-9a-f]{32}$`)

func TestK3_OneAccountOneKey(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, smallQuotas(), now.Now)

		first := create(t, s, "ann", access.Pro)
		if !keyForm.MatchString(first) {
			t.Errorf("key %q has not the specified form", first)
		}
		if _, err := s.Create(ctx, "ann", access.Pro, ""); !errors.Is(err, access.ErrHasKey) {
			t.Errorf("create with an active key: %v, want ErrHasKey", err)
		}
		same(t, "K3 a failed create changes nothing", "name of ann", show(t, s, "ann").Name)

		now.Advance(time.Hour)
		second, err := s.Rotate(ctx, "ann", 0)
		must(t, err)
		if !keyForm.MatchString(second) || second == first {
			t.Errorf("rotated key %q after %q", second, first)
		}
		same(t, "K2 the old key on the next request", access.UnknownKey, admit(t, s, first).Verdict)
		same(t, "the new key", access.Admitted, admit(t, s, second).Verdict)

		must(t, s.Revoke(ctx, "ann"))
		same(t, "K2 a revoked key on the next request", access.Admission{Verdict: access.UnknownKey}, admit(t, s, second))
		if err := s.Revoke(ctx, "ann"); !errors.Is(err, access.ErrRevoked) {
			t.Errorf("revoke again: %v, want ErrRevoked", err)
		}
		if _, err := s.Rotate(ctx, "ann", 0); !errors.Is(err, access.ErrRevoked) {
			t.Errorf("rotate a revoked account: %v, want ErrRevoked", err)
		}

		third := create(t, s, "ann", access.Starter)
		same(t, "the key after a revocation", access.Admitted, admit(t, s, third).Verdict)
		for _, old := range []string{first, second} {
			same(t, "an old key stays unknown", access.UnknownKey, admit(t, s, old).Verdict)
		}
	})
}

func TestK3_NoAccount(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, s := t.Context(), p.open(t, smallQuotas(), nil)
		create(t, s, "ann", access.Pro)
		for _, user := range []string{"", "an", "anna", "ANN", "ann ", "ann\x00", "-", "+", "[ann", "(ann", "*", "%", "' OR 1=1 --"} {
			_, rotate := s.Rotate(ctx, user, 0)
			_, show := s.Show(ctx, user)
			for what, err := range map[string]error{
				"rotate": rotate,
				"show":   show,
				"revoke": s.Revoke(ctx, user),
				"tier":   s.SetTier(ctx, user, access.Pro),
			} {
				if !errors.Is(err, access.ErrNoAccount) {
					t.Errorf("%s of %q: %v, want ErrNoAccount", what, user, err)
				}
			}
		}
	})
}

func TestK3_UsageStays(t *testing.T) {
	t.Parallel()
	for _, tier := range access.Tiers {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, p place) {
				ctx, s := t.Context(), p.open(t, smallQuotas(), morning().Now)
				key := create(t, s, "ann", tier)
				quota := smallQuotas()[tier].Quota
				same(t, "first", quota-1, admit(t, s, key).Remaining)

				key, err := s.Rotate(ctx, "ann", 0)
				must(t, err)
				same(t, "after a rotation", quota-2, admit(t, s, key).Remaining)

				must(t, s.Revoke(ctx, "ann"))
				same(t, "shown after a revocation", int64(2), show(t, s, "ann").Used)
				key = create(t, s, "ann", tier)
				same(t, "after revocation and creation", quota-3, admit(t, s, key).Remaining)
			})
		})
	}
}

func TestK4_Shown(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, now := t.Context(), morning()
		s := p.open(t, smallQuotas(), now.Now)
		key, err := s.Create(ctx, "ann", access.Starter, "laptop")
		must(t, err)
		want := access.Account{
			User: "ann", Tier: access.Starter, Prefix: key[:8], State: "active", Name: "laptop",
			CreatedAt: now.Now(), Quota: 5, Used: 0, Remaining: 5, Hash: access.HashKey(key),
		}
		same(t, "new", want, show(t, s, "ann"))

		admitAll(t, s, key, 2)
		want.Used, want.Remaining = 2, 3
		same(t, "used", want, show(t, s, "ann"))

		now.Advance(90 * time.Minute)
		key, err = s.Rotate(ctx, "ann", 0)
		must(t, err)
		want.CreatedAt, want.Hash = now.Now(), access.HashKey(key)
		same(t, "rotated", want, show(t, s, "ann"))

		must(t, s.Revoke(ctx, "ann"))
		want.State, want.Hash = "revoked", ""
		same(t, "revoked", want, show(t, s, "ann"))

		must(t, s.SetTier(ctx, "ann", access.Pro))
		want.Tier, want.Quota, want.Remaining = access.Pro, 8, 6
		same(t, "another tier, though revoked", want, show(t, s, "ann"))

		now.Advance(24 * time.Hour)
		want.Used, want.Remaining = 0, 8
		same(t, "the next day", want, show(t, s, "ann"))
	})
}

func TestK4_ListInOrder(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		ctx, s := t.Context(), p.open(t, smallQuotas(), morning().Now)
		got, err := s.List(ctx)
		must(t, err)
		if len(got) != 0 {
			t.Errorf("a new store lists %v", got)
		}

		users := []string{"Zoe", "a", "a:lifetime", "a:20000", "ab", "é", "名", `'";--%\*?`, "{tag}", "with blank", "[a", "(a", "-", "+"}
		for i := range 430 { // more than two of the pages that List reads
			users = append(users, fmt.Sprintf("user-%03d", i))
		}
		for _, user := range users {
			create(t, s, user, access.Free)
		}
		must(t, s.Revoke(ctx, "ab"))
		slices.Sort(users)

		got, err = s.List(ctx)
		must(t, err)
		var listed []string
		for _, account := range got {
			listed = append(listed, account.User)
			same(t, "listed and shown", show(t, s, account.User), account)
			if want := map[bool]string{true: "revoked", false: "active"}[account.User == "ab"]; account.State != want {
				t.Errorf("%s is %s, want %s", account.User, account.State, want)
			}
		}
		same(t, "users", users, listed)
	})
}

func TestK3_UsersAreApart(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, smallQuotas(), morning().Now)
		users := []string{"a", "a:lifetime", "a:lifetime:lifetime", "A", " a", "*", "?", "%", "_"}
		keys := map[string]string{}
		for _, user := range users {
			keys[user] = create(t, s, user, access.Free)
		}
		for i, user := range users {
			for range i % 4 {
				admit(t, s, keys[user])
			}
		}
		for i, user := range users {
			same(t, "used by "+user, int64(i%4), show(t, s, user).Used)
		}
	})
}

func TestK2_UnknownKeys(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, smallQuotas(), nil)
		key := create(t, s, "ann", access.Pro)
		last := map[bool]string{true: "1", false: "0"}[strings.HasSuffix(key, "0")]
		for _, wrong := range []string{
			"", " ", "ak_live_", key[:8], key[:39], key + "0", " " + key, key + "\n", strings.ToUpper(key),
			key[:39] + last, strings.Replace(key, "live", "test", 1), "ann", "*", strings.Repeat("x", 1<<20),
		} {
			if a := admit(t, s, wrong); a != (access.Admission{Verdict: access.UnknownKey}) {
				t.Errorf("key %.50q: %+v", wrong, a)
			}
		}
		same(t, "counted", int64(0), show(t, s, "ann").Used)
	})
}
