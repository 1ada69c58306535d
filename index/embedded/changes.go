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
	"maps"
	"os"
	"runtime"
	"slices"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/history"
)

// Chunks implements history.Source. A step that is damaged is none: clients who need it have to export anew.
func (s *storage) Chunks(_ context.Context, name string, after int64, parts index.Parts, n int) ([][]byte, error) {
	all, err := s.step(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, history.ErrDamaged) {
		return nil, fmt.Errorf("the step to %s: %w: %w", name, index.ErrGone, err)
	}
	if err != nil {
		return nil, outage(err)
	}
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
	data, err := readChunks(s.files.changes(name), chunks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the step to %s: %w", name, index.ErrGone)
	}
	if err != nil {
		err = outage(err)
	}
	return data, err
}

// step returns where the chunks of a step lie, which it reads once.
func (s *storage) step(name string) ([]stepChunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if chunks, ok := s.chunks[name]; ok {
		return chunks, nil
	}
	chunks, err := readStep(s.files.changes(name))
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(s.chunks, func(name string, _ []stepChunk) bool {
		_, err := os.Stat(s.files.changes(name))
		return errors.Is(err, fs.ErrNotExist)
	})
	s.chunks[name] = chunks
	return chunks, nil
}

// Filings implements history.Source: also of generations that only steps need.
func (s *storage) Filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	r, err := s.reader(ctx, name)
	if errors.Is(err, index.ErrNotFound) {
		err = fmt.Errorf("%s: %w", name, index.ErrGone)
	}
	if err != nil {
		return nil, err
	}
	return r.versions(ctx, ids)
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

// WriteChangeset implements generation.Writer.
func (b *build) WriteChangeset(ctx context.Context, s index.Changeset, differences iter.Seq2[generation.Difference, error]) (whole bool, err error) {
	file, err := os.OpenFile(b.files.changes(b.name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return false, fmt.Errorf("write the step to %s: %w", b.name, err)
	}
	copies := s.Added+s.Changed+s.Removed <= b.storage.few
	w := &stepWriter{file: file}
	err = history.Encode(ctx, s, differences, copies, b.filings, w.put)
	if err == nil {
		err = w.finish()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = syncFolder(b.files.generations())
	}
	if err != nil {
		return false, fmt.Errorf("write the step to %s: %w", b.name, err)
	}
	return !copies, nil
}

// filings reads filings of a sealed generation, or of the one that is built.
func (b *build) filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	if name == b.name {
		return b.checked.versions(ctx, ids)
	}
	return b.storage.Filings(ctx, name, ids)
}
