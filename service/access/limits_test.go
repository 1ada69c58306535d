package access_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"filings/service/access"
)

func TestK5_LimitsValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(access.Limits)
		want   string // in the error; empty: none
	}{
		{"small", func(access.Limits) {}, ""},
		{"quota 0", func(l access.Limits) { l[access.Free] = access.Limit{Quota: 0, Burst: 1} }, ""},
		{"largest burst", func(l access.Limits) { l[access.Pro] = access.Limit{Quota: 1, Burst: 1_000_000_000} }, ""},
		{"quota below 0", func(l access.Limits) { l[access.Starter] = access.Limit{Quota: -1, Burst: 1} }, "quota of tier starter must be 0 or more, not -1"},
		{"burst 0", func(l access.Limits) { l[access.Pro] = access.Limit{Quota: 1, Burst: 0} }, "burst of tier pro must be 1 to 1000000000, not 0"},
		{"burst too large", func(l access.Limits) { l[access.Pro] = access.Limit{Quota: 1, Burst: 1_000_000_001} }, "burst of tier pro must be 1 to 1000000000"},
		{"more of the burst for tokens than it has", func(l access.Limits) { l[access.Pro] = access.Limit{Quota: 1, Burst: 1, TokenBurst: 2} }, "burst of tokens of tier pro must be 0 to its burst, not 2"},
		{"more tokens than quota", func(l access.Limits) { l[access.Pro] = access.Limit{Quota: 1, Burst: 1, Tokens: 2} }, "tokens of tier pro must be 0 to its quota, not 2"},
		{"tier missing", func(l access.Limits) { delete(l, access.Enterprise) }, "tier enterprise has no limits"},
		{"tier unknown", func(l access.Limits) { l["gold"] = access.Limit{Quota: 1, Burst: 1} }, `tier must be one of [free starter pro enterprise], not "gold"`},
	}
	for _, test := range tests {
		t.Run("K5 "+test.name, func(t *testing.T) {
			t.Parallel()
			all := smallQuotas()
			test.change(all)
			wantError(t, all.Validate(), test.want)
		})
	}
}

func TestK3_Input(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, user string
		tier       access.Tier
		label      string
		want       string
	}{
		{"plain", "auth0|5f7c8ec7", access.Free, "laptop", ""},
		{"one character", "ü", access.Pro, "", ""},
		{"200 characters", strings.Repeat("ü", 200), access.Pro, strings.Repeat("名", 200), ""},
		{"no user", "", access.Free, "", "user must not be empty"},
		{"a blank user", " \u00a0 ", access.Free, "", "user must not be blank"},
		{"201 characters", strings.Repeat("ü", 201), access.Free, "", "user must be at most 200 characters"},
		{"line break", "a\nb", access.Free, "", "user must not hold control characters"},
		{"escape", "a\x1b[2J", access.Free, "", "user must not hold control characters"},
		{"zero byte", "a\x00", access.Free, "", "user must not hold control characters"},
		{"broken UTF-8", "a\xff", access.Free, "", "user must be valid UTF-8"},
		{"tier in capitals", "a", "Free", "", `tier must be one of [free starter pro enterprise], not "Free"`},
		{"no tier", "a", "", "", "tier must be one of"},
		{"broken tier", "a", "fr\xffee", "", "tier must be one of"},
		{"name too long", "a", access.Free, strings.Repeat("n", 201), "name must be at most 200 characters"},
		{"name with a tab", "a", access.Free, "a\tb", "name must not hold control characters"},
		{"name not UTF-8", "a", access.Free, "\xc3", "name must be valid UTF-8"},
	}
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, smallQuotas(), nil)
		good := 0
		for _, test := range tests {
			_, err := s.Create(t.Context(), test.user, test.tier, test.label)
			t.Run("K3 "+test.name, func(t *testing.T) {
				wantError(t, err, test.want)
				if err != nil && !utf8.ValidString(err.Error()) {
					t.Errorf("the error is not valid UTF-8: %q", err)
				}
			})
			if test.want != "" {
				continue
			}
			good++
			account := show(t, s, test.user)
			same(t, "user and name", [2]string{test.user, test.label}, [2]string{account.User, account.Name})
			wantError(t, s.SetTier(t.Context(), test.user, "gold"), "tier must be one of")
			same(t, "tier", test.tier, show(t, s, test.user).Tier)
		}
		accounts, err := s.List(t.Context())
		must(t, err)
		same(t, "accounts", good, len(accounts))
	})
}
