package embedded

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"filings/index/generation"
)

const (
	sealedSuffix   = ".db"
	buildingSuffix = ".building"
	retiredSuffix  = ".retired" // of a generation that only steps need
	stepSuffix     = ".step"    // of a step whose generation is live, or was not promoted
	promotedSuffix = ".changes" // of a step whose generation was promoted
)

// files are the files of one index.
type files struct{ dir, index string }

func (f files) generations() string       { return filepath.Join(f.dir, "generations") }
func (f files) sealed(name string) string { return filepath.Join(f.generations(), name+sealedSuffix) }
func (f files) building(name string) string {
	return filepath.Join(f.generations(), name+buildingSuffix)
}
func (f files) retired(name string) string { return filepath.Join(f.generations(), name+retiredSuffix) }
func (f files) step(name string) string    { return filepath.Join(f.generations(), name+stepSuffix) }
func (f files) promotedStep(name string) string {
	return filepath.Join(f.generations(), name+promotedSuffix)
}
func (f files) beside(extension string) string { return filepath.Join(f.dir, f.index+extension) }

// live returns the name of the live generation, "" before the first swap. Its file may be missing.
func (f files) live() (string, error) {
	b, err := os.ReadFile(f.beside(".live"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// has reports whether there is a sealed generation of that name.
func (f files) has(name string) (bool, error) {
	if !f.valid(name) {
		return false, nil
	}
	_, err := os.Stat(f.sealed(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// promoted reports whether a generation was ever promoted. Without the file that says so, marked is false: then it was if
// there is a sealed generation, or if the last load says so.
func (f files) promoted() (promoted, marked bool, err error) {
	b, err := os.ReadFile(f.beside(".promoted"))
	if !errors.Is(err, fs.ErrNotExist) {
		return len(b) > 0, err == nil, err
	}
	all, err := f.list()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, false, err
	}
	if slices.ContainsFunc(all, func(g generation.Info) bool { return g.Sealed }) {
		return true, false, nil
	}
	last, err := f.run()
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	return err == nil && last.Outcome == generation.OutcomePromoted, false, err
}

// mark makes sure that there is a file that says whether a generation was promoted. The holder of the lock calls it, so
// that no load is between sealing and promoting.
func (f files) mark() error {
	promoted, marked, err := f.promoted()
	if err != nil || marked {
		return err
	}
	name := ""
	if promoted {
		name = "by a former version\n"
	}
	return replace(f.beside(".promoted"), []byte(name))
}

// promote makes a generation live, and then marks that there was one: whoever sees the mark finds what is live. The step of
// what is live counts as promoted; it is marked so before another one is live.
func (f files) promote(name string) error {
	live, err := f.live()
	if err == nil && live != "" {
		err = os.Rename(f.step(live), f.promotedStep(live))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := replace(f.beside(".live"), []byte(name+"\n")); err != nil {
		return err
	}
	promoted, marked, err := f.promoted()
	if err != nil || promoted && marked {
		return err
	}
	return replace(f.beside(".promoted"), []byte(name+"\n"))
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

// syncFile waits until the file at path is on the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows syncs nothing that was opened to read
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
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

// list returns what the names and sizes of the files say of all generations, the newest first.
func (f files) list() (all []generation.Info, err error) {
	entries, err := os.ReadDir(f.generations())
	for _, e := range slices.Backward(entries) { // sorted by name
		name, sealed := strings.CutSuffix(e.Name(), sealedSuffix)
		name, building := strings.CutSuffix(name, buildingSuffix)
		created, ok := generation.ParseName(f.index, name)
		if sealed == building || !ok {
			continue
		}
		if info, err := e.Info(); err == nil { // else it was deleted or sealed meanwhile
			all = append(all, generation.Info{Name: name, CreatedAt: created, Bytes: info.Size(), Sealed: sealed})
		}
	}
	return all, err
}

// lockFile opens the file at path and locks it against every other lock of it, in this process or another. The lock ends
// when it is closed, and with its process at the latest. Without wait, acquired is false where the file was not free.
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
