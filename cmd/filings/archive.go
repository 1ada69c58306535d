package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/index"
	"filings/index/generation"
	"filings/reindexer"
	"filings/reindexer/archive"
	"filings/reindexer/s3"
	"filings/reindexer/sieve"
	"filings/reindexer/source"
)

func (p *program) saveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "save GENERATION FILE",
		Short: "Saves a generation as an archive: a file, or an object of S3",
		Long:  help("save"),
		Example: "  filings generations save live filings.archive\n" +
			"  filings generations save filings-20260131-020000.000000-v1 s3://backups/filings/2026-01-31",
		Args: cobra.ExactArgs(2),
		RunE: p.withSettings(func(ctx context.Context, s settings.Settings, args []string) (err error) {
			began := time.Now()
			put, err := p.writeTo(s, args[1])
			if err != nil {
				return err
			}
			store, closer, err := openEngine(s, nil, p.logger(s))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, closer.Close()) }()
			saved, err := save(ctx, store, args[0], put)
			if err != nil {
				return check.Explain(s, fmt.Errorf("saving %s: nothing was written to %s: %w", args[0], args[1], err))
			}
			saved.Seconds = time.Since(began).Seconds()
			return json.NewEncoder(p.output).Encode(saved)
		}),
	}
}

// saved is the line of JSON that a save prints.
type saved struct {
	Generation string  `json:"generation"`
	Filings    int64   `json:"filings"`
	SHA256     string  `json:"sha256"` // of the records
	Seconds    float64 `json:"seconds"`
}

// writer writes all that comes from a reader, or nothing, to where it was made for.
type writer func(ctx context.Context, content io.Reader) error

// save saves the generation that name, its id or live means, and compares counts with the engine.
func save(ctx context.Context, store generation.Store, name string, put writer) (s saved, err error) {
	generations, err := sealed(ctx, store)
	if err != nil {
		return s, err
	}
	named, err := find(generations, name)
	if err != nil {
		return s, err
	}
	name = named.Name
	r, err := store.Open(ctx, name)
	if err != nil {
		return s, err
	}
	holds, err := index.CountsOf(ctx, r)
	if err != nil {
		return s, err
	}
	kept, err := sieve.Kept(ctx, store, name, &holds)
	if err != nil {
		return s, err
	}
	reader, w := io.Pipe()
	written := make(chan error, 1)
	var m archive.Manifest
	go func() {
		var err error
		m, err = archive.Write(w, name, time.Now(), kept)
		if differs := holds.Diff(m.Counts); err == nil && len(differs) > 0 {
			err = fmt.Errorf("%w: %s", index.ErrChanged, strings.Join(differs[:min(len(differs), 5)], "; "))
		}
		_ = w.CloseWithError(err) // of nil: io.EOF
		written <- err
	}()
	err = put(ctx, reader)
	_ = reader.CloseWithError(err) // of nil: io.ErrClosedPipe
	if failed := <-written; err == nil {
		err = failed
	}
	return saved{Generation: name, Filings: m.Filings, SHA256: m.SHA256}, err
}

// writeTo returns the writer of a file or an object of S3. Either keeps its old content until all
// was written.
func (p *program) writeTo(s settings.Settings, target string) (writer, error) {
	if !isObject(target) {
		if source.IsAddress(target) {
			return nil, usageError{s3.ErrAddress}
		}
		return func(ctx context.Context, content io.Reader) error { return replaceFile(target, content) }, nil
	}
	o, err := objectOf(target)
	return func(ctx context.Context, content io.Reader) error {
		return objects(s, p.logger(s)).Put(ctx, o, content)
	}, err
}

// partial ends the name of a file until it is whole. A save that was killed leaves such a file; the
// next one of that name writes over it.
const partial = ".partial"

func replaceFile(path string, content io.Reader) (err error) {
	if info, err := os.Lstat(path); err == nil {
		if err := source.NoFile(info); err != nil { // such as /dev/stdout, which would be a file from then on
			return fmt.Errorf("%s %w: an archive is a file", path, err)
		}
	}
	if err := os.Remove(path + partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path+partial, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, content); err == nil {
		err = f.Sync()
	}
	opened, failed := f.Stat()
	if err = errors.Join(err, failed, f.Close()); err == nil {
		var named os.FileInfo
		if named, err = os.Lstat(path + partial); err == nil && !os.SameFile(opened, named) {
			return fmt.Errorf("%s is written by another save", path)
		}
	}
	if err == nil {
		err = os.Rename(path+partial, path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(path+partial))
	}
	return err
}

func (p *program) restoreCommand() *cobra.Command {
	cfg, asJSON := reindexer.Config{Inputs: []reindexer.Input{{Input: source.Input{Name: "-"}}}, Stored: true}, false
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Loads an archive into a new generation, verifies it and makes it live at once",
		Long:  help("restore"),
		Example: "  filings generations restore filings.archive\n" +
			"  filings generations restore --force s3://backups/filings/2026-01-31",
		Args: cobra.ExactArgs(1),

		ValidArgsFunction: completeFile,
	}
	guardFlags(cmd.Flags(), &cfg)
	reportFlag(cmd.Flags(), &asJSON)
	cmd.RunE = p.withSettings(func(ctx context.Context, s settings.Settings, args []string) error {
		content, err := p.readFrom(ctx, s, args[0])
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		defer content.Close()
		reader, err := archive.NewReader(content)
		if err != nil {
			return err
		}
		defer reader.Close()
		cfg.Stdin, cfg.StdinName, cfg.Holds = reader, args[0], reader.Holds
		return p.load(ctx, s, cfg, asJSON, reindexer.Run)
	})
	return cmd
}

func (p *program) readFrom(ctx context.Context, s settings.Settings, name string) (io.ReadCloser, error) {
	if !isObject(name) {
		if source.IsAddress(name) {
			return nil, usageError{s3.ErrAddress}
		}
		return os.Open(name)
	}
	o, err := objectOf(name)
	if err != nil {
		return nil, err
	}
	c := objects(s, p.logger(s))
	c.Timeout = s.SourceTimeout
	if o, err = c.Head(ctx, o); err != nil {
		return nil, err
	}
	return c.Get(ctx, o)
}

func isObject(name string) bool { return strings.HasPrefix(name, "s3://") }

func objectOf(address string) (s3.Object, error) {
	o, err := s3.ParseAddress(address)
	if err == nil && o.Key == "" {
		err = s3.ErrAddress
	}
	if err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// objects returns the client of the S3 that the settings name.
func objects(s settings.Settings, log *slog.Logger) *s3.Client { return s3.New(serversOf(s).S3, log) }
