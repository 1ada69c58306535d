package embedded

import (
	"os"
	"testing"
	"time"

	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/conformance"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Harness {
		clock := indextest.NewClock(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
		dir := t.TempDir()
		open := func(t *testing.T) *Store {
			s, err := Open(Config{Dir: dir, Index: "filings", Now: clock.Now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			return s
		}
		store := open(t)
		return conformance.Harness{
			Store:   store,
			Advance: clock.Advance,
			Again:   func(t *testing.T) generation.Store { return open(t) },
			Older: func(t *testing.T) generation.Store {
				older := open(t)
				older.Version--
				return older
			},
			Lose: func(t *testing.T) {
				if err := os.Remove(store.storage.files.document(generation.CatalogDocument)); err != nil {
					t.Fatal(err)
				}
			},
			LockForLife: true,
		}
	})
}
