// Package embedded is the engine that needs no server: generations of filings as files in a folder.
// It owns those files and the catalog that says which of them count. It doesn't decide on the life
// of generations, which package generation does, nor find filings in a file, as package columns
// does. The forms of requests, of loads and of responses belong to index, service and reindexer.
//
// # Files
//
//	generations/NAME.db        a finished generation; never written again
//	generations/NAME.building  one that is being built, or was left behind
//	generations/NAME.changes   its changeset (package sidecar)
//	INDEX.catalog              the catalog (package generation), replaced in one atomic rename
//	INDEX.withheld             the list of withheld filings, in the same way
//	INDEX.lock                 held (flock) by the load that runs
//	INDEX.guard                held for an instant by who replaces the catalog, or looks for a load
//
// A lock ends with its process, so after a killed load nothing has to time out. A file gets the
// name .db after it was written and synced: so each file of that name is complete. The catalog says
// whether it counts.
//
// A Reader keeps its file open, so that deleting a generation never disturbs a client that still
// reads it. The file is closed when no Reader of it is in use any more, which only the garbage
// collector can know; os.File sees to that.
//
// # Sections and checksums
//
// A file has sections (the columns, the records, the summary, those of package sidecar), each of
// chunks; then contents, which say where they are, a checksum of each 4,096 bytes, and a footer
// (file.go). A part of a chunk is read with the blocks that it lies in, and these are checked: so
// if any bit of a file flips, a response is the right one or an error, and a term of a search reads
// no more than the few kilobytes in which it may be. An update reads a file in the same way: damage
// is not carried on.
//
// A file says which generation it is, so that a valid file in another's place is no answer under
// the wrong name. A Reader is of one file: where that was replaced or written to, the next look
// opens another Reader.
//
// The file is not mapped into memory: reading a page that the disk does not give would end the
// process by a signal, where a failed read is an error of one request.
//
// # Loads
//
// Put collects filings in a file without a name. Seal merges them with the generation that is
// copied, if there is one, as the log of actions says (package sidecar), and lays the result out in
// columns. A filing that was not changed is neither parsed nor sorted again; the new file has the
// same bytes as a load of all the filings would write.
package embedded

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"
	"weak"

	"filings/index/cache"
	"filings/index/generation"
)

// Config says where a Store is.
type Config struct {
	Dir   string           // the folder; it is made if it is not there
	Index string           // name of the index, and first part of the names of its generations
	Now   func() time.Time // the clock; nil: time.Now
	Cache *cache.Cache     // for chunks that are read; nil: one of its own
}

// Store keeps generations in a folder. Any number of Stores, in any number of processes of one
// machine, may share it.
type Store struct {
	*generation.Lifecycle
	storage *storage
}

var _ generation.Store = (*Store)(nil)

// liveFor is how late a swap by another process may be noticed. Without it every request would open
// and read a file.
const liveFor = time.Second

// ownCache holds all columns and orders of a million filings.
const ownCache = 256 << 20

// Open opens the store in cfg.Dir, and makes it if it is not there.
func Open(cfg Config) (*Store, error) {
	if cfg.Index == "" || cfg.Index[0] == '.' || strings.ContainsAny(cfg.Index, `/\`) {
		return nil, fmt.Errorf("embedded engine: %q is no name of an index", cfg.Index)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Cache == nil {
		cfg.Cache = cache.New(ownCache)
	}
	s := &storage{
		files: files{cfg.Dir, cfg.Index}, cache: cfg.Cache,
		open: map[string]weak.Pointer[reader]{}, checked: map[string]*reader{},
	}
	if err := os.MkdirAll(s.files.generations(), 0o700); err != nil {
		return nil, fmt.Errorf("embedded engine: %w", err)
	}
	return &Store{storage: s, Lifecycle: generation.New(s, generation.Options{
		Index: cfg.Index, Version: version, Now: cfg.Now, Log: slog.New(slog.DiscardHandler), LiveFor: liveFor,
		Cache: cfg.Cache,
	})}, nil
}

// Slots returns how many calls the engine works on at once: as many as there are processors, since
// more would only make each other late; and two at least, so that a long call leaves one to short
// ones.
func (s *Store) Slots() int { return max(2, runtime.GOMAXPROCS(0)) }

// Close closes every generation. Readers fail from then on.
func (s *Store) Close() error {
	s.LookAgain()
	return s.storage.close()
}
