package main

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"filings/cmd/filings/settings"
)

// logger writes to standard error in the format that the settings name.
func (p *program) logger(s settings.Settings) *slog.Logger { return slog.New(p.handler(s, p.err)) }

func (p *program) handler(s settings.Settings, w io.Writer) slog.Handler {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == "text" || s.LogFormat == "auto" && isTerminal(p.err) {
		return slog.NewTextHandler(w, options)
	}
	return slog.NewJSONHandler(w, options)
}

// bufferedLogger is logger for a service, which writes a record for each request: it writes many at once, a tenth of a second
// late at the most. Warnings and errors are written at once, with all before them. flush, at the end, writes the rest.
func (p *program) bufferedLogger(s settings.Settings) (log *slog.Logger, flush func()) {
	b := &buffer{w: p.err}
	return slog.New(urgent{p.handler(s, b), b}), b.flush
}

// buffer is a writer that keeps what is written for a time.
type buffer struct {
	w io.Writer

	mu      sync.Mutex
	records []byte // not written yet
	due     bool   // flush will be called
}

// How much is kept, and how long.
const (
	mostBuffered    = 64 << 10
	longestBuffered = time.Second / 10
)

// Write keeps a record.
func (b *buffer) Write(record []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records = append(b.records, record...)
	if !b.due {
		b.due = true
		time.AfterFunc(longestBuffered, b.flush)
	}
	if len(b.records) >= mostBuffered {
		b.write()
	}
	return len(record), nil
}

func (b *buffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.due = false
	b.write()
}

// write drops what cannot be written: a log must not fail what it is about.
func (b *buffer) write() {
	_, _ = b.w.Write(b.records)
	b.records = b.records[:0]
}

// urgent is a handler whose warnings and errors are not kept.
type urgent struct {
	slog.Handler
	buffer *buffer
}

func (h urgent) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.buffer.flush()
	}
	return err
}

func (h urgent) WithAttrs(a []slog.Attr) slog.Handler {
	return urgent{h.Handler.WithAttrs(a), h.buffer}
}
func (h urgent) WithGroup(name string) slog.Handler {
	return urgent{h.Handler.WithGroup(name), h.buffer}
}
