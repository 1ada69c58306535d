package generation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// shared is what is stored, in memory.
type shared struct {
	clock    *indextest.Clock
	body     []byte
	revision int // of body; 0: there is none
	parts    map[string]map[string]*content
	public   string
}

type content struct {
	filings map[int64]string
	sealed  bool
}

// memory is a generation.Storage over what is shared, as a process has it. Nothing of it is fenced but Replace.
type memory struct {
	*shared
	// before and after are called with the name of each call; the error of after is the call's, which was made.
	before, after func(call string) error
}

func newShared() *shared {
	return &shared{clock: indextest.NewClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), parts: map[string]map[string]*content{}}
}

// open returns a lifecycle of a process of its own.
func (s *shared) open(before, after func(call string) error) *generation.Lifecycle {
	nothing := func(string) error { return nil }
	if before == nil {
		before = nothing
	}
	if after == nil {
		after = nothing
	}
	return generation.New(&memory{s, before, after}, generation.Options{
		Index: "filings", Version: 1, Now: s.clock.Now, Log: slog.New(slog.DiscardHandler),
	})
}

func (m *memory) do(call string, really func() error) error {
	err := m.before(call)
	if err == nil {
		err = really()
	}
	if err == nil {
		err = m.after(call)
	}
	return err
}

func (m *memory) Load(context.Context) (d generation.Document, err error) {
	err = m.do("Load", func() error {
		if m.revision > 0 {
			d = generation.Document{Body: slices.Clone(m.body), Revision: strconv.Itoa(m.revision)}
		}
		return nil
	})
	return d, err
}

func (m *memory) Replace(_ context.Context, d generation.Document) error {
	return m.do("Replace", func() error {
		if is := strconv.Itoa(m.revision); d.Revision != is && (d.Revision != "" || m.revision > 0) {
			return generation.ErrStale
		}
		m.body = d.Body
		m.revision++
		return nil
	})
}

func (m *memory) Retry(ctx context.Context, try func(context.Context) error) (err error) {
	for range 5 {
		if err = try(ctx); !errors.Is(err, index.ErrUnavailable) {
			return err
		}
	}
	return err
}

func (m *memory) Hold(context.Context) (io.Closer, error) { return nil, nil }

func (m *memory) Held(context.Context) (held, known bool, err error) { return false, false, nil }

func (m *memory) Parts(context.Context, bool) (all []generation.Part, err error) {
	err = m.do("Parts", func() error {
		for name, kinds := range m.parts {
			for kind, c := range kinds {
				all = append(all, generation.Part{Generation: name, Kind: kind, Sealed: c.sealed, Filings: int64(len(c.filings))})
			}
		}
		return nil
	})
	return all, err
}

func (m *memory) Create(_ context.Context, name, from string) (w generation.Writer, err error) {
	err = m.Retry(context.Background(), func(context.Context) error {
		return m.do("Create", func() error {
			c := &content{filings: map[int64]string{}}
			if from != "" {
				maps.Copy(c.filings, m.parts[from][generation.FilingsPart].filings)
			}
			m.parts[name] = map[string]*content{generation.FilingsPart: c}
			w = &writer{m, name}
			return nil
		})
	})
	return w, err
}

func (m *memory) Reader(_ context.Context, name string, _ index.Reader) (r index.Reader, err error) {
	err = m.do("Reader", func() error {
		r = reader{name: name}
		return m.there(name)
	})
	return r, err
}

func (m *memory) there(name string) error {
	if c := m.parts[name][generation.FilingsPart]; c == nil || !c.sealed {
		return index.ErrNotFound
	}
	return nil
}

func (m *memory) Identity(context.Context, string) (generation.Identity, error) { return nil, nil }

func (m *memory) Delete(_ context.Context, parts []generation.Part) error {
	return m.Retry(context.Background(), func(context.Context) error {
		return m.do("Delete", func() error {
			for _, p := range parts {
				if delete(m.parts[p.Generation], p.Kind); len(m.parts[p.Generation]) == 0 {
					delete(m.parts, p.Generation)
				}
			}
			return nil
		})
	})
}

func (m *memory) Publish(_ context.Context, live string) error {
	return m.Retry(context.Background(), func(context.Context) error {
		return m.do("Publish", func() error {
			m.public = live
			return nil
		})
	})
}

func (m *memory) Where(name string) string { return "memory of " + name }

type reader struct {
	index.Empty
	name string
}

func (r reader) Generation() string { return r.name }

// writer is a generation.Writer. What it writes to may be gone.
type writer struct {
	*memory
	name string
}

func (w *writer) write(call, kind string, change func(c *content)) error {
	return w.Retry(context.Background(), func(context.Context) error {
		return w.do(call, func() error {
			c := w.parts[w.name][kind]
			if c == nil {
				return errors.New("what is written to is gone")
			}
			change(c)
			return nil
		})
	})
}

func (w *writer) Put(_ context.Context, f *index.Filing) error {
	return w.write("Put", generation.FilingsPart, func(c *content) { c.filings[f.ID] = f.Text(index.Owner) })
}

func (w *writer) Remove(_ context.Context, id int64) error {
	return w.write("Remove", generation.FilingsPart, func(c *content) { delete(c.filings, id) })
}

func (w *writer) Seal(ctx context.Context, check generation.Check) (sum generation.Checksum, _ generation.Identity, err error) {
	for _, kind := range []string{"stamps"} {
		if err := w.create(kind); err != nil {
			return sum, nil, err
		}
	}
	sum = generation.NewChecksum()
	if c := w.parts[w.name][generation.FilingsPart]; c != nil {
		sum.Filings = int64(len(c.filings))
	}
	if err := check(ctx, reader{name: w.name}, sum); err != nil {
		return sum, nil, err
	}
	return sum, nil, w.write("Seal", generation.FilingsPart, func(c *content) { c.sealed = true })
}

// create makes a sidecar, as Elasticsearch does: whether or not the generation is there.
func (w *writer) create(kind string) error {
	return w.Retry(context.Background(), func(context.Context) error {
		return w.do("create "+kind, func() error {
			if w.parts[w.name] == nil {
				w.parts[w.name] = map[string]*content{}
			}
			w.parts[w.name][kind] = &content{}
			return nil
		})
	})
}

func (w *writer) Fingerprints(context.Context) iter.Seq2[index.Fingerprint, error] {
	panic("not asked for")
}

func (w *writer) Differences(context.Context) (*generation.Differences, error) {
	panic("not asked for")
}

func (w *writer) WriteChangeset(context.Context, index.Changeset, iter.Seq2[generation.Difference, error]) (bool, error) {
	return true, w.create(generation.ChangesPart)
}

func (w *writer) Stop() {}

// load makes a generation with one filing of that owner live, as package reindexer does, and keeps one generation besides, and
// two changesets. It returns its name.
func load(ctx context.Context, l *generation.Lifecycle, owner string) (name string, err error) {
	lock, err := l.Lock(ctx, generation.Run{Holder: owner})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Release(ctx)) }()
	all, err := l.Generations(ctx)
	if err != nil {
		return "", err
	}
	live := ""
	for _, g := range all {
		if g.Live {
			live = g.Name
		} else if !g.Sealed {
			if err := lock.Delete(ctx, g.Name); err != nil {
				return "", err
			}
		}
	}
	b, err := lock.Begin(ctx, live)
	if err != nil {
		return "", err
	}
	f := index.Filing{ID: 1}
	f.SetText(index.Owner, owner)
	if err := b.Put(ctx, &f); err != nil {
		return "", err
	}
	if _, err := b.Seal(ctx, func(ctx context.Context, _ index.Reader, _ generation.Checksum) error {
		if live == "" {
			return nil
		}
		return b.WriteChangeset(ctx, index.Changeset{Generation: b.Generation(), Parent: live, Changed: 1}, nil)
	}); err != nil {
		return "", err
	}
	if err := lock.Renew(ctx, generation.Run{Holder: owner, Phase: "promoting"}); err != nil && !errors.Is(err, index.ErrUnavailable) {
		return "", err
	}
	if err := lock.Promote(ctx, live, b.Generation()); err != nil {
		return "", err
	}
	if all, err = l.Generations(ctx); err != nil {
		return b.Generation(), err
	}
	for _, g := range all {
		if !g.Live && g.Name != live {
			if err := lock.Delete(ctx, g.Name); err != nil {
				return b.Generation(), err
			}
		}
	}
	return b.Generation(), lock.Forget(ctx, 2)
}

func mustLoad(t *testing.T, s *shared, owner string) string {
	t.Helper()
	name, err := load(t.Context(), s.open(nil, nil), owner)
	if err != nil {
		t.Fatalf("the load of %s: %v", owner, err)
	}
	return name
}

// want checks what processes see: that a generation is live and holds the filing of its owner, which are listed, and that
// every changeset that is listed is there, with what it needs.
func (s *shared) want(t *testing.T, when, live, owner string, listed ...string) {
	t.Helper()
	l := s.open(nil, nil)
	r, err := l.Live(t.Context())
	if err != nil || r.Generation() != live {
		t.Fatalf("%s: live is %v, %v, want %s", when, r, err, live)
	}
	if got := s.parts[live][generation.FilingsPart].filings[1]; got != owner {
		t.Errorf("%s: the live filing is of %q, want %q", when, got, owner)
	}
	all, err := l.Generations(t.Context())
	var names []string
	for _, g := range all {
		if g.Sealed {
			names = append(names, g.Name)
		}
	}
	if err != nil || listed != nil && !slices.Equal(names, listed) {
		t.Errorf("%s: generations %v, %v, want %v", when, names, err, listed)
	}
	changesets, err := l.Changesets(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, changeset := range changesets {
		for _, part := range []*content{
			s.parts[changeset.Generation][generation.ChangesPart], s.parts[changeset.Generation][generation.FilingsPart], s.parts[changeset.Parent][generation.FilingsPart],
		} {
			if part == nil {
				t.Errorf("%s: the changes of %s lack something", when, changeset.Generation)
			}
		}
	}
}

// left names what is stored.
func (s *shared) left() (all []string) {
	for name, kinds := range s.parts {
		for kind := range kinds {
			all = append(all, fmt.Sprint(name, " ", kind))
		}
	}
	slices.Sort(all)
	return all
}
