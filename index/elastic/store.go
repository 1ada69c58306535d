// Package elastic is the Elasticsearch engine: a generation.Store whose generations are indices behind an alias. It owns
// which generation is live, the lock of loads, and how a generation is built. It knows nothing of HTTP handlers, load files
// or tiers, and it neither starts nor configures a cluster.
//
// # Design: packages
//
// Arrows point one way: elastic (generations) uses reader (queries of one index), and both use document (what a filing is
// there) and client (requests, responses, errors, retries). Reading is a package of its own, since it must not depend on
// how well writing works; document is one, since what is written and what is read must be named in one place.
//
// # Design: generations
//
// With FILINGS_INDEX=filings, a generation is the index that generation.Name names. The alias `filings` points
// at the live one. A generation counts as sealed if its `_meta` says so and names the generation itself: a
// clone inherits its source's `_meta`, and must not inherit being sealed. That `_meta` is the last thing that Seal
// writes, so a load that is killed leaves a generation that is either unsealed, for the next load to delete, or
// whole.
//
// That `_meta` also keeps what makes the generation that one (identity.go). What a stranger deletes from a sealed index, or puts
// into it, is an outage of that generation and no shorter response.
//
// Live looks once a second at which index the alias points, and queries go to that index and never to the alias, so
// that nothing mixes two generations (live.go).
//
// # Design: every change is one cluster state update
//
// The actions of an `_aliases` request are applied together or not at all, by the elected master. Two things make a
// compare-and-swap of it (aliases.go):
//
//   - `remove` with must_exist fails the whole request if the alias is not where the caller last saw it;
//   - the alias is always added as the write index, of which an alias can have one. A second `add` without a
//     `remove` is refused, so not even two first loads can put two indices behind the alias. (Nothing is ever
//     written through it: sealed indices are write-blocked.)
//
// That a generation was promoted once is an alias of `filings-state`, which the promotion adds: without it, data that were
// lost would look like a service before its first load (promoted.go).
//
// The lock is an alias too, on the small hidden index `filings-state` (lock.go). Its name holds a random token, and
// there is always exactly one: `filings-lock-free`, or the one of the holder. Taking the lock moves it; promoting
// and deleting carry a fencing condition, "my token's alias must exist", in the same request as the change. A load that
// was suspended, lost its lock and wakes up again therefore cannot promote or delete, however late its request arrives.
// Deleting also demands that the live generation still is the one that was seen, so that a rollback at the same moment
// cannot have its target deleted. Only before anything is live is there no such condition.
//
// The holder of the lock, and how far that load is, stands in a document of that index. It is written through the
// token's alias (require_alias) and with if_seq_no, so a holder that lost the lock cannot overwrite its successor's.
//
// Whether a lock has expired is judged by the clocks of two machines: the holder writes its time when it renews, the
// next load compares with its own. Clocks may differ by LockTTL minus the pause between renewals, 22 seconds. If
// they differ more, a load may lose its lock while it still runs. It then fails with generation.ErrLockLost; the fencing
// above keeps the data right. A time that lies LockTTL or more in the future counts as expired, so that one wrong
// clock cannot lock loads out for ever.
//
// A response that does not arrive leaves open whether the change was made. Such requests are sent again, and a
// refusal of the repetition is compared with the state that was wanted (commit in aliases.go).
//
// # Design: changes
//
// Beside a generation stand hidden indices: the stamps of its filings, which are deleted with it, and its step, which
// outlives it (package history; beside.go, changes.go). Both are written before the generation is sealed. Readers find the
// step by an alias that the promotion adds, in the same cluster state update, so that nothing names a generation that was not
// promoted. A generation that kept steps still need is not deleted but gets the alias NAME-retired: it is listed and opened no
// more.
//
// # Design: loading
//
// The bulk writer (bulk.go) is our own. go-elasticsearch's BulkIndexer drops the items of a request that failed, and
// still closes without an error; and it does not repeat items that were refused. Ours accounts for each filing by
// its own item of a response (batch.go). It repeats refused items and whole requests until two minutes after the
// first failure, and then fails the load. It has a fixed number of requests in progress and fills one batch more: Put
// waits until one of them ends.
//
// Each action carries an explicit `_id`, so a repetition cannot double a filing, and a version (external_gte) that
// counts the actions of the build, going on from those of the generation that was copied. So Elasticsearch keeps the
// last action of an id whatever order requests arrive in: writers need not keep the order, and a request that was
// given up and is carried out after all changes nothing. A version conflict means that a later action of the same id
// was already applied, and counts as done.
//
// Actions are sent through an alias that only the generation being built has, with require_alias: if the generation
// was deleted meanwhile, Elasticsearch would otherwise create an index of that name, with guessed mappings.
// The alias stays when the generation is sealed; writes are blocked then.
package elastic

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"filings/index/cache"
	"filings/index/elastic/client"
	"filings/index/generation"
	"filings/index/history"
)

// Config says where Elasticsearch is and how its generations are laid out.
type Config struct {
	Addresses          []string // http:// or https:// URLs, at least one
	Username, Password string   // basic authentication; "" for none
	APIKey             string   // instead of Username and Password
	CAFile             string   // PEM file of the certificates to trust; "" for the system's
	Index              string   // alias of the live generation, and first part of the names of all
	Shards, Replicas   int      // of a sealed generation; at least 1 and 0

	Now    func() time.Time // nil: time.Now
	Cache  *cache.Cache     // for what is computed; nil: one of its own
	Logger *slog.Logger     // nil: nothing is logged
}

// indexName is what Elasticsearch takes as the name of an index, less the letters that no configuration needs. The
// length leaves room for what generations and the lock add to it; Elasticsearch's limit is 255 bytes.
var indexName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,127}$`)

// check names the first thing that is wrong. Package client checks the rest.
func (cfg Config) check() error {
	switch {
	case !indexName.MatchString(cfg.Index):
		return errors.New("elasticsearch: the index name must be 1 to 128 of a-z, 0-9, _ and -, a letter or digit first")
	case cfg.Shards < 1 || cfg.Shards > 1024:
		return errors.New("elasticsearch: the number of shards must be between 1 and 1024")
	case cfg.Replicas < 0:
		return errors.New("elasticsearch: the number of replicas must be 0 or more")
	}
	return nil
}

// Store is a generation.Store in Elasticsearch. It is safe for concurrent use, and any number of processes may have one on
// the same cluster.
type Store struct {
	c                *client.Client
	alias            string
	shards, replicas int
	now              func() time.Time
	cache            *cache.Cache
	log              *slog.Logger
	batchBytes       int // of a bulk request, about

	fewCounties, countiesADocument int   // beside.go
	few                            int64 // history.Few

	live live
}

var _ generation.Store = (*Store)(nil)

// ownCache holds the tables of a hundred filters and orders, and half a million counties.
const ownCache = 128 << 20

// Open returns a store. It reads the CA file and sends nothing: Live reports whether Elasticsearch is there.
func Open(cfg Config) (*Store, error) { return open(cfg, client.Config{}) }

// open is Open with what only tests change of the client.
func open(cfg Config, c client.Config) (*Store, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c.Addresses, c.Username, c.Password, c.APIKey, c.CAFile = cfg.Addresses, cfg.Username, cfg.Password, cfg.APIKey, cfg.CAFile
	c.Logger = cfg.Logger
	sender, err := client.Open(c)
	if err != nil {
		return nil, err
	}
	s := &Store{
		c: sender, alias: cfg.Index, shards: cfg.Shards, replicas: cfg.Replicas, now: cfg.Now, cache: cfg.Cache, log: cfg.Logger,
		batchBytes: batchBytes, fewCounties: fewCounties, countiesADocument: countiesADocument, few: history.Few,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.cache == nil {
		s.cache = cache.New(ownCache)
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s, nil
}

// wrap makes an error say what was attempted.
func wrap(err *error, what string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", what, *err)
	}
}
