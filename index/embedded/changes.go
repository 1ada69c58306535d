package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"weak"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/history"
)

// promotedSteps lists the files of the steps whose generations were promoted, the newest first.
func (f files) promotedSteps() (names []string, paths map[string]string, err error) {
	live, err := f.live() // before the folder: a step that is renamed meanwhile is found under either name
	if err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(f.generations())
	paths = map[string]string{}
	for _, e := range slices.Backward(entries) {
		name, promoted := strings.CutSuffix(e.Name(), promotedSuffix)
		if !promoted {
			if name, promoted = strings.CutSuffix(e.Name(), stepSuffix); !promoted || name != live {
				continue
			}
		}
		if f.valid(name) {
			names = append(names, name)
			paths[name] = filepath.Join(f.generations(), e.Name())
		}
	}
	return names, paths, err
}

// contentsOf reads what the files of promoted steps say of themselves, once. A step that cannot be read is none.
func (s *Store) contentsOf(names []string, paths map[string]string) ([]contents, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[string]contents{}
	var all []contents
	for _, name := range names {
		c, ok := s.steps[name]
		if !ok {
			var err error
			if c, err = readContents(paths[name]); errors.Is(err, fs.ErrNotExist) { // renamed, or deleted
				c, err = readContents(s.files.promotedStep(name))
			}
			if errors.Is(err, history.ErrDamaged) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read the step to %s: %w: %w", name, index.ErrUnavailable, err)
			}
		}
		all, known[name] = append(all, c), c
	}
	s.steps = known
	return all, nil
}

// keptSteps returns what is known of the promoted steps, the newest first.
func (s *Store) keptSteps(ctx context.Context) ([]contents, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	names, paths, err := s.files.promotedSteps()
	if err != nil {
		return nil, fmt.Errorf("list steps: %w: %w", index.ErrUnavailable, err)
	}
	return s.contentsOf(names, paths)
}

// Steps implements index.History.
func (s *Store) Steps(ctx context.Context) ([]index.Step, error) {
	all, err := s.keptSteps(ctx)
	var steps []index.Step
	for _, c := range all {
		steps = append(steps, c.Step)
	}
	return steps, err
}

// Changes implements index.History.
func (s *Store) Changes(ctx context.Context, q index.ChangeQuery) (index.ChangePage, error) {
	all, err := s.keptSteps(ctx)
	if err != nil {
		return index.ChangePage{}, err
	}
	page, err := history.Page(ctx, kept{s, all}, q)
	if err != nil {
		err = fmt.Errorf("read changes: %w", err)
	}
	return page, err
}

// kept is the history.Source of a request.
type kept struct {
	*Store
	steps []contents
}

// Chunks implements history.Source.
func (k kept) Chunks(_ context.Context, name string, after int64, parts index.Parts, n int) ([][]byte, error) {
	at := slices.IndexFunc(k.steps, func(c contents) bool { return c.Step.Generation == name })
	if at < 0 {
		return nil, fmt.Errorf("the step to %s: %w", name, index.ErrGone)
	}
	all := k.steps[at].Chunks
	first, found := slices.BinarySearchFunc(all, after, func(c stepChunk, id int64) int { return cmp.Compare(c.Last, id) })
	if found {
		first++
	}
	var chunks []stepChunk
	for _, c := range all[first:] {
		if c.Parts&parts != 0 && len(chunks) < n {
			chunks = append(chunks, c)
		}
	}
	for _, path := range []string{k.files.promotedStep(name), k.files.step(name), k.files.promotedStep(name)} {
		data, err := readChunks(path, chunks)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is renamed once
		}
		if err != nil {
			err = fmt.Errorf("%w: %w", index.ErrUnavailable, err)
		}
		return data, err
	}
	return nil, fmt.Errorf("the step to %s: %w", name, index.ErrGone)
}

// Filings implements history.Source: of generations that are listed, and of those that only steps need.
func (s *Store) Filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	r, err := s.reader(ctx, name)
	if errors.Is(err, index.ErrNotFound) {
		r, err = s.retired(name)
	}
	if errors.Is(err, index.ErrNotFound) {
		return nil, fmt.Errorf("%s: %w", name, index.ErrGone)
	}
	if err != nil {
		return nil, err
	}
	return r.versions(ctx, ids)
}

// retired returns the reader of a generation that only steps need, or ErrNotFound.
func (s *Store) retired(name string) (*reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := name + retiredSuffix
	if r := s.open[key].Value(); r != nil {
		return r, nil
	}
	r, err := openReader(name, s.files.retired(name), s.cache)
	if err == nil {
		s.open[key] = weak.Make(r)
	}
	return r, err
}

// versions returns filings by their ids, as Filings does, with what they can be filtered by.
func (r *reader) versions(ctx context.Context, ids []int64) ([]index.Version, error) {
	defer runtime.KeepAlive(r) // the cleanup would close the file
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := r.db.Query(`SELECT page.key, record, tail, facts FROM json_each(?) AS page JOIN filings ON filings.id = page.value`, string(list))
	if err != nil {
		return nil, r.unavailable(err)
	}
	versions := make([]index.Version, len(ids))
	for err == nil && rows.Next() {
		var position, tail int
		var record, values sql.RawBytes
		var city []byte
		if err = rows.Scan(&position, &record, &tail, &values); err != nil {
			break
		}
		if _, city, err = columns.Hidden(values); err == nil {
			versions[position].City = string(city)
			versions[position].Record, err = r.withTail(record, tail)
		}
	}
	if err = errors.Join(err, rows.Close(), rows.Err()); err != nil {
		return nil, r.unavailable(err)
	}
	return versions, nil
}

// Step implements generation.Build.
func (b *build) Step(ctx context.Context, s index.Step, differences iter.Seq2[generation.Difference, error]) (err error) {
	if err := b.lock.check(ctx); err != nil {
		return err
	}
	file, err := os.OpenFile(b.files.step(b.name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the step to %s: %w", b.name, err)
	}
	copies := s.Added+s.Changed+s.Removed <= b.lock.store.few
	w := &stepWriter{file: file, contents: contents{Step: s, Whole: !copies}}
	err = history.Encode(ctx, s, differences, copies, b.filings, w.put)
	if err == nil {
		err = w.finish()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = syncFolder(b.files.generations())
	}
	if err != nil {
		return fmt.Errorf("write the step to %s: %w", b.name, err)
	}
	return nil
}

// filings reads filings of a sealed generation, or of the one that is built.
func (b *build) filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	if name == b.name {
		return b.checked.versions(ctx, ids)
	}
	return b.lock.store.Filings(ctx, name, ids)
}

// needed reports whether a kept step has no copies of what it needs of a generation.
func (s *Store) needed(ctx context.Context, name string) (bool, error) {
	steps, err := s.keptSteps(ctx)
	return slices.ContainsFunc(steps, func(c contents) bool { return c.needs(name) }), err
}

func (c contents) needs(name string) bool {
	return c.Whole && (c.Step.Parent == name || c.Step.Generation == name)
}

// Forget implements generation.Lock.
func (l *lock) Forget(ctx context.Context, keep int) error {
	return l.held(ctx, func() error {
		steps, err := l.store.keptSteps(ctx)
		if err != nil {
			return err
		}
		return l.store.files.guarded(func() error { return l.store.files.forget(steps[:min(keep, len(steps))]) })
	})
}

// forget removes what none of these steps needs.
func (f files) forget(kept []contents) error {
	live, err := f.live()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(f.generations())
	if err != nil {
		return err
	}
	is := map[string]bool{}
	for _, e := range entries {
		is[e.Name()] = true
	}
	var errs []error
	for file := range is {
		name, suffix := file, ""
		if dot := strings.LastIndexByte(file, '.'); dot >= 0 { // the time in a name has one too
			name, suffix = file[:dot], file[dot:]
		}
		of := func(c contents) bool { return c.Step.Generation == name }
		gone := false
		switch suffix {
		case promotedSuffix:
			gone = !slices.ContainsFunc(kept, of)
		case stepSuffix:
			gone = !slices.ContainsFunc(kept, of) && (name == live || !is[name+sealedSuffix] && !is[name+buildingSuffix])
		case retiredSuffix:
			gone = !slices.ContainsFunc(kept, func(c contents) bool { return c.needs(name) })
		}
		if gone && f.valid(name) {
			errs = append(errs, os.Remove(filepath.Join(f.generations(), file)))
		}
	}
	return errors.Join(append(errs, syncFolder(f.generations()))...)
}
