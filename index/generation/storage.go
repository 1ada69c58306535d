package generation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"filings/index"
	"filings/index/sidecar"
)

// Storage is the part of an engine that a Lifecycle needs: the catalog document, and the data of
// generations, about which it decides nothing. Names are those of generations. Errors are those of
// package index, and those named here.
type Storage interface {
	// Load reads the document of that name; one without a revision where there is none.
	Load(ctx context.Context, name string) (Document, error)
	// Replace puts d in the place of the document with d's revision, or makes the first one where d
	// has none. It returns ErrStale, and changes nothing, if another revision is there. It tries
	// once: after index.ErrUnavailable it is not known whether the document was replaced.
	Replace(ctx context.Context, name string, d Document) error
	// Retry calls try until its error is none that passes by itself.
	Retry(ctx context.Context, try func(context.Context) error) error

	// ProcessLock takes a lock that ends with its process, or returns ErrLocked where another one
	// has it; nil where the engine has no such lock. Whoever gets it knows that the lease in the
	// catalog is a dead process's. Unless take is set, it only looks: the lock stays free.
	ProcessLock(ctx context.Context, take bool) (io.Closer, error)

	// Parts lists all that is stored of generations, in no order. It reads sizes, and looks for
	// damage again, only if measure is set.
	Parts(ctx context.Context, measure bool) ([]Part, error)
	// Create begins to store a generation: an empty one, or a copy of the stored data of `source`.
	Create(ctx context.Context, name, source string) (Writer, error)
	// Reader returns a Reader of the stored data of a finished generation: open, a Reader of that
	// generation or nil, if it is still valid. It returns index.ErrNotFound if nothing is stored,
	// and index.ErrChanged if another generation is.
	Reader(ctx context.Context, name string, open index.Reader) (index.Reader, error)
	// Changesets are the sidecars and changesets that are stored.
	sidecar.Changesets
	// Stored is Store.Stored of a finished generation.
	Stored(ctx context.Context, name string) iter.Seq2[index.Stored, error]
	// Identity returns the present identity of a finished generation.
	Identity(ctx context.Context, name string) (Identity, error)
	// Delete deletes parts. A missing part is no error.
	Delete(ctx context.Context, parts []Part) error
	// Strip replaces the copies of filings in the changeset that leads to a generation. Their
	// storage keeps nothing of the former copies, nor of filings deleted from the generation. A
	// reader of the changeset gets the old or the new copies while Strip runs, or
	// index.ErrUnavailable. A changeset that cannot be read any more is deleted.
	Strip(ctx context.Context, name string, strip func(index.Version) index.Version) error

	// Publish makes the public name of the live generation lead to `live` alone, "" for none, if
	// the engine has such a name.
	Publish(ctx context.Context, live string) error
	// Location says, for an operator, where a generation is stored; of "", the catalog.
	Location(name string) string
}

// Names of documents.
const (
	CatalogDocument  = "catalog"
	WithheldDocument = "withheld"
)

// ErrStale: the document has another revision.
var ErrStale = errors.New("the catalog has changed")

// Document is a document as an engine stores it. Each change has another Revision; "" for none.
type Document struct {
	Body     []byte
	Revision string
}

// Part is something that is stored of a generation. Its filings are of kind FilingsPart; all other
// kinds are sidecars, written while it is sealed.
type Part struct {
	Generation string
	Kind       string
	Sealed     bool // of FilingsPart: its writer finished it, which says nothing of whether the catalog has it sealed
	Filings    int64
	Bytes      int64
	Identity   Identity // of FilingsPart, when it was finished; nil for none
	Damaged    error    // of FilingsPart: why they cannot be read, where the engine has noticed
}

// Kinds of parts that a Catalog knows. A sidecar of another kind is kept as long as its generation.
const (
	FilingsPart = ""
	ChangesPart = sidecar.Changeset
)

// Writer fills a generation. Its methods promise the same as those of Build. It doesn't know about
// the lock.
type Writer interface {
	// Put returns the fingerprint of the filing.
	Put(ctx context.Context, f *index.Filing) (index.Fingerprint, error)
	Remove(ctx context.Context, id int64) error
	// Seal finishes the filings, has fill put the sidecar, has look look at both, and then marks
	// the generation as finished. It returns the generation's identity; nil if only the Reader can
	// tell. While it runs, the Storage has the generation by its name, too. If it erases, it leaves
	// nothing of removed or replaced filings, however long that takes. actions are the calls of Put
	// and Remove.
	Seal(ctx context.Context, erases bool, actions *sidecar.Actions, fill Fill, look Look) (Identity, error)
	// Changeset has fill put the changeset that leads to the generation.
	Changeset(ctx context.Context, fill Fill) error
	// Stop ends the writing. The stored data stays.
	Stop()
}

// Fill puts chunks.
type Fill func(ctx context.Context, put sidecar.Sink) error

// Look looks at a generation that is about to be finished, and returns how many filings it has.
type Look func(ctx context.Context, r index.Reader) (filings int64, err error)

// Identity are facts of a sealed generation, by their subjects (rule X24): they are other ones as
// soon as it holds something else, or cannot be queried as it could be. An engine reads them in
// milliseconds, whatever the generation holds; it keeps those of the sealing with the generation.
type Identity map[string]string

// Differs says in which facts the generation is no longer the one that was sealed, now being its
// facts as they are; "" where it is. A fact that is not in both is not compared: an engine omits
// facts that it cannot read at the moment, and older versions of the program kept none.
func (sealed Identity) Differs(now Identity) string {
	var differences []string
	for _, subject := range slices.Sorted(maps.Keys(sealed)) {
		if fact, known := now[subject]; known && fact != sealed[subject] {
			differences = append(differences, fmt.Sprintf("%s: sealed with %s, has %s", subject, sealed[subject], fact))
		}
	}
	if len(differences) > mostDifferences {
		differences = append(differences[:mostDifferences], fmt.Sprintf("and %d more", len(differences)-mostDifferences))
	}
	return strings.Join(differences, "; ")
}

// mostDifferences is how many facts an error names: an index may have a thousand shards.
const mostDifferences = 5

// Name names a generation of prefix that is begun at t: `filings-20260131-235959.123456-v1`. Names
// of one prefix sort by time.
func Name(prefix string, t time.Time, version int) string {
	return fmt.Sprintf("%s-%s-v%d", prefix, t.UTC().Format(index.GenerationLayout), version)
}

// VersionOf returns the version of the data in the name of a generation, 0 for any other name.
func VersionOf(name string) int {
	version, _ := strconv.Atoi(name[strings.LastIndexByte(name, 'v')+1:])
	return version
}

// ParseName returns when the generation of prefix with a name was begun; false for other names.
func ParseName(prefix, name string) (time.Time, bool) {
	rest, _ := strings.CutPrefix(name, prefix+"-")
	created, version, _ := strings.Cut(rest, "-v")
	v, err := strconv.ParseUint(version, 10, 31)
	if err != nil {
		return time.Time{}, false
	}
	t, err := time.Parse(index.GenerationLayout, created)
	if err != nil || name != Name(prefix, t, int(v)) { // both take more than is written
		return time.Time{}, false
	}
	return t, true
}
