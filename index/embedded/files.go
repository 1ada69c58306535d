package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"

	"filings/index"
	"filings/index/generation"
)

const (
	sealedSuffix   = ".db"
	buildingSuffix = ".building"
	changesSuffix  = ".changes"
	strippedSuffix = ".stripped" // a changeset without copies that are withheld, until it has the name of the other one
)

// suffixes are those of the files that a part may have.
var suffixes = map[string][]string{
	generation.FilingsPart: {sealedSuffix, buildingSuffix},
	generation.ChangesPart: {changesSuffix, strippedSuffix},
}

// files are the files of one index.
type files struct{ dir, index string }

func (f files) generations() string       { return filepath.Join(f.dir, "generations") }
func (f files) sealed(name string) string { return filepath.Join(f.generations(), name+sealedSuffix) }
func (f files) building(name string) string {
	return filepath.Join(f.generations(), name+buildingSuffix)
}
func (f files) changes(name string) string     { return filepath.Join(f.generations(), name+changesSuffix) }
func (f files) beside(extension string) string { return filepath.Join(f.dir, f.index+extension) }
func (f files) document(name string) string    { return f.beside("." + name) }
func (f files) lock() string                   { return f.beside(".lock") }

// part returns what a file of the folder of generations is; false for one that is none of this index.
func (f files) part(file string) (p generation.Part, ok bool) {
	for kind, all := range suffixes {
		for _, suffix := range all {
			if name, is := strings.CutSuffix(file, suffix); is && f.valid(name) {
				return generation.Part{Generation: name, Kind: kind, Sealed: suffix == sealedSuffix}, true
			}
		}
	}
	return p, false
}

// replace puts data into the file at path in one step that survives a power cut: a reader sees the old content or the
// new one. Only one process at a time may replace a file.
func replace(path string, data []byte) error {
	temp := path + ".new"
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder waits until the names in the folder at path are on the disk; but Windows has no call for that.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// valid reports whether name can be the name of a generation of this index, and so part of a path.
func (f files) valid(name string) bool {
	_, ok := generation.ParseName(f.index, name)
	return ok
}

// outage is an error of the folder.
func outage(err error) error { return fmt.Errorf("%w: %w", index.ErrUnavailable, err) }

// lockFile opens the file at path and locks it against every other lock of it, in this process or
// another. The lock ends when it is closed, and with its process at the latest. Without wait,
// acquired is false where the file was not free.
func lockFile(path string, wait bool) (l io.Closer, acquired bool, err error) {
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if wait {
		err = file.Lock()
		return file, err == nil, err
	}
	acquired, err = file.TryLock()
	return file, acquired, err
}

// guarded runs step while no other process runs a guarded step on the same index. Steps take milliseconds.
func (f files) guarded(step func() error) error {
	guard, _, err := lockFile(f.beside(".guard"), true)
	if err != nil {
		return err
	}
	return errors.Join(step(), guard.Close())
}
