package indextest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"filings/index"
	"filings/index/cache"
	"filings/index/generation"
	"filings/index/sidecar"
)

// Memory is what is stored of an index, in memory. The stores that are opened over it share it, as
// processes share an engine. Tests may read and change all of it between their calls.
type Memory struct {
	Document generation.Document               // the catalog; without a revision there is none
	Withheld generation.Document               // the list of withheld filings
	Parts    map[string]map[string]*MemoryPart // by generation and kind
	Public   string                            // the generation that the public name leads to
	Read     func(*Oracle) index.Reader        // makes the Reader of a generation; nil: it is the oracle

	mu        sync.Mutex
	revisions int
}

// MemoryPart is what is stored as a generation.Part.
type MemoryPart struct {
	Sealed  bool
	Filings map[int64]*index.Filing // of generation.FilingsPart
	chunks  map[chunk][]byte        // of generation.ChangesPart
}

// chunk names one.
type chunk struct {
	section string
	number  int
}

// NewMemory returns one in which nothing is stored.
func NewMemory() *Memory { return &Memory{Parts: map[string]map[string]*MemoryPart{}} }

// MemoryStore is the generation.Store of a process over a Memory. It has no rules of its own: they are the Lifecycle's.
type MemoryStore struct {
	*generation.Lifecycle
	Memory *Memory
}

var _ generation.Store = (*MemoryStore)(nil)

// Open opens a store, as a process with that clock. Unless they are nil, before and after are
// called with the name of each call of its storage; the error of before prevents the call, that of
// after becomes the call's, which was carried out.
func (m *Memory) Open(now func() time.Time, before, after func(call string) error) *MemoryStore {
	nothing := func(string) error { return nil }
	if before == nil {
		before = nothing
	}
	if after == nil {
		after = nothing
	}
	s := &MemoryStore{Memory: m, Lifecycle: generation.New(&memoryStorage{m, before, after}, generation.Options{
		Index: "filings", Version: 1, Now: now, Log: slog.New(slog.DiscardHandler), Cache: cache.New(1 << 20),
	})}
	s.MostCopied = -1 // changesets without copies need most of the rest
	return s
}

// filings returns what is stored of a generation; nil for nothing.
func (m *Memory) filings(name string) *MemoryPart { return m.Parts[name][generation.FilingsPart] }

func (m *Memory) version(name string, id int64) index.Version {
	if f, ok := m.filings(name).Filings[id]; ok {
		return VersionOf(f)
	}
	return index.Version{}
}

// all returns the filings of a generation by id, and whether it is stored.
func (m *Memory) all(name string) (all []*index.Filing, stored bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.filings(name)
	if p == nil {
		return nil, false
	}
	byID := func(a, b *index.Filing) int { return cmp.Compare(a.ID, b.ID) }
	return slices.SortedFunc(maps.Values(p.Filings), byID), true
}

// reader returns the Reader of what is stored of a generation.
func (m *Memory) reader(name string) index.Reader {
	var filings []*index.Filing
	if p := m.filings(name); p != nil {
		filings = slices.Collect(maps.Values(p.Filings))
	}
	o := NewOracle(name, filings)
	if m.Read == nil {
		return o
	}
	return m.Read(o)
}

// memoryStorage is the generation.Storage of a process. Nothing of it is fenced but Replace.
type memoryStorage struct {
	*Memory
	before, after func(call string) error
}

func (s *memoryStorage) do(call string, really func() error) error {
	err := s.before(call)
	if err == nil {
		err = s.locked(really)
	}
	if err == nil {
		err = s.after(call)
	}
	return err
}

func (s *memoryStorage) locked(really func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return really()
}

// retried is do, again after index.ErrUnavailable.
func (s *memoryStorage) retried(call string, really func() error) error {
	return s.Retry(context.Background(), func(context.Context) error { return s.do(call, really) })
}

func (s *memoryStorage) Retry(ctx context.Context, try func(context.Context) error) (err error) {
	for range 5 {
		if err = try(ctx); !errors.Is(err, index.ErrUnavailable) {
			return err
		}
	}
	return err
}

func (s *memoryStorage) Load(_ context.Context, name string) (d generation.Document, err error) {
	err = s.do("Load", func() error {
		d = *s.document(name)
		return nil
	})
	return d, err
}

func (m *Memory) document(name string) *generation.Document {
	if name == generation.WithheldDocument {
		return &m.Withheld
	}
	return &m.Document
}

func (s *memoryStorage) Replace(_ context.Context, name string, d generation.Document) error {
	return s.do("Replace", func() error {
		if d.Revision != s.document(name).Revision {
			return generation.ErrStale
		}
		s.revisions++
		*s.document(name) = generation.Document{Body: d.Body, Revision: strconv.Itoa(s.revisions)}
		return nil
	})
}

func (s *memoryStorage) ProcessLock(context.Context, bool) (io.Closer, error) { return nil, nil }

// Parts implements generation.Storage. Each part has some bytes.
func (s *memoryStorage) Parts(context.Context, bool) (all []generation.Part, err error) {
	err = s.do("Parts", func() error {
		for name, kinds := range s.Memory.Parts {
			for kind, p := range kinds {
				filings := int64(len(p.Filings))
				all = append(all, generation.Part{Generation: name, Kind: kind, Sealed: p.Sealed, Filings: filings, Bytes: 1 + filings})
			}
		}
		return nil
	})
	return all, err
}

func (s *memoryStorage) Create(_ context.Context, name, from string) (generation.Writer, error) {
	err := s.retried("Create", func() error {
		p := &MemoryPart{Filings: map[int64]*index.Filing{}}
		if source := s.filings(from); source != nil {
			maps.Copy(p.Filings, source.Filings)
		} else if from != "" {
			return fmt.Errorf("generation %s: %w", from, index.ErrNotFound)
		}
		s.Memory.Parts[name] = map[string]*MemoryPart{generation.FilingsPart: p}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &memoryWriter{s, name, from}, nil
}

func (s *memoryStorage) Reader(_ context.Context, name string, before index.Reader) (r index.Reader, err error) {
	err = s.do("Reader", func() error {
		if p := s.filings(name); p == nil || !p.Sealed {
			return fmt.Errorf("generation %s: %w", name, index.ErrNotFound)
		}
		if r = before; r == nil {
			r = s.reader(name)
		}
		return nil
	})
	return r, err
}

func (s *memoryStorage) Identity(context.Context, string) (generation.Identity, error) {
	return nil, nil
}

func (s *memoryStorage) Delete(_ context.Context, parts []generation.Part) error {
	return s.retried("Delete", func() error {
		for _, p := range parts {
			if delete(s.Memory.Parts[p.Generation], p.Kind); len(s.Memory.Parts[p.Generation]) == 0 {
				delete(s.Memory.Parts, p.Generation)
			}
		}
		return nil
	})
}

func (s *memoryStorage) Publish(_ context.Context, live string) error {
	return s.retried("Publish", func() error {
		s.Public = live
		return nil
	})
}

func (s *memoryStorage) Location(name string) string { return "memory of " + name }

// memoryWriter is a generation.Writer. What it writes to may be gone.
type memoryWriter struct {
	*memoryStorage
	name, from string
}

func (w *memoryWriter) write(call string, change func(p *MemoryPart)) error {
	return w.retried(call, func() error {
		p := w.filings(w.name)
		if p == nil {
			return errors.New("what is written to is gone")
		}
		change(p)
		return nil
	})
}

func (w *memoryWriter) Put(_ context.Context, f *index.Filing) (index.Fingerprint, error) {
	kept := *f
	kept.Categories = slices.Clone(f.Categories)
	return FingerprintOf(f), w.write("Put", func(p *MemoryPart) { p.Filings[f.ID] = &kept })
}

func (w *memoryWriter) Remove(_ context.Context, id int64) error {
	return w.write("Remove", func(p *MemoryPart) { delete(p.Filings, id) })
}

// Seal implements generation.Writer. Nothing that fill writes is kept: Sidecar makes it of the filings.
func (w *memoryWriter) Seal(
	ctx context.Context, _ bool, _ *sidecar.Actions, fill generation.Fill, look generation.Look,
) (generation.Identity, error) {
	if err := w.sidecar("sidecar", &MemoryPart{}); err != nil {
		return nil, err
	}
	if err := fill(ctx, func(string, int, []byte) error { return nil }); err != nil {
		return nil, err
	}
	filings, _ := w.all(w.name)
	r := sealing{plain: NewOracle(w.name, filings)}
	_ = w.locked(func() error {
		r.Reader = w.reader(w.name)
		return nil
	})
	if _, err := look(ctx, r); err != nil {
		return nil, err
	}
	return nil, w.write("Seal", func(p *MemoryPart) { p.Sealed = true })
}

// sealing is the Reader of a generation that is counted right.
type sealing struct {
	index.Reader
	plain *Oracle
}

func (r sealing) Stats(ctx context.Context) (index.Stats, error) { return r.plain.Stats(ctx) }

func (r sealing) Groups(ctx context.Context, w index.Filter, q index.GroupQuery) (index.Groups, error) {
	if q.AsWritten {
		return r.plain.Groups(ctx, w, q)
	}
	return r.Reader.Groups(ctx, w, q)
}

// sidecar stores one, as Elasticsearch does: whether or not the generation is there.
func (w *memoryWriter) sidecar(kind string, p *MemoryPart) error {
	return w.retried("create "+kind, func() error {
		if w.Memory.Parts[w.name] == nil {
			w.Memory.Parts[w.name] = map[string]*MemoryPart{}
		}
		w.Memory.Parts[w.name][kind] = p
		return nil
	})
}

// Changeset implements generation.Writer.
func (w *memoryWriter) Changeset(ctx context.Context, fill generation.Fill) error {
	p := &MemoryPart{chunks: map[chunk][]byte{}}
	if err := fill(ctx, p.put); err != nil {
		return err
	}
	return w.sidecar(generation.ChangesPart, p)
}

func (p *MemoryPart) put(section string, number int, data []byte) error {
	p.chunks[chunk{section, number}] = slices.Clone(data)
	return nil
}

func (p *MemoryPart) get(section string, numbers []int) (all [][]byte, err error) {
	for _, number := range numbers {
		data, ok := p.chunks[chunk{section, number}]
		if !ok {
			return nil, sidecar.ErrDamaged
		}
		all = append(all, data)
	}
	return all, nil
}

func (w *memoryWriter) Stop() {}

// Sidecar implements sidecar.Changesets.
func (s *memoryStorage) Sidecar(name, kind string) sidecar.Source {
	return func(ctx context.Context, section string, chunks []int) ([][]byte, error) {
		if kind == sidecar.Changeset {
			return s.changeset(name, section, chunks)
		}
		all, stored := s.all(name)
		if !stored {
			return nil, index.ErrNotFound
		}
		p, actions := &MemoryPart{chunks: map[chunk][]byte{}}, sidecar.NewActions()
		defer actions.Close()
		for _, f := range all {
			actions.Put(FingerprintOf(f))
		}
		if err := sidecar.Write(ctx, nil, actions, nil, p.put); err != nil {
			return nil, err
		}
		return p.get(section, chunks)
	}
}

func (s *memoryStorage) changeset(name, section string, chunks []int) (all [][]byte, err error) {
	err = s.locked(func() error {
		p := s.Memory.Parts[name][generation.ChangesPart]
		if p == nil {
			return index.ErrGone
		}
		all, err = p.get(section, chunks)
		return err
	})
	return all, err
}

// Filings implements sidecar.Changesets.
func (s *memoryStorage) Filings(_ context.Context, name string, ids []int64) (all []index.Version, err error) {
	err = s.locked(func() error {
		if s.filings(name) == nil {
			return index.ErrGone
		}
		for _, id := range ids {
			all = append(all, s.version(name, id))
		}
		return nil
	})
	return all, err
}

// Stored implements generation.Storage.
func (s *memoryStorage) Stored(_ context.Context, name string) iter.Seq2[index.Stored, error] {
	return func(yield func(index.Stored, error) bool) {
		filings, _ := s.all(name)
		for _, f := range filings {
			if !yield(index.Stored{Version: VersionOf(f), Created: FingerprintOf(f).Created}, nil) {
				return
			}
		}
	}
}

// Strip implements generation.Storage: no changeset has copies.
func (s *memoryStorage) Strip(context.Context, string, func(index.Version) index.Version) error {
	return nil
}
