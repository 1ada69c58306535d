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

	"github.com/klauspost/compress/s2"

	"filings/index"
	"filings/index/cache"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/indextest"
)

// spoil loads some filings, writes the sealed file anew as a program with a fault would have written it, with another chunk, or none
// for nil, in place of each, and opens it by a new store.
func spoil(t *testing.T, other func(section string, chunk []byte) []byte) *Store {
	t.Helper()
	dir := t.TempDir()
	first := openStore(t, dir)
	path := first.storage.files.sealed(load(t, first, synthetics(50, 1)))
	f, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w, err := createFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range f.sections {
		for i := range s.Starts {
			chunk, err := f.chunk(t.Context(), name, i, 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			if chunk = other(name, chunk); chunk == nil {
				break
			}
			if err := w.put(name, i, chunk); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.finish(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return openStore(t, dir)
}

// stripped leaves the file at path without what follows its chunks.
func stripped(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()/2); err != nil {
		t.Fatal(err)
	}
}

func TestDamage_IsAnErrorNotAGuess(t *testing.T) {
	t.Parallel()
	search := index.Where(index.Contains{Text: "a"})
	in := func(sections []string, other []byte) func(string, []byte) []byte {
		return func(section string, chunk []byte) []byte {
			if slices.Contains(sections, section) {
				return other
			}
			return chunk
		}
	}
	long := s2.Encode(nil, []byte("\x03\xff\xff\x7f")) // of a tail that no record has
	for name, other := range map[string]func(string, []byte) []byte{
		"a chunk is gone": in([]string{"search starts", "records"}, nil),
		"a short chunk":   in([]string{"search starts", "records"}, []byte{}),
		"no trigrams":     in([]string{"search trigrams", "records"}, []byte{1}),
		"a longer tail":   in([]string{"search sets", "records"}, long),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := liveReader(t, spoil(t, other))
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

func TestDamage_NoTitle(t *testing.T) {
	t.Parallel()
	for name, other := range map[string][]byte{"none": nil, "no gob": {0}} {
		s := spoil(t, func(section string, chunk []byte) []byte {
			if section == sectionTitle {
				return other
			}
			return chunk
		})
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
		"end":    {Sort: index.Sort{Field: index.Owner, Ascending: true}, Offset: 280, Limit: 100},
		"search": {Where: index.Where(index.Contains{Text: "an"}), Sort: index.Sort{Field: index.FilingAmount}, Limit: 20},
		"county": {Where: index.Where(index.InCounty("orange")), Sort: index.DefaultSort, Limit: 20},
		"box":    {Where: index.Where(index.Box{North: 40, South: 25, East: -70, West: -90}), Sort: index.DefaultSort, Limit: 20},
	} {
		rows, err := r.Rows(ctx, q)
		note(what, texts(rows.Records), err)
		count, err := r.Count(ctx, q.Where)
		note(what+", count", count, err)
	}
	for _, id := range ids {
		record, err := index.OneFiling(ctx, r, id)
		note(fmt.Sprint("filing ", id), string(record), err)
	}
	stats, err := r.Stats(ctx)
	note("stats", stats, err)
	counties, err := r.Counties(ctx)
	note("counties", counties, err)
	months, err := r.Groups(ctx, index.Filter{}, index.GroupQuery{Dimensions: []index.Dimension{index.ByMonth}})
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
		defer r.file.Close()
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
			at = []int64{random.Int64N(blockSize), info.Size() - 1 - random.Int64N(512)}[random.IntN(2)]
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

// TestDamage_Update: an update does not carry damage on into the next generation. What it does not read it writes anew.
func TestDamage_Update(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	filings := synthetics(300, 1)
	name := load(t, s, filings)
	f, err := os.OpenFile(s.storage.files.sealed(name), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sound, err := openFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer sound.Close()
	l := lockStore(t, s)
	seal := func() (string, error) {
		b, err := l.Begin(t.Context(), name)
		if err != nil {
			return "", err
		}
		if err := b.Put(t.Context(), filings[0]); err != nil {
			t.Fatal(err)
		}
		_, err = b.Seal(t.Context(), nil)
		return b.Generation(), err
	}
	refused := 0
	for at := int64(0); at < sound.size; at += blockSize * 3 / 2 {
		flip(t, f, at, 1)
		updated, err := seal()
		flip(t, f, at, 1)
		switch {
		case errors.Is(err, columns.ErrDamaged):
			refused++
		case err != nil:
			t.Errorf("byte %d of %d: %v, want ErrDamaged", at, sound.size, err)
		default:
			r, err := s.Open(t.Context(), updated)
			if err != nil {
				t.Fatal(err)
			}
			for _, sort := range allOrders() {
				compare(t, indextest.NewOracle(updated, filings), r, index.Query{Sort: sort, Limit: 300, Where: index.Where(index.Contains{Text: "a"})})
			}
		}
	}
	if refused == 0 {
		t.Error("no damage was seen")
	}
}

// TestDamage_NoChecksums: a file without checksums is damaged, whatever else it is.
func TestDamage_NoChecksums(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := openStore(t, dir)
	stripped(t, first.storage.files.sealed(load(t, first, synthetics(50, 1))))
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
	stripped(t, older.storage.files.sealed(load(t, older, synthetics(50, 1))))
	if _, err := openStore(t, dir).Live(t.Context()); !errors.Is(err, generation.ErrVersion) {
		t.Errorf("live: %v", err)
	}
}

// TestVersion_Record: files have no more of a record than how it differs from emptyRecord. Who changes that raises the version, and
// what stands here.
func TestVersion_Record(t *testing.T) {
	t.Parallel()
	if sum := sumOf(emptyRecord); version != 10 || sum != 0xe7240dc {
		t.Errorf("version %d has the empty record %#x", version, sum)
	}
}
