package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"filings/index"
	"filings/index/elastic"
	"filings/index/embedded"
	"filings/index/generation"
	"filings/service/access"
)

// openStore opens the engine that the settings name, and what closes it. It does not wait for a server: the first use
// does.
func openStore(s settings, log *slog.Logger) (generation.Store, io.Closer, error) {
	if len(s.ElasticsearchURL) == 0 {
		store, err := embedded.Open(embedded.Config{Dir: s.DataDir, Index: s.Index})
		return store, store, err
	}
	store, err := elastic.Open(elastic.Config{
		Addresses: s.ElasticsearchURL,
		Username:  s.ElasticsearchUsername,
		Password:  s.ElasticsearchPassword,
		APIKey:    s.ElasticsearchAPIKey,
		CAFile:    s.ElasticsearchCAFile,
		Index:     s.Index,
		Shards:    s.IndexShards,
		Replicas:  s.IndexReplicas,
		Logger:    log,
	})
	if err != nil {
		return nil, nil, usageError{err}
	}
	return store, io.NopCloser(nil), nil // its connections end with the process
}

// openAccess opens the key store that the settings name. registerer, if there is one, gets its metrics.
func openAccess(s settings, registerer prometheus.Registerer) (access.Store, error) {
	if s.RedisURL == "" {
		if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("FILINGS_DATA_DIR: %w", err)
		}
		return access.OpenEmbedded(filepath.Join(s.DataDir, "access.db"), s.limits(), nil)
	}
	store, err := access.OpenRedis(access.RedisConfig{URL: s.RedisURL, Limits: s.limits(), Registerer: registerer})
	if err != nil {
		return nil, usageError{err}
	}
	return store, nil
}

// withStore opens the engine, hands it to do, and closes it.
func (p *program) withStore(do func(ctx context.Context, store generation.Store, args []string) error) func(*cobra.Command, []string) error {
	return p.withSettings(func(ctx context.Context, s settings, args []string) (err error) {
		store, closer, err := openStore(s, p.logger(s))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closer.Close()) }()
		return explain(s, do(ctx, store, args))
	})
}

// withAccess opens the key store, hands it to do, and closes it.
func (p *program) withAccess(do func(ctx context.Context, store access.Store) error) func(*cobra.Command, []string) error {
	return p.withSettings(func(ctx context.Context, s settings, _ []string) (err error) {
		store, err := openAccess(s, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		return explain(s, do(ctx, store))
	})
}

// explain adds to an error of a server that does not answer which setting names the server. The address itself is
// not shown: it may hold a password.
func explain(s settings, err error) error {
	switch {
	case errors.Is(err, index.ErrUnavailable) && len(s.ElasticsearchURL) > 0:
		return fmt.Errorf("%w (is Elasticsearch up at FILINGS_ELASTICSEARCH_URL?)", err)
	case errors.Is(err, access.ErrUnavailable) && s.RedisURL != "":
		return fmt.Errorf("%w (is Redis up at FILINGS_REDIS_URL?)", err)
	}
	return err
}
