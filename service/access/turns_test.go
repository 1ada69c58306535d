package access_test

import (
	"database/sql"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"filings/service/access"
)

// TestEmbedded_TurnsOfKeys: however many requests of one key wait for the store, that of another key is admitted after at most
// two of them.
func TestEmbedded_TurnsOfKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := embeddedPlace(t)
		s, err := p.connect(sharedLimits(), time.Now)
		must(t, err)
		flooding, quiet := create(t, s, "ann", access.Enterprise), create(t, s, "bob", access.Pro)
		release := lock(t, p.At)

		var mu sync.Mutex
		var admitted []string
		var all sync.WaitGroup
		send := func(key string) {
			all.Go(func() {
				_, err := s.Admit(t.Context(), access.Key(key), 1)
				mu.Lock()
				defer mu.Unlock()
				if admitted = append(admitted, key); err != nil {
					t.Error(err)
				}
			})
		}
		for range 500 {
			send(flooding)
		}
		synctest.Wait()
		send(quiet)
		synctest.Wait()
		release()
		all.Wait()
		if before := slices.Index(admitted, quiet); before > 2 {
			t.Errorf("admitted after %d requests of another key", before)
		}
		must(t, s.Close())
	})
}

// lock takes the lock of a store's file, as another process would, and returns what releases it.
func lock(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	conn, err := db.Conn(t.Context())
	must(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	return func() {
		_, err := conn.ExecContext(t.Context(), "ROLLBACK")
		must(t, err)
		must(t, conn.Close())
		must(t, db.Close())
	}
}
