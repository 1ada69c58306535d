package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"

	"filings/service/access"
)

// wantEmptied wants a store that says that it has lost its accounts, to requests and to readiness checks.
func wantEmptied(t *testing.T, s access.Store, key string) {
	t.Helper()
	_, err := s.Admit(t.Context(), access.Key(key), 1)
	if !errors.Is(err, access.ErrEmptied) || !errors.Is(err, access.ErrUnavailable) {
		t.Errorf("admit: %v, want ErrEmptied, a kind of ErrUnavailable", err)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, access.ErrEmptied) {
		t.Errorf("ping: %v, want ErrEmptied", err)
	}
}

// wantNew wants a store that works: keys that it does not know are refused.
func wantNew(t *testing.T, s access.Store) {
	t.Helper()
	must(t, s.Ping(t.Context()))
	same(t, "a key that nobody has", access.UnknownKey, admit(t, s, someKey).Verdict)
}

// flush deletes all of a prefix, as FLUSHALL does, or a restart without persistence.
func flush(t *testing.T, client *redis.Client, prefix string) {
	t.Helper()
	for names := client.Scan(t.Context(), 0, prefix+"*", 1000).Iterator(); names.Next(t.Context()); {
		must(t, client.Del(t.Context(), names.Val()).Err())
	}
}

func TestK9_RedisEmptied(t *testing.T) {
	t.Parallel()
	p := redisPlace(t)
	folder := t.TempDir()
	open := func(mark string) *access.Redis {
		s, err := access.OpenRedis(access.RedisConfig{URL: p.At, Limits: smallQuotas(), Prefix: p.Key, HadAccounts: mark})
		must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	mark := filepath.Join(folder, access.HadAccountsFile)
	admits, pings, misses, idle := open(mark), open(""), open(""), open("")
	for _, s := range []access.Store{admits, pings, misses} {
		wantNew(t, s) // before the first account
	}
	key := create(t, admits, "ann", access.Free)
	admit(t, admits, key)
	must(t, pings.Ping(t.Context()))
	same(t, "a wrong key", access.UnknownKey, admit(t, misses, someKey).Verdict)

	flush(t, admits.Client(), p.Key)
	for _, s := range []access.Store{admits, pings, misses} {
		wantEmptied(t, s, key)
	}
	wantNew(t, idle) // it saw no account and has no file
	wantNew(t, open(filepath.Join(folder, "none", access.HadAccountsFile)))
	started := open(mark)
	wantEmptied(t, started, key)

	other := create(t, started, "ben", access.Enterprise) // which makes it a store with accounts again
	for _, s := range []access.Store{admits, pings, misses, started} {
		wantNew(t, s)
		same(t, "the new key", access.Admitted, admit(t, s, other).Verdict)
	}
	flush(t, admits.Client(), p.Key)
	must(t, os.Remove(mark)) // on purpose, as its text says
	wantNew(t, open(mark))
}

// A Redis that was away long enough for the breaker to open, and comes back empty, lets accounts be created.
func TestK9_EmptiedClosesTheBreaker(t *testing.T) {
	t.Parallel()
	r, prefix := openRedis(t, nil)
	key := create(t, r, "ann", access.Free)
	admit(t, r, key)
	flush(t, r.Client(), prefix)
	wantEmptied(t, r, key)
	must(t, r.Probe(t.Context()))
}

func TestK9_EmbeddedDeleted(t *testing.T) {
	t.Parallel()
	p := embeddedPlace(t)
	s, err := p.connect(smallQuotas(), nil)
	must(t, err)
	wantNew(t, s)
	key := create(t, s, "ann", access.Free)
	admit(t, s, key)
	for _, file := range []string{p.At, p.At + "-wal", p.At + "-shm"} {
		must(t, os.Remove(file))
	}
	wantOutage(t, operations(s), p.At) // the deleted file would go on admitting, and lose what it counts
	must(t, s.Close())

	s = p.open(t, smallQuotas(), nil)
	wantEmptied(t, s, key)
	other := create(t, s, "ben", access.Free)
	wantNew(t, s)
	same(t, "the old key", access.UnknownKey, admit(t, s, key).Verdict)
	same(t, "the new key", access.Admitted, admit(t, s, other).Verdict)
	same(t, "mode", 0o600, mode(t, filepath.Join(filepath.Dir(p.At), access.HadAccountsFile)))
}

// An account that lost its key is an account still: its store was not emptied.
func TestK9_RevokedIsNotEmptied(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, smallQuotas(), nil)
		key := create(t, s, "ann", access.Free)
		admit(t, s, key)
		must(t, s.Revoke(t.Context(), "ann"))
		must(t, s.Ping(t.Context()))
		same(t, "a revoked key", access.UnknownKey, admit(t, s, key).Verdict)
	})
}

// Ping does what an admission does, so a file that takes no more writes is not ready.
func TestK9_EmbeddedThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := embeddedPlace(t).open(t, smallQuotas(), nil).(*access.Embedded)
	key := create(t, s, "ann", access.Free)
	_, err := s.DB().ExecContext(t.Context(), "PRAGMA query_only = on")
	must(t, err)
	_, err = s.Admit(t.Context(), access.Key(key), 1)
	wantError(t, err, "admit: key store unavailable")
	wantError(t, s.Ping(t.Context()), "ping: key store unavailable")
}
