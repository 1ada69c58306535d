package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// cacheFolder returns the folder in the user's cache where distributions stay, and makes it. The user `nobody`, as
// whom Elasticsearch runs instead of root, cannot read root's own cache; so root uses that of the machine.
func cacheFolder() (string, error) {
	parent := "/var/cache"
	if os.Geteuid() != 0 {
		var err error
		if parent, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	folder := filepath.Join(parent, "filings-testservers")
	return folder, os.MkdirAll(folder, 0o755)
}

// lock takes the lock of this name, which ends with unlock or with the process.
func lock(ctx context.Context, name string) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			file.Close()
			return nil, fmt.Errorf("locking %s: %w", name, err)
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
