package access_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/service/access"
)

func TestEmbeddedFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"access.db", "with blank and ü.db", "what?#%41.db", "a;b&c=d.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place{Kind: "embedded", At: filepath.Join(t.TempDir(), name)}
			s, err := p.connect(smallQuotas(), nil)
			must(t, err)
			key := create(t, s, "ann", access.Free)
			for _, file := range []string{p.At, p.At + "-wal", p.At + "-shm"} {
				same(t, "mode of "+filepath.Base(file), 0o600, mode(t, file))
			}
			must(t, s.Close())
			same(t, "opened again", access.Admitted, admit(t, p.open(t, smallQuotas(), nil), key).Verdict)
		})
	}
}

func TestEmbeddedFileBecomesPrivate(t *testing.T) {
	t.Parallel()
	p := embeddedPlace(t)
	must(t, os.WriteFile(p.At, nil, 0o644))
	p.open(t, smallQuotas(), nil)
	same(t, "mode", 0o600, mode(t, p.At))
}

func TestEmbeddedOpenErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	other := filepath.Join(folder, "other.db")
	must(t, os.WriteFile(other, bytes.Repeat([]byte("not a database "), 100), 0o600))
	before := mode(t, folder)
	for _, test := range []struct {
		path   string
		limits access.Limits
		want   string
	}{
		{folder, smallQuotas(), "is not a file"},
		{filepath.Join(folder, "none", "access.db"), smallQuotas(), "no such file or directory"},
		{other, smallQuotas(), "file is not a database"},
		{filepath.Join(folder, "access.db"), access.Limits{}, "tier free has no limits"},
	} {
		_, err := access.OpenEmbedded(test.path, test.limits, nil)
		wantError(t, err, test.want)
	}
	same(t, "mode of the folder", before, mode(t, folder))
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Mode().Perm()
}

// TestEmbeddedOpenedAtOnce opens a file many times while it is being made.
func TestEmbeddedOpenedAtOnce(t *testing.T) {
	t.Parallel()
	p := embeddedPlace(t)
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			s, err := p.connect(smallQuotas(), nil)
			if err != nil {
				return err
			}
			return errors.Join(s.Ping(t.Context()), s.Close())
		})
	}
	must(t, group.Wait())
}

func TestK2_EmbeddedHoldsHashes(t *testing.T) {
	t.Parallel()
	p := embeddedPlace(t)
	key := create(t, p.open(t, smallQuotas(), nil), "ann", access.Free)
	found := false
	for _, file := range []string{p.At, p.At + "-wal"} {
		held, err := os.ReadFile(file)
		must(t, err)
		if bytes.Contains(held, []byte(key[8:])) {
			t.Errorf("%s holds the key", filepath.Base(file))
		}
		found = found || bytes.Contains(held, []byte(access.HashKey(key)))
	}
	same(t, "the hash is in one of the files", true, found)
}

func TestK8_DaysAreForgotten(t *testing.T) {
	t.Parallel()
	p, now := embeddedPlace(t), morning()
	s := p.open(t, smallQuotas(), now.Now)
	key := create(t, s, "ann", access.Free)
	for i := range 10 {
		must(t, s.SetTier(t.Context(), "ann", access.Free))
		if i < 3 {
			admit(t, s, key)
		}
		must(t, s.SetTier(t.Context(), "ann", access.Pro))
		admit(t, s, key)
		now.Advance(24 * time.Hour)
	}
	db, err := sql.Open("sqlite", p.At)
	must(t, err)
	defer db.Close()
	var days, life int
	row := db.QueryRow(`SELECT count(*) FILTER (WHERE counter <> 'lifetime'), sum(used) FILTER (WHERE counter = 'lifetime') FROM usage`)
	must(t, row.Scan(&days, &life))
	same(t, "days that are kept, used for life", [2]int{2, 3}, [2]int{days, life})
}
