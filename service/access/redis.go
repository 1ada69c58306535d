package access

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"log/slog"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"filings/index/batch"
	"filings/index/breaker"
)

const (
	defaultPrefix = "filings:"
	// callsAlone is how many calls in progress go alone. Up to it, waiting for one another costs as
	// much as it saves (docs/records/figures.md).
	callsAlone = 8
)

// RedisConfig has the address of the store and its limits.
type RedisConfig struct {
	// URL is redis:// or, with TLS, rediss://, as in redis://user:password@host:6379/0. The options of go-redis
	// (?pool_size=50) may follow, but for those that would retry a command or ignore a deadline. With master_name among
	// them it is the address of a Sentinel: newClient has the form.
	URL string
	// Limits are checked by Validate.
	Limits Limits
	// Prefix begins the name of everything in Redis. Empty: "filings:".
	Prefix string
	// Now is the clock. Nil: that of Redis, the only right one with more than one process.
	Now func() time.Time
	// HadAccounts is the path of a file that outlives the process, and tells the next one that the
	// store has had accounts. Nothing is kept without its folder. "": only this process knows.
	HadAccounts string
	// Registerer gets the metric of the circuit breaker. Nil: there is none.
	Registerer prometheus.Registerer
	// Log gets the breaker's changes of state. Nil: there is none.
	Log *slog.Logger
}

// Redis is a Store in one Redis server, or in the one that Sentinel names, for any number of processes.
//
// The deadline of a context ends the wait for a reply. A context that is cancelled before its
// deadline is noticed before a command is sent; from then on Redis has five seconds to reply.
type Redis struct {
	client  *redis.Client
	breaker *breaker.Breaker
	calls   *batch.Group[*evaluation]
	scripts map[string]*redis.Script // by name
	limits  Limits
	prefix  string
	now     func() time.Time
	had     hadAccounts
}

var _ Store = (*Redis)(nil)

// OpenRedis returns the store that cfg describes. It connects when first used: Ping tells whether Redis replies. An
// error never quotes the URL, which may hold a password.
//
// It turns off go-redis's own log, which is one for the whole program: it writes addresses to
// standard error, past the log of the service. Its reports are returned as errors too.
func OpenRedis(cfg RedisConfig) (*Redis, error) {
	if err := cfg.Limits.Validate(); err != nil {
		return nil, err
	}
	client, err := newClient(cfg.URL)
	if err != nil {
		return nil, err
	}
	scripts, err := loadScripts(cfg.Limits)
	if err != nil {
		return nil, err
	}
	if cfg.Prefix == "" {
		cfg.Prefix = defaultPrefix
	}
	r := &Redis{
		client:  client,
		scripts: scripts,
		limits:  cfg.Limits,
		prefix:  cfg.Prefix,
		now:     cfg.Now,
	}
	r.calls = batch.New(callsAlone, callTimeout, r.evaluate)
	r.had.rememberIn(cfg.HadAccounts)
	r.breaker = breaker.New(breaker.Config{Server: "the key store", Down: ErrUnavailable, Probe: r.probe, Log: cfg.Log})
	if cfg.Registerer != nil {
		err = cfg.Registerer.Register(r.breaker.Metric("filings_keys_breaker_state"))
	}
	return r, err
}

// Ping implements Store. It does not wait for the breaker.
func (r *Redis) Ping(ctx context.Context) error {
	reply, err := r.count(ctx)
	if err != nil {
		return err
	}
	return r.look("ping", &reply)
}

// probe is the breaker's. A store without accounts passes: else none could be created.
func (r *Redis) probe(ctx context.Context) error {
	_, err := r.count(ctx)
	return err
}

// count is a small call of the kind that requests make, as the breaker wants it. It replies whether there are accounts.
func (r *Redis) count(ctx context.Context) (reply, error) {
	values, err := r.scripts["ping"].Run(ctx, r.client, nil, r.prefix, "").Slice()
	if err != nil {
		return reply{}, redisFailure("ping", err)
	}
	return reply{values: values}, nil
}

// Close implements Store.
func (r *Redis) Close() error {
	return r.client.Close()
}

// run executes a script and returns its reply. Errors name the action.
func (r *Redis) run(ctx context.Context, action, script string, args ...any) (reply, error) {
	now := ""
	if r.now != nil {
		now = strconv.FormatInt(r.now().UnixMicro(), 10)
	}
	e := &evaluation{script: r.scripts[script], args: append([]any{r.prefix, now}, args...)}
	var values []any
	var refused error // a reply, but about one account
	err := r.breaker.Do(ctx, func(ctx context.Context) (err error) {
		if err = r.calls.Do(ctx, e); err == nil {
			values, err = e.reply.Slice()
		}
		switch {
		case err != nil && aboutOneAccount(err):
			refused = redisFailure(action, err)
			return nil
		case err != nil:
			return redisFailure(action, err)
		}
		return nil
	})
	return reply{values: values}, cmp.Or(err, refused)
}

// evaluation is a script that is to run once.
type evaluation struct {
	script *redis.Script
	args   []any
	reply  *redis.Cmd
}

// evaluate runs scripts one after the other, and keeps the reply to each: they are written and read
// together, but no less apart than if each were sent alone. A Redis without one has not run it.
func (r *Redis) evaluate(ctx context.Context, evaluations []*evaluation) {
	if len(evaluations) == 1 {
		evaluations[0].reply = evaluations[0].script.Run(ctx, r.client, nil, evaluations[0].args...)
		return
	}
	pipeline := r.client.Pipeline()
	for _, e := range evaluations {
		e.reply = e.script.EvalSha(ctx, pipeline, nil, e.args...)
	}
	_, _ = pipeline.Exec(ctx) // each has its own error
	for _, e := range evaluations {
		if redis.HasErrorPrefix(e.reply.Err(), "NOSCRIPT") {
			e.reply = e.script.Eval(ctx, pipeline, nil, e.args...)
		}
	}
	_, _ = pipeline.Exec(ctx)
}

//go:embed lua
var scriptFiles embed.FS

// loadScripts reads the scripts, by the names of their files. Redis gets to know one when it first
// runs. The limits are part of their text: as arguments they were most of a request's bytes.
func loadScripts(limits Limits) (map[string]*redis.Script, error) {
	prelude, err := scriptFiles.ReadFile("lua/prelude.lua")
	if err != nil {
		return nil, fmt.Errorf("read scripts: %w", err)
	}
	var start strings.Builder
	for _, tier := range Tiers {
		l := limits[tier]
		fmt.Fprintf(&start, "tiers.%s = { %d, %d, %d, %d }\n", tier, l.Quota, l.Burst, l.Tokens, l.burst(true))
	}
	files, err := scriptFiles.ReadDir("lua")
	if err != nil {
		return nil, fmt.Errorf("read scripts: %w", err)
	}
	scripts := map[string]*redis.Script{}
	for _, file := range files {
		text, err := scriptFiles.ReadFile(path.Join("lua", file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read scripts: %w", err)
		}
		scripts[strings.TrimSuffix(file.Name(), ".lua")] = redis.NewScript("local tiers = {}\n" + start.String() +
			string(prelude) + "\n" + string(text))
	}
	return scripts, nil
}

var errForeign = fmt.Errorf("%w: Redis holds what this program did not write", ErrUnavailable)

// reply reads a script's values, one by one.
type reply struct {
	values []any
	err    error // the first value that was not as expected
}

func (r *reply) text() string       { return next[string](r) }
func (r *reply) number() int64      { return next[int64](r) }
func (r *reply) instant() time.Time { return time.UnixMicro(r.number()).UTC() }

func next[T any](r *reply) T {
	var value T
	ok := len(r.values) > 0
	if ok {
		value, ok = r.values[0].(T)
		r.values = r.values[1:]
	}
	if !ok && r.err == nil {
		r.err = errForeign
	}
	return value
}
