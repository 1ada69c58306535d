package elastic

import (
	"log/slog"

	"filings/index/cache"
	"filings/index/elastic/client"
	"filings/index/generation"
)

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

// alreadyExists is the kind of an error about an index that should be created and is there.
const alreadyExists = "resource_already_exists_exception"
