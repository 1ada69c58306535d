package access

import (
	"context"
	"database/sql"

	"github.com/redis/go-redis/v9"
)

// Client lets tests see what is sent to Redis and what Redis holds.
func (r *Redis) Client() *redis.Client { return r.client }

// HealthOf reads the reply of Redis to INFO.
func HealthOf(text string) Health { return healthOf(text) }

// Probe is what the breaker calls.
func (r *Redis) Probe(ctx context.Context) error { return r.probe(ctx) }

// DB lets tests change what SQLite does.
func (e *Embedded) DB() *sql.DB { return e.db }
