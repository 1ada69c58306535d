package embedded

import (
	"errors"
	"os"
	"testing"

	"filings/index"
)

// spoil loads some filings, changes the sealed file and opens it by a new store.
func spoil(t *testing.T, statement string) *Store {
	t.Helper()
	dir := t.TempDir()
	first := openStore(t, dir)
	path := first.files.sealed(load(t, first, synthetics(50, 1)))
	db, err := openDatabase(path, "mode=rw", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return openStore(t, dir)
}

func TestDamage_IsAnErrorNotAGuess(t *testing.T) {
	t.Parallel()
	search := index.Where(index.Contains{Text: "a"})
	for name, statement := range map[string]string{
		"a wrong bit":     "UPDATE chunks SET data = zeroblob(length(data)) WHERE name IN ('search ends', 'id')",
		"a chunk is gone": "DELETE FROM chunks WHERE name IN ('search ends', 'id')",
		"a short chunk":   "UPDATE chunks SET data = x'', checksum = 0 WHERE name IN ('search ends', 'id')",
		"records gone":    "DELETE FROM filings; UPDATE chunks SET data = x'00' WHERE name = 'search'",
		"a longer tail":   "UPDATE filings SET tail = 1000000; DELETE FROM chunks WHERE name = 'search'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := liveReader(t, spoil(t, statement))
			_, rowsErr := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: 5})
			_, countErr := r.Count(t.Context(), search)
			for what, err := range map[string]error{"Rows": rowsErr, "Count": countErr} {
				if !errors.Is(err, index.ErrUnavailable) {
					t.Errorf("%s: %v, want ErrUnavailable", what, err)
				}
			}
		})
	}
}

func TestDamage_NoSummary(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{"none": "DELETE FROM summary", "no gob": "UPDATE summary SET value = x'00'"} {
		s := spoil(t, statement)
		if _, err := s.Live(t.Context()); !errors.Is(err, index.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
		if all, err := s.Generations(t.Context()); err != nil || len(all) != 1 || all[0].Damaged == nil {
			t.Errorf("%s: %+v, %v, want one that is known to be damaged", name, all, err)
		}
	}
}

func TestDamage_NoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := openStore(t, dir)
	name := load(t, first, synthetics(5, 1))
	if err := os.WriteFile(first.files.sealed(name), []byte("this is no database, however long it may be read"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(t, dir).Live(t.Context()); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}
