package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/generation"
	"filings/index/history"
	"filings/mappings"
)

// build is a generation.Build.
type build struct {
	store *Store
	lock  *lock
	name  string
	from  string // the generation that was copied, "" for none
	bulk  *bulk

	stamps    *history.Collector     // of what was put and removed
	unstamped bool                   // what was copied has no stamps
	noted     generation.Differences // where that differs from what was copied, if anything was
}

var _ generation.Build = (*build)(nil)

// Begin makes a new, unsealed generation: empty, or a clone of the sealed generation `from`, which shares its files and
// so takes seconds. That the lock is held is checked before: an index cannot be created in one step with that condition. If
// it is lost at this very moment, an unsealed generation is left behind, which the next load deletes.
func (l *lock) Begin(ctx context.Context, from string) (_ generation.Build, err error) {
	defer l.explain(ctx, &err, "beginning a generation")
	s := l.store
	if err := l.mustHold(ctx); err != nil {
		return nil, err
	}
	name, err := s.nextName(ctx)
	if err != nil {
		return nil, err
	}
	var source document.Meta
	if from == "" {
		err = s.create(ctx, name)
	} else if source, err = s.sealed(ctx, from); err == nil {
		err = s.clone(ctx, from, name)
	}
	if err != nil {
		return nil, err
	}
	return &build{
		store: s, lock: l, name: name, from: from, bulk: s.newBulk(ctx, buildAlias(name), source.Writes), stamps: history.NewCollector(),
	}, nil
}

// nextName names a generation that is newer than all others, and than those that steps are kept of, even if the clock was set
// back.
func (s *Store) nextName(ctx context.Context) (string, error) {
	found, err := s.describeAll(ctx, s.alias+"-*")
	if err != nil {
		return "", err
	}
	next := s.now().UTC().Truncate(time.Microsecond)
	for name := range found {
		name = strings.TrimSuffix(name, stepSuffix)
		if t, ok := generation.ParseName(s.alias, name); ok && !next.After(t) {
			next = t.Add(time.Microsecond)
		}
	}
	return generation.Name(s.alias, next, mappings.Version), nil
}

// buildAlias is what a generation is written through. A write that demands an alias cannot create an index.
func buildAlias(generation string) string { return generation + "-build" }

// loadingSettings make writing cheap: nothing has to be searchable or copied before Seal. What was accepted is synced all
// the same (the default of translog.durability): a bulk request is megabytes, and with "async" a node that is killed
// forgets what it accepted in its last five seconds, so that the load fails its verification instead of going on.
// Deletions are kept for long, so that an older write that comes late does not undo one.
func loadingSettings() map[string]any {
	return map[string]any{
		"number_of_replicas": 0, "refresh_interval": "-1", "gc_deletes": "12h",
	}
}

func (s *Store) create(ctx context.Context, name string) error {
	settings := loadingSettings()
	settings["number_of_shards"] = s.shards
	body, err := mappings.Body(settings)
	if err != nil {
		return err
	}
	var parts map[string]any
	if err := json.Unmarshal(body, &parts); err != nil {
		return err
	}
	return s.createIndex(ctx, name, parts, func(body io.Reader) esapi.Request {
		return esapi.IndicesCreateRequest{Index: name, Body: body}
	})
}

func (s *Store) clone(ctx context.Context, from, name string) error {
	settings := loadingSettings()
	settings["blocks.write"] = false
	parts := map[string]any{"settings": map[string]any{"index": settings}}
	return s.createIndex(ctx, name, parts, func(body io.Reader) esapi.Request {
		return esapi.IndicesCloneRequest{Index: from, Target: name, Body: body}
	})
}

// createIndex creates an index that is written through its build alias, and waits until it can be.
func (s *Store) createIndex(
	ctx context.Context, name string, parts map[string]any, request func(body io.Reader) esapi.Request,
) error {
	parts["aliases"] = map[string]any{buildAlias(name): map[string]any{"is_hidden": true}}
	body, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	unsure := false
	err = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		_, err := s.c.Do(ctx, request(bytes.NewReader(body)))
		if unsure && client.HasKind(err, alreadyExists) {
			return nil // the first request, whose response did not come, made it
		}
		unsure = unsure || client.IsTemporary(err)
		return err
	})
	if err != nil {
		return s.explainTemplate(ctx, err)
	}
	if err := s.keepOffAlias(ctx, name); err != nil {
		return err
	}
	return s.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.ClusterHealthRequest{Index: []string{name}, WaitForStatus: "yellow", Timeout: 50 * time.Second}
	})
}

// Generation names the generation that is built.
func (b *build) Generation() string { return b.name }

// Put adds f or replaces the filing with its id. An error may be an earlier action's.
func (b *build) Put(ctx context.Context, f *index.Filing) error {
	return b.written(ctx, b.bulk.put(ctx, f, b.stamps))
}

// Remove removes a filing, if it is there. An error may be an earlier action's.
func (b *build) Remove(ctx context.Context, id int64) error {
	b.stamps.Remove(id)
	return b.written(ctx, b.bulk.remove(ctx, id))
}

func (b *build) written(ctx context.Context, err error) error {
	if err != nil {
		b.lock.explain(ctx, &err, "writing to "+b.name)
	}
	return err
}

// Abort deletes the generation.
func (b *build) Abort(ctx context.Context) error {
	b.bulk.abandon()
	_ = b.stamps.Close() // nobody reads them any more
	return b.lock.Delete(ctx, b.name)
}
