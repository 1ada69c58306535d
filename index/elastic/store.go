package elastic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"filings/index"
	"filings/index/generation"
)

// Store is an index.Store in Elasticsearch. It is safe for concurrent use, and any number of processes may have one on
// the same cluster.
type Store struct {
	c                *client
	alias            string
	shards, replicas int
	now              func() time.Time
	log              *slog.Logger
	patience         time.Duration // how long requests of a load are repeated
	batchBytes       int           // of a bulk request, about
	live             live
}

var _ generation.Store = (*Store)(nil)

// Open returns a store. It reads the CA file and sends nothing: Live tells whether Elasticsearch is there.
func Open(cfg Config) (*Store, error) {
	return open(cfg, func(t http.RoundTripper) http.RoundTripper { return t })
}

func open(cfg Config, wrap func(http.RoundTripper) http.RoundTripper) (*Store, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c, err := newClient(cfg, wrap)
	if err != nil {
		return nil, err
	}
	s := &Store{
		c: c, alias: cfg.Index, shards: cfg.Shards, replicas: cfg.Replicas, now: cfg.Now, log: cfg.Logger,
		patience: patience, batchBytes: batchBytes,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s, nil
}

// Open returns a Reader of a sealed generation, or index.ErrNotFound.
func (s *Store) Open(ctx context.Context, generation string) (index.Reader, error) {
	if _, err := s.sealed(ctx, generation); err != nil {
		if errors.Is(err, errUnsealed) {
			err = index.ErrNotFound // not for readers, yet or ever
		}
		return nil, fmt.Errorf("opening %s: %w", generation, err)
	}
	return newReader(s.c, generation), nil
}
