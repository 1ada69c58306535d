package access_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"filings/service/access"
)

func openRedis(t *testing.T, now func() time.Time) (*access.Redis, string) {
	t.Helper()
	p := redisPlace(t)
	return p.open(t, smallQuotas(), now).(*access.Redis), p.Key
}

func TestK8_OneRoundTrip(t *testing.T) {
	t.Parallel()
	r, _ := openRedis(t, nil)
	key := create(t, r, "ann", access.Starter)
	admit(t, r, key) // the first time ever, Redis does not know the script

	sent := new(commandCount)
	r.Client().AddHook(sent)
	for _, test := range []struct {
		name string
		key  string
		want access.Verdict
		sent int64
	}{
		{"admitted", key, access.Admitted, 1},
		{"unknown", someKey, access.UnknownKey, 1},
		{"not a key", "ak_live_", access.UnknownKey, 0},
	} {
		sent.Store(0)
		same(t, test.name, test.want, admit(t, r, test.key).Verdict)
		same(t, test.name+": commands", test.sent, sent.Load())
	}
}

// commandCount counts what is sent to Redis.
type commandCount struct{ atomic.Int64 }

func (c *commandCount) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return next(ctx, network, address)
	}
}

func (c *commandCount) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		c.Add(1)
		return next(ctx, command)
	}
}

func (c *commandCount) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		c.Add(int64(len(commands)))
		return next(ctx, commands)
	}
}

func TestK2_RedisHoldsHashes(t *testing.T) {
	t.Parallel()
	r, prefix := openRedis(t, nil)
	first := create(t, r, "ann", access.Free)
	admit(t, r, first)
	second, err := r.Rotate(t.Context(), "ann", 0)
	must(t, err)

	held := holds(t, r.Client(), prefix)
	text := fmt.Sprint(held)
	for what, secret := range map[string]string{
		"the old key": first[8:], "the new key": second[8:], "the hash of the old key": access.HashKey(first),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("Redis holds %s: %s", what, text)
		}
	}
	delete(held, "account:ann") // tested by what Show and Admit return
	same(t, "names and values", map[string]string{
		"accounts":                      "[ann]",
		"key:" + access.HashKey(second): "ann",
		"usage:ann:lifetime":            "1",
	}, held)
}

// holds returns all that Redis holds under a prefix.
func holds(t *testing.T, client *redis.Client, prefix string) map[string]string {
	t.Helper()
	ctx, held := t.Context(), map[string]string{}
	names := client.Scan(ctx, 0, prefix+"*", 1000).Iterator()
	for names.Next(ctx) {
		name := names.Val()
		kind, err := client.Type(ctx, name).Result()
		must(t, err)
		var value any
		switch kind {
		case "string":
			value, err = client.Get(ctx, name).Result()
		case "hash":
			value, err = client.HGetAll(ctx, name).Result()
		case "zset":
			value, err = client.ZRange(ctx, name, 0, -1).Result()
		default:
			t.Fatalf("%s is a %s", name, kind)
		}
		must(t, err)
		held[strings.TrimPrefix(name, prefix)] = fmt.Sprint(value)
	}
	must(t, names.Err())
	return held
}

func TestK8_DaysExpire(t *testing.T) {
	t.Parallel()
	now := morning()
	r, prefix := openRedis(t, now.Now)
	for _, tier := range []access.Tier{access.Free, access.Pro} {
		key := create(t, r, string(tier), tier)
		must(t, r.Refund(t.Context(), admit(t, r, key), 1))
		admit(t, r, key)
	}
	lives := func(name string) time.Duration {
		left, err := r.Client().TTL(t.Context(), prefix+name).Result()
		must(t, err)
		return left.Round(time.Hour)
	}
	same(t, "the day's counter", 48*time.Hour, lives(fmt.Sprintf("usage:pro:%d", now.Now().Unix()/86400)))
	same(t, "the lifetime counter (-1: for ever)", time.Duration(-1).Round(time.Hour), lives("usage:free:lifetime"))
}

func TestRedisURL(t *testing.T) {
	t.Parallel()
	const wrong, sentinels = "the Redis URL must look like", "the Redis URL of Sentinels must look like"
	tests := []struct {
		name, url, want string
	}{
		{"plain", "redis://127.0.0.1:6379", ""},
		{"TLS, password, database", "rediss://user:hidden@127.0.0.1:6379/3", ""},
		{"option", "redis://127.0.0.1:6379?pool_size=3&max_retries=9", ""},
		{"empty", "", wrong},
		{"other scheme", "http://user:hidden@127.0.0.1", wrong},
		{"socket", "unix:///hidden.sock", wrong},
		{"not an URL", "redis://user:hidden@127.0.0.1:port", wrong},
		{"database without number", "redis://127.0.0.1/hidden", wrong},
		{"unknown option", "redis://127.0.0.1?hidden=1", wrong},
		{"Sentinels", "redis://127.0.0.1?master_name=m&addr=127.0.0.2:26379&max_retries=9&password=hidden", ""},
		{"Sentinels, TLS", "rediss://user:hidden@127.0.0.1?master_name=m", ""},
		{"Sentinels without a name", "redis://127.0.0.1?master_name=", sentinels},
		{"Sentinels without a port", "redis://127.0.0.1?master_name=m&addr=hidden", sentinels},
		{"replicas", "redis://127.0.0.1?master_name=m&replica_only=true&password=hidden", sentinels},
		{"any of them", "redis://127.0.0.1?master_name=m&route_randomly=true", sentinels},
		{"another option of Sentinels", "redis://127.0.0.1?master_name=m&hidden=1", sentinels},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := access.OpenRedis(access.RedisConfig{URL: test.url, Limits: smallQuotas()})
			wantError(t, err, test.want)
			if err != nil {
				if strings.Contains(err.Error(), "hidden") {
					t.Errorf("the error quotes the URL: %v", err)
				}
				return
			}
			defer r.Close()
			options := r.Client().Options()
			same(t, "commands are sent again (go-redis shows none as 0)", 0, options.MaxRetries)
			same(t, "deadlines hold", true, options.ContextTimeoutEnabled)
			same(t, "TLS", strings.HasPrefix(test.url, "rediss"), options.TLSConfig != nil)
		})
	}
	_, err := access.OpenRedis(access.RedisConfig{URL: "redis://127.0.0.1", Limits: access.Limits{}})
	wantError(t, err, "tier free has no limits")
}

// TestK9_RedisHoldsSomethingElse admits no account that is not as this package writes it.
func TestK9_RedisHoldsSomethingElse(t *testing.T) {
	t.Parallel()
	r, prefix := openRedis(t, nil)
	key := create(t, r, "ann", access.Pro)
	must(t, r.Client().HSet(t.Context(), prefix+"account:ann", "tier", "gold").Err())
	_, err := r.Admit(t.Context(), access.Key(key), 1)
	wantError(t, err, "admit: key store unavailable: it replied TIER")

	must(t, r.Client().HDel(t.Context(), prefix+"account:ann", "tier").Err())
	_, err = r.Show(t.Context(), "ann")
	wantError(t, err, "show account: key store unavailable: Redis holds what this program did not write of the account \"ann\"")

	must(t, r.Client().Set(t.Context(), prefix+"account:ann", "text", 0).Err())
	_, err = r.Admit(t.Context(), access.Key(key), 1)
	wantError(t, err, "admit: key store unavailable: it replied WRONGTYPE")
}

// Redis may lose an account and not its key, by eviction or by hand. Whoever then creates the account anew has one key of it,
// and can revoke that.
func TestK3_LostAccountsKey(t *testing.T) {
	t.Parallel()
	r, prefix := openRedis(t, nil)
	lost := create(t, r, "ann", access.Pro)
	must(t, r.Client().Del(t.Context(), prefix+"account:ann").Err())
	key := create(t, r, "ann", access.Pro)
	same(t, "the new key", access.Admitted, admit(t, r, key).Verdict)
	same(t, "the key of the lost account", access.UnknownKey, admit(t, r, lost).Verdict)
	visit, err := r.Admit(t.Context(), access.Credential{Hash: access.HashKey(lost), Visitor: "1", Burst: 1}, 1)
	must(t, err)
	same(t, "its token", access.UnknownKey, visit.Verdict)
	must(t, r.Revoke(t.Context(), "ann"))
	for _, k := range []string{lost, key} {
		same(t, "after the revocation", access.UnknownKey, admit(t, r, k).Verdict)
	}
}
