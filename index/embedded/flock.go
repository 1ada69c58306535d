package embedded

import (
	"errors"
	"os"
	"syscall"
)

// flock opens the file at path and locks it against every other flock of it, in this process or another. It ends when
// the file is closed, and so with its process at the latest. Without wait, acquired tells whether the lock was free.
func flock(path string, wait bool) (f *os.File, acquired bool, err error) {
	f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return f, true, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			err = nil
		}
		return nil, false, errors.Join(err, f.Close())
	}
}

// guarded runs step while no other process runs a guarded step on the same index. Steps take milliseconds.
func (f files) guarded(step func() error) error {
	guard, _, err := flock(f.beside(".guard"), true)
	if err != nil {
		return err
	}
	return errors.Join(step(), guard.Close())
}
