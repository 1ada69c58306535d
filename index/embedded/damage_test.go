package embedded

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"filings/index"
	"filings/index/cache"
	"filings/index/embedded/columns"
	"filings/index/generation"
)

// spoil loads some filings, changes the sealed file as a program with a fault would have written it, and opens it by a new
// store.
func spoil(t *testing.T, statement string) *Store {
	t.Helper()
	dir := t.TempDir()
	first := openStore(t, dir)
	path := first.storage.files.sealed(load(t, first, synthetics(50, 1)))
	changePages(t, path, statement)
	if err := appendSums(path); err != nil {
		t.Fatal(err)
	}
	return openStore(t, dir)
}

// changePages executes a statement in the sealed file at path, and leaves the file without its checksums.
func changePages(t *testing.T, path, statement string, args ...any) {
	t.Helper()
	pages, err := openPages(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(pages.Close(), os.Truncate(path, pages.pages*pageSize)); err != nil {
		t.Fatal(err)
	}
	db, err := openDatabase(path, "mode=rw", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDamage_IsAnErrorNotAGuess(t *testing.T) {
	t.Parallel()
	search := index.Where(index.Contains{Text: "a"})
	for name, statement := range map[string]string{
		"a chunk is gone": "DELETE FROM chunks WHERE name IN ('search ends', 'id')",
		"a short chunk":   "UPDATE chunks SET data = x'' WHERE name IN ('search ends', 'id')",
		"records gone":    "DELETE FROM filings; DELETE FROM chunks WHERE name = 'search'",
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
	if err := os.WriteFile(first.storage.files.sealed(name), []byte("this is no database, however long it may be read"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(t, dir).Live(t.Context()); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}

// everything returns the responses of all kinds of queries, each as its text or as the error that it is.
func everything(t *testing.T, r index.Reader, ids []int64) map[string]string {
	t.Helper()
	ctx, all := t.Context(), map[string]string{}
	note := func(what string, response any, err error) {
		switch {
		case err == nil:
			all[what] = fmt.Sprintf("%v", response)
		case errors.Is(err, index.ErrNotFound):
			all[what] = "not found"
		case errors.Is(err, index.ErrUnavailable) && strings.Contains(err.Error(), r.Generation()):
			all[what] = unavailable
		default:
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, q := range map[string]index.Query{
		"list":   {Sort: index.DefaultSort, Limit: 100},
		"end":    {Sort: index.Sort{By: index.Owner, Ascending: true}, Offset: 280, Limit: 100},
		"search": {Where: index.Where(index.Contains{Text: "an"}), Sort: index.Sort{By: index.FilingAmount}, Limit: 20},
		"county": {Where: index.Where(index.InCounty("orange")), Sort: index.DefaultSort, Limit: 20},
		"box":    {Where: index.Where(index.Box{North: 40, South: 25, East: -70, West: -90}), Sort: index.DefaultSort, Limit: 20},
	} {
		rows, err := r.Rows(ctx, q)
		note(what, texts(rows.Records), err)
		count, err := r.Count(ctx, q.Where)
		note(what+", count", count, err)
	}
	for _, id := range ids {
		record, err := r.Filing(ctx, id)
		note(fmt.Sprint("filing ", id), string(record), err)
	}
	stats, err := r.Stats(ctx)
	note("stats", stats, err)
	counties, err := r.Counties(ctx)
	note("counties", counties, err)
	months, err := r.Distinct(ctx, index.Filter{}, index.Month)
	note("months", months, err)
	return all
}

const unavailable = "unavailable"

// TestDamage_FlippedBits: with one bit of a sealed file flipped, wherever it is, every response is the right one or an
// error that names the generation, and so its file.
func TestDamage_FlippedBits(t *testing.T) {
	t.Parallel()
	const flips = 400
	s := openStore(t, t.TempDir())
	filings := synthetics(300, 1)
	name := load(t, s, filings)
	path := s.storage.files.sealed(name)
	ids := []int64{filings[0].ID, filings[150].ID, filings[299].ID, filings[299].ID + 1}
	read := func() map[string]string {
		r, err := openReader(name, path, cache.New(1<<20))
		if err != nil {
			if !errors.Is(err, index.ErrUnavailable) || !strings.Contains(err.Error(), name) {
				t.Fatal(err)
			}
			return nil
		}
		defer r.db.Close()
		return everything(t, r, ids)
	}
	right := read()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var unopened, refused, unharmed int
	for range flips {
		at, bit := random.Int64N(info.Size()), byte(1)<<random.IntN(8)
		if random.IntN(4) == 0 { // more often where all is found: the first page, and the end
			at = []int64{random.Int64N(pageSize), info.Size() - 1 - random.Int64N(512)}[random.IntN(2)]
		}
		flip(t, f, at, bit)
		got := read()
		switch flip(t, f, at, bit); {
		case got == nil:
			unopened++
		case slices.Contains(slices.Collect(maps.Values(got)), unavailable):
			refused++
		default:
			unharmed++
		}
		for what, response := range got {
			if response != right[what] && response != unavailable {
				t.Fatalf("bit %#x of byte %d of %d: %s: %.300s, want %.300s", bit, at, info.Size(), what, response, right[what])
			}
		}
	}
	t.Logf("%d bytes: %d files not opened, %d with errors, %d unharmed", info.Size(), unopened, refused, unharmed)
	if unopened == 0 || refused == 0 || unharmed == 0 {
		t.Error("this tests less than it seems to")
	}
}

// flip flips bits of the byte at a position.
func flip(t *testing.T, f *os.File, at int64, bits byte) {
	t.Helper()
	var b [1]byte
	_, err1 := f.ReadAt(b[:], at)
	b[0] ^= bits
	_, err2 := f.WriteAt(b[:], at)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
}

// TestDamage_Update: an update does not carry damage on into the next generation.
func TestDamage_Update(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	name := load(t, s, synthetics(300, 1))
	f, err := os.OpenFile(s.storage.files.sealed(name), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := lockStore(t, s)
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(pageSize + pageSize/2); at < info.Size()*9/10; at += 4 * pageSize {
		flip(t, f, at, 1)
		if _, err := l.Begin(t.Context(), name); !errors.Is(err, columns.ErrDamaged) {
			t.Errorf("byte %d of %d: %v, want ErrDamaged", at, info.Size(), err)
		}
		flip(t, f, at, 1)
	}
}

// TestDamage_NoChecksums: a file without checksums is damaged, whatever else it is.
func TestDamage_NoChecksums(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := openStore(t, dir)
	changePages(t, first.storage.files.sealed(load(t, first, synthetics(50, 1))), "SELECT 1")
	s := openStore(t, dir)
	if _, err := s.Live(t.Context()); !errors.Is(err, columns.ErrDamaged) {
		t.Errorf("%v, want ErrDamaged", err)
	}
	if all, err := s.Generations(t.Context()); err != nil || len(all) != 1 || !errors.Is(all[0].Damaged, columns.ErrDamaged) {
		t.Errorf("generations: %+v, %v", all, err)
	}
}

// TestVersion_NoChecksums: what an older program has loaded is told by that where its files have no checksums, too.
func TestVersion_NoChecksums(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	older := openStore(t, dir)
	older.Version = version - 1
	changePages(t, older.storage.files.sealed(load(t, older, synthetics(50, 1))), "SELECT 1")
	if _, err := openStore(t, dir).Live(t.Context()); !errors.Is(err, generation.ErrVersion) {
		t.Errorf("live: %v", err)
	}
}

// TestVersion_Record: files have no more of a record than how it differs from emptyRecord. Who changes that raises the version, and
// what stands here.
func TestVersion_Record(t *testing.T) {
	t.Parallel()
	if sum := sumOf(emptyRecord); version != 5 || sum != 0xe7240dc {
		t.Errorf("version %d has the empty record %#x", version, sum)
	}
}
