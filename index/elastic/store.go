// Package elastic is the Elasticsearch engine: a generation.Store whose generations are indices. It
// owns how the catalog of generations is stored, how a generation is built, and the alias that
// leads others to the live one. It leaves the fate of generations to package generation. It knows
// nothing of HTTP handlers, load files or tiers, and it neither starts nor configures a cluster.
//
// # Design: packages
//
// Arrows point one way: elastic (generations) uses reader (queries of one index), and both use
// document (the form of a filing there) and client (requests, responses, errors, retries). Reading
// is a package of its own, since it must not depend on how well writing works; document is one,
// since names of fields must be the same for writing and reading.
//
// # Design: storage
//
// With FILINGS_INDEX=filings, a generation is the index that generation.Name names, and its
// sidecars are hidden indices, with a document for each chunk of package sidecar:
// `NAME-sidecar` and `NAME-changes`. The `_meta` of a generation is the last thing that its writer
// writes. It has the facts of the generation, and its name: a clone inherits its source's `_meta`,
// and must not count as finished by that.
//
// That `_meta`, and the catalog, also keep the generation's identity (identity.go). A filing that a
// stranger deletes from a sealed index, or puts into it, is an outage of that generation and no
// shorter response.
//
// The catalog is the one document of the small hidden index `filings-catalog` (storage.go). It is
// replaced with if_seq_no and if_primary_term, so of two who have read the same one only one
// replaces it; its first write demands that there is none. It is written through an alias of that
// index, with require_alias: where the index was deleted, a write would otherwise make it anew,
// with guessed mappings. Reading it is one request, of one document, from whichever copy of the
// shard is near: that is all that a service needs to learn once a second which generation is live.
// A copy that is read while its primary dies may show a replacement that is lost with it; then a
// service has seen a generation, sealed and whole, that is not live after all.
//
// The alias `filings` is for others, and follows the catalog (alias.go). It is added as the write
// index, of which an alias can have one, and removed on the condition that it is where it was seen
// (must_exist), so that of two who move it at once only one does; the other one looks again.
// (Nothing is ever written through it: sealed indices are write-blocked.) Queries go to the index
// of a generation and never to the alias, so that nothing mixes two generations.
//
// A response that does not arrive leaves open whether a change was made. Such requests are sent
// again, and their sender compares the result with its wish.
//
// # Design: loading
//
// The bulk writer (bulk.go) is our own. go-elasticsearch's BulkIndexer drops the items of a request
// that failed, and still closes without an error; and it does not repeat refused items. Ours
// accounts for each filing by its own item of a response. It repeats refused items and whole
// requests until two minutes after the first failure, and then fails the load. It has a fixed
// number of requests in progress and fills one batch more: Put waits until one of them ends.
//
// Each action carries an explicit `_id`, so a repetition cannot double a filing, and a version
// (external_gte) that counts the actions, going on from those of a copied generation. So
// Elasticsearch keeps the last action of an id whatever order requests arrive in: a request that
// was given up and is carried out after all changes nothing. A version conflict means that a later
// action of the same id was already applied, and counts as done.
//
// Actions are sent through an alias that only the generation being built has, with require_alias:
// if the generation was deleted meanwhile, Elasticsearch would otherwise create an index of that
// name, with guessed mappings. The alias stays on a sealed generation, whose writes are blocked.
package elastic

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
	"filings/index/generation"
	"filings/index/sidecar"
	"filings/mappings"
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
	Cache  *cache.Cache     // of results; nil: one of its own
	Logger *slog.Logger     // nil: nothing is logged
}

// indexName matches names of indices that Elasticsearch takes, less the letters that no
// configuration needs. The length leaves room for the parts that generations and the lock add to
// it; Elasticsearch's limit is 255 bytes.
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

// Store is a generation.Store in Elasticsearch. It is safe for concurrent use, and any number of
// processes may have one on the same cluster.
type Store struct {
	*generation.Lifecycle
	storage *storage
}

var _ generation.Store = (*Store)(nil)

// ownCache holds the tables of a hundred filters and orders, and half a million counties.
const ownCache = 128 << 20

// Open returns a store. It reads the CA file and sends nothing, so Elasticsearch may be missing.
func Open(cfg Config) (*Store, error) { return open(cfg, client.Config{}) }

// open is Open with a client's settings that only tests change.
func open(cfg Config, c client.Config) (*Store, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c.Addresses, c.CAFile, c.Logger = cfg.Addresses, cfg.CAFile, cfg.Logger
	c.Username, c.Password, c.APIKey = cfg.Username, cfg.Password, cfg.APIKey
	sender, err := client.Open(c)
	if err != nil {
		return nil, err
	}
	s := &storage{
		c: sender, alias: cfg.Index, shards: cfg.Shards, replicas: cfg.Replicas, cache: cfg.Cache, log: cfg.Logger,
		batchBytes: batchBytes,
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if s.cache == nil {
		s.cache = cache.New(ownCache)
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return &Store{storage: s, Lifecycle: generation.New(s, generation.Options{
		Index: cfg.Index, Version: mappings.Version, Now: cfg.Now, Log: s.log, LiveFor: liveFor, Cache: s.cache,
	})}, nil
}

// liveFor is how long the live generation is taken for granted. index.Engine promises a second.
const liveFor = time.Second

// Stored implements generation.Storage.
func (s *storage) Stored(ctx context.Context, name string) iter.Seq2[index.Stored, error] {
	return func(yield func(index.Stored, error) bool) {
		r := reader.New(s.c, name, s.cache)
		for position := ""; ; {
			filings, next, err := r.Stored(ctx, position)
			for _, f := range filings {
				if !yield(f, nil) {
					return
				}
			}
			if err != nil {
				yield(index.Stored{}, err)
			}
			if err != nil || len(filings) == 0 {
				return
			}
			position = next
		}
	}
}

// storage is the generation.Storage of an index name.
type storage struct {
	c                *client.Client
	alias            string
	shards, replicas int
	cache            *cache.Cache
	log              *slog.Logger
	batchBytes       int // of a bulk request, about
}

var _ generation.Storage = (*storage)(nil)

// batchBytes is when a batch is sent. Larger ones gain nothing, and hold memory here and there.
const batchBytes = 5 << 20

// described is an index as one request describes it.
type described struct {
	Aliases  aliases
	Mappings struct {
		Meta document.Meta `json:"_meta"`
	}
}

// aliases are those of an index.
type aliases map[string]struct {
	Write bool `json:"is_write_index"`
}

// describe returns the indices of a name or pattern, hidden and closed ones too: one may be live.
func (s *storage) describe(ctx context.Context, indices string) (map[string]described, error) {
	var found map[string]described
	err := s.c.Read(ctx, &found, esapi.IndicesGetRequest{
		Index: []string{indices}, ExpandWildcards: "all", FilterPath: []string{"*.aliases", "*.mappings._meta"},
	})
	return found, err
}

// alreadyExists is the kind of an error about an index that should be created and is there.
const alreadyExists = "resource_already_exists_exception"

// catalogIndex has one document, the catalog of generations.
func (s *storage) catalogIndex() string { return s.alias + "-catalog" }

// catalogAlias is the alias that the catalog is written through. A write that demands an alias
// cannot create an index.
func (s *storage) catalogAlias() string { return s.catalogIndex() + "-write" }

// buildAlias is the alias that a generation is written through. A write that demands an alias
// cannot create an index.
func buildAlias(generation string) string { return generation + "-build" }

// sidecars are the kinds of hidden indices NAME-KIND beside a generation, those that former
// versions made included. The catalog decides on them.
var sidecars = []string{sidecar.Kept, sidecar.Changeset, "stamps", "counties", "owners"}

// part returns the part that an index is; false for one that is none of this store's.
func (s *storage) part(name string) (p generation.Part, ok bool) {
	for _, kind := range sidecars {
		if base, cut := strings.CutSuffix(name, "-"+kind); cut {
			name, p.Kind = base, kind
			break
		}
	}
	_, ok = generation.ParseName(s.alias, name)
	p.Generation = name
	return p, ok
}
