package apitest

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filings/index"
	"filings/index/embedded"
	"filings/index/indextest"
	"filings/index/serving"
	"filings/index/synthetic"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestX24_DamagedPages: wherever a page of the live file is damaged, the older generation is served as before, also after so
// many failures that a breaker would open; and a service that has met the damage is not ready until the file is replaced.
func TestX24_DamagedPages(t *testing.T) {
	t.Parallel()
	const places = 60
	dir := t.TempDir()
	store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings"})
	if err != nil {
		t.Fatal(err)
	}
	older, live := loadSynthetic(t, store, 1), loadSynthetic(t, store, 2)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "generations", live+".db")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random, met, unopened := rand.New(rand.NewPCG(1, 2)), 0, 0
	for place := range places {
		at := random.IntN(len(whole))
		if place < 10 { // the first page, and the end
			at = []int{place * 700, len(whole) - 1 - place*30}[place%2]
		}
		spoilt := slices.Clone(whole)
		spoilt[at] ^= 1
		writeFile(t, path, spoilt)
		store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings"})
		if err != nil {
			t.Fatal(err)
		}
		engine, err := serving.New(store, serving.Config{})
		if err != nil {
			t.Fatal(err)
		}
		failures := readLive(t, engine)
		if err := engine.Ready(t.Context()); (err != nil) != (failures > 0) || err != nil && !errors.Is(err, index.ErrDamaged) {
			t.Errorf("byte %d: %d calls failed, ready: %v", at, failures, err)
		}
		if usable, err := engine.Usable(t.Context()); err != nil || usable != (failures == 0) {
			t.Errorf("byte %d: %d calls failed, usable: %t, %v", at, failures, usable, err)
		}
		if r, err := engine.Pin(t.Context(), index.GenerationID(older)); err != nil {
			t.Errorf("byte %d: the older generation: %v", at, err)
		} else if page, err := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: 20}); err != nil || len(page.Records) != 20 {
			t.Errorf("byte %d: the older generation: %d rows, %v", at, len(page.Records), err)
		}
		if failures > 0 {
			met++
		}
		if _, err := engine.Live(t.Context()); err != nil {
			unopened++
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d places: %d were met, of which %d keep the file from being opened", places, met, unopened)
	if met == unopened || unopened == 0 || met == places {
		t.Error("this tests less than it seems to")
	}
}

// TestX24_DamagedGenerations: damage of each generation is known until its file is replaced, and told where it is not the live
// one's: by a metric, and by a line of the log for each.
func TestX24_DamagedGenerations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	names := []string{loadSynthetic(t, store, 1), loadSynthetic(t, store, 2), loadSynthetic(t, store, 3)}
	whole := map[string][]byte{}
	for _, name := range names {
		path := filepath.Join(dir, "generations", name+".db")
		if whole[name], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		spoilt := slices.Clone(whole[name])
		for at := 0; at < len(spoilt)-3<<14; at += 4 << 10 { // all but the end, by which a file is opened
			spoilt[at] ^= 1
		}
		writeFile(t, path, spoilt)
	}
	s := newSite(t, store)
	read := func(name string, want int) {
		t.Helper()
		if a := s.get(t, access.Pro, "/v1/filings?limit=5&generation="+index.GenerationID(name)); a.status != want {
			t.Errorf("%s: %d %s, want %d", name, a.status, a.body, want)
		}
	}
	isTold := func(when, damaged, unusable string, ready int) {
		t.Helper()
		metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body
		for _, want := range []string{"\nfilings_damaged_generations " + damaged + "\n", "\nfilings_live_generation_unusable " + unusable + "\n"} {
			if !strings.Contains(metrics, want) {
				t.Errorf("%s: no %q", when, want)
			}
		}
		if got := send(t, s.Service.Operations(), http.MethodGet, "/readyz").status; got != ready {
			t.Errorf("%s: /readyz %d, want %d", when, got, ready)
		}
	}
	older, oldest, live := names[1], names[0], names[2]
	for _, name := range []string{live, older, oldest, older} {
		read(name, http.StatusInternalServerError)
	}
	isTold("all damaged", "2", "1", http.StatusServiceUnavailable)
	if n := strings.Count(s.Log.String(), "a part of a generation cannot be read"); n != 3 {
		t.Errorf("%d lines of the log, want 3", n)
	}
	writeFile(t, filepath.Join(dir, "generations", live+".db"), whole[live])
	servicetest.Until(t, "the live file is read again", func() bool { return s.get(t, access.Pro, "/v1/filings?limit=5").status == http.StatusOK })
	isTold("the live file repaired", "2", "0", http.StatusOK)
	writeFile(t, filepath.Join(dir, "generations", older+".db"), whole[older])
	read(older, http.StatusOK)
	isTold("another file repaired", "1", "0", http.StatusOK)
	if err := os.Remove(filepath.Join(dir, "generations", oldest+".db")); err != nil {
		t.Fatal(err)
	}
	store.LookAgain() // as a second later
	isTold("the last one pruned", "0", "0", http.StatusOK)
}

func loadSynthetic(t *testing.T, store *embedded.Store, seed uint64) string {
	t.Helper()
	source, filings := synthetic.New(seed), make([]*index.Filing, 500)
	for i := range filings {
		filings[i] = &index.Filing{}
		source.Next(filings[i])
	}
	name, err := indextest.Load(t.Context(), store, slices.Values(filings))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", data, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

// readLive reads the live generation in many ways, each often enough to open a breaker, and returns how many calls failed.
func readLive(t *testing.T, engine *serving.Engine) (failed int) {
	t.Helper()
	ctx := t.Context()
	for range 12 {
		r, err := engine.Live(ctx)
		calls := []error{err}
		if err == nil {
			_, rows := r.Rows(ctx, index.Query{Sort: index.Sort{Field: index.Owner, Ascending: true}, Limit: 20})
			_, found := r.Rows(ctx, index.Query{Where: index.Where(index.Contains{Text: "an"}), Sort: index.DefaultSort, Limit: 20})
			_, filing := index.OneFiling(ctx, r, 1)
			_, groups := r.Groups(ctx, index.Filter{}, index.GroupQuery{Dimensions: []index.Dimension{index.ByCounty}})
			calls = append(calls, rows, found, filing, groups)
		}
		for _, err := range calls {
			if err != nil && !errors.Is(err, index.ErrNotFound) {
				failed++
				if !errors.Is(err, index.ErrDamaged) {
					t.Errorf("%v, want ErrDamaged", err)
				}
			}
		}
	}
	return failed
}

// TestX24_Unusable: a service whose live generation is not what was sealed says so by /readyz, the metric and the log, refuses
// to answer from it, and serves the others.
func TestX24_Unusable(t *testing.T) {
	t.Parallel()
	const metric = "\nfilings_live_generation_unusable "
	dir := t.TempDir()
	store, err := embedded.Open(embedded.Config{Dir: dir, Index: "filings"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	s := breaking{newSite(t, caching{store}), store}
	older, err := indextest.Load(t.Context(), store, slices.Values(fixture(t)[:3]))
	if err != nil {
		t.Fatal(err)
	}
	live := loadFixture(t, store)
	s.check(t, "loaded", false)
	told := func() bool {
		return strings.Contains(send(t, s.Service.Operations(), http.MethodGet, "/metrics").body, metric+"1\n")
	}
	pinned := "/v1/filings?limit=5&generation=" + index.GenerationID(live)
	if a := s.get(t, access.Pro, pinned); a.status != http.StatusOK || told() {
		t.Errorf("before: %d, told %t", a.status, told())
	}
	of := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, "generations", name+".db"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	right := of(live)
	writeFile(t, filepath.Join(dir, "generations", live+".db"), of(older))
	s.check(t, "file swapped", true)
	if !told() {
		t.Error("the metric does not tell it")
	}
	if a := s.get(t, access.Pro, pinned); a.status != http.StatusInternalServerError && a.status != http.StatusGone {
		t.Errorf("the changed generation by name: %d %s", a.status, a.body)
	}
	if a := s.get(t, access.Pro, "/v1/filings?limit=5&generation="+index.GenerationID(older)); a.status != http.StatusOK {
		t.Errorf("the older generation: %d %s", a.status, a.body)
	}
	s.wantLines(t, 1, 0)
	writeFile(t, filepath.Join(dir, "generations", live+".db"), right)
	s.check(t, "repaired", false)
	servicetest.Until(t, "the metric falls", func() bool { return !told() })
	s.wantLines(t, 1, 1)
}
