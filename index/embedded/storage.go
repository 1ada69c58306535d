package embedded

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filings/index/generation"
)

// Load implements generation.Storage. The revision of a document is its text.
func (s *storage) Load(context.Context) (d generation.Document, err error) {
	d.Body, err = os.ReadFile(s.files.catalog())
	if errors.Is(err, fs.ErrNotExist) {
		return generation.Document{}, nil
	}
	if err != nil {
		return d, outage(err)
	}
	d.Revision = string(d.Body)
	return d, nil
}

// Replace implements generation.Storage.
func (s *storage) Replace(ctx context.Context, d generation.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.files.guarded(func() error {
		is, err := os.ReadFile(s.files.catalog())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if d.Revision != string(is) {
			return generation.ErrStale
		}
		return replace(s.files.catalog(), d.Body)
	})
}

// Retry implements generation.Storage: what a disk refuses does not pass by itself.
func (s *storage) Retry(ctx context.Context, try func(context.Context) error) error { return try(ctx) }

// Hold implements generation.Storage, by a flock, which ends with its process.
func (s *storage) Hold(ctx context.Context) (hold io.Closer, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = s.files.guarded(func() error {
		file, acquired, err := lockFile(s.files.lock(), false)
		if err == nil && !acquired {
			return generation.ErrLocked
		}
		hold = file
		return err
	})
	return hold, err
}

// Held implements generation.Storage. Nobody who tries to hold it meanwhile finds it held by this look.
func (s *storage) Held(context.Context) (held, known bool, err error) {
	err = s.files.guarded(func() error {
		file, acquired, err := lockFile(s.files.lock(), false)
		held = !acquired
		if err == nil && acquired {
			err = file.Close()
		}
		return err
	})
	return held, true, err
}

// Parts implements generation.Storage. What was found whole is not opened again unless it is to be measured.
func (s *storage) Parts(ctx context.Context, measure bool) (parts []generation.Part, err error) {
	s.mu.Lock()
	known := s.readable
	s.mu.Unlock()
	entries, err := os.ReadDir(s.files.generations())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, outage(err)
	}
	whole := map[string]bool{}
	for _, e := range entries {
		p, ok := s.files.part(e.Name())
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := e.Info()
		if !ok || err != nil { // it was deleted or sealed meanwhile
			continue
		}
		if p.Bytes = info.Size(); p.Sealed && (measure || !known[p.Generation]) {
			of, err := s.summaryOf(p.Generation)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil && !of.current() && !measure { // it can be listed, and not opened
				err = errVersion
			}
			p.Damaged, p.Filings = explained(err), of.Stats.Filings
		}
		whole[p.Generation] = p.Sealed && p.Damaged == nil
		parts = append(parts, p)
	}
	s.mu.Lock()
	s.readable = whole
	s.mu.Unlock()
	return parts, nil
}

// Delete implements generation.Storage. Readers of what is deleted keep it open.
func (s *storage) Delete(_ context.Context, parts []generation.Part) error {
	var errs []error
	for _, p := range parts {
		for _, suffix := range suffixes[p.Kind] {
			if err := os.Remove(filepath.Join(s.files.generations(), p.Generation+suffix)); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(append(errs, syncFolder(s.files.generations()))...)
}

// Identity implements generation.Storage: whether a file is that of its generation, Reader says.
func (s *storage) Identity(context.Context, string) (generation.Identity, error) { return nil, nil }

// Publish implements generation.Storage: only this program reads the folder, by its catalog.
func (s *storage) Publish(context.Context, string) error { return nil }

// Where implements generation.Storage.
func (s *storage) Where(name string) string {
	if name == "" {
		return s.files.catalog()
	}
	return s.files.sealed(name)
}
