package access

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"filings/index/breaker"
)

const (
	defaultPrefix = "filings:"

	// These bound what has no deadline of its own, such as a command. Redis replies in less than a millisecond, but may
	// stall for seconds while it writes to a slow disk.
	dialTimeout  = time.Second
	replyTimeout = 5 * time.Second
)

// RedisConfig says where the store is and what it allows.
type RedisConfig struct {
	// URL is redis:// or, with TLS, rediss://, as in redis://user:password@host:6379/0. The options of go-redis
	// (?pool_size=50) may follow, but for those that would retry a command or ignore a deadline.
	URL string
	// Limits are checked by Validate.
	Limits Limits
	// Prefix begins the name of everything in Redis. Empty: "filings:".
	Prefix string
	// Now is the clock. Nil: that of Redis, the only right one with more than one process.
	Now func() time.Time
	// Registerer gets the metric of the circuit breaker. Nil: there is none.
	Registerer prometheus.Registerer
	// Log gets the breaker's changes of state. Nil: there is none.
	Log *slog.Logger
}

// Redis is a Store in one Redis server, for any number of processes.
//
// The deadline of a context ends the wait for a reply. A context that is cancelled before its deadline is noticed before
// a command is sent; from then on Redis has five seconds to reply.
type Redis struct {
	client  *redis.Client
	breaker *breaker.Breaker
	scripts map[string]*redis.Script // by name
	limits  Limits
	tiers   []any // the limits as the script of Admit takes them
	prefix  string
	now     func() time.Time
}

var _ Store = (*Redis)(nil)

// OpenRedis returns the store that cfg describes. It connects when first used: Ping tells whether Redis replies. An
// error never quotes the URL, which may hold a password.
//
// It turns off go-redis's own log, which is one for the whole program: it writes addresses to standard error, past the
// log of the service. What it reports is returned as an error too.
func OpenRedis(cfg RedisConfig) (*Redis, error) {
	if err := cfg.Limits.Validate(); err != nil {
		return nil, err
	}
	options, err := redisOptions(cfg.URL)
	if err != nil {
		return nil, err
	}
	scripts, err := loadScripts()
	if err != nil {
		return nil, err
	}
	if cfg.Prefix == "" {
		cfg.Prefix = defaultPrefix
	}
	logging.Disable()
	r := &Redis{
		client:  redis.NewClient(options),
		scripts: scripts,
		limits:  cfg.Limits,
		prefix:  cfg.Prefix,
		now:     cfg.Now,
	}
	r.breaker = breaker.New(breaker.Config{Server: "the key store", Down: ErrUnavailable, Probe: r.Ping, Log: cfg.Log})
	for _, tier := range Tiers {
		r.tiers = append(r.tiers, string(tier), r.limits[tier].Quota, r.limits[tier].Burst)
	}
	if cfg.Registerer != nil {
		err = cfg.Registerer.Register(r.breaker.Metric("filings_keys_breaker_state"))
	}
	return r, err
}

// redisOptions reads an URL, and sets what the promises of a Store need.
func redisOptions(url string) (*redis.Options, error) {
	options, err := redis.ParseURL(url)
	if err != nil || options.Network != "tcp" {
		return nil, errors.New("the Redis URL must look like redis://user:password@host:6379/0, or rediss:// for TLS")
	}
	// A command without a reply may have counted: sent again, it would count twice. Connections that Redis has
	// closed are noticed before a command is sent, so none fails for that.
	options.MaxRetries = -1
	options.ContextTimeoutEnabled = true // the deadline of the request holds for its admission
	options.DialerRetries = 2            // one more after 100 ms, for a Redis that is being restarted
	if options.DialTimeout == 0 {
		options.DialTimeout = dialTimeout
	}
	if options.ReadTimeout == 0 {
		options.ReadTimeout = replyTimeout
	}
	if options.TLSConfig != nil {
		// go-redis would shake hands without looking at the deadline.
		dialer := &tls.Dialer{Config: options.TLSConfig}
		options.Dialer = dialer.DialContext
	}
	// Nothing is pushed to us: with RESP3, go-redis would look for that before each reply.
	options.Protocol = 2
	// Both only make new connections slower here: the first names the client, the second serves managed clusters.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return options, nil
}

// Ping implements Store. It deletes what is not there: a read-only Redis replies to PING, but admits no request.
func (r *Redis) Ping(ctx context.Context) error {
	if err := r.client.Del(ctx, r.prefix+"ping").Err(); err != nil {
		return redisFailure("ping", err)
	}
	return nil
}

// Close implements Store.
func (r *Redis) Close() error {
	return r.client.Close()
}

// run executes a script and returns its reply. What names the operation in an error.
func (r *Redis) run(ctx context.Context, what, script string, args ...any) (reply, error) {
	now := ""
	if r.now != nil {
		now = strconv.FormatInt(r.now().UnixMicro(), 10)
	}
	var values []any
	var refused error // a reply, but about one account
	err := r.breaker.Do(ctx, func(ctx context.Context) (err error) {
		values, err = r.scripts[script].Run(ctx, r.client, nil, append([]any{r.prefix, now}, args...)...).Slice()
		switch {
		case err != nil && aboutOneAccount(err):
			refused = redisFailure(what, err)
			return nil
		case err != nil:
			return redisFailure(what, err)
		}
		return nil
	})
	return reply{values: values}, cmp.Or(err, refused)
}
