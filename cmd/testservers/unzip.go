package main

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unzip unpacks an archive whose files are all in one folder; that folder becomes home. Every user
// may read its files, and only their owner may write.
func unzip(archive, home string) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer reader.Close()
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	for _, entry := range reader.File {
		if err := unzipEntry(entry, home); err != nil {
			return fmt.Errorf("unpacking %s: %w", entry.Name, err)
		}
	}
	return readableByAll(home)
}

func unzipEntry(entry *zip.File, home string) error {
	_, name, _ := strings.Cut(entry.Name, "/")
	if name == "" {
		return nil
	}
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the name leads out of the archive")
	}
	path := filepath.Join(home, name)
	if entry.FileInfo().IsDir() {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	source, err := entry.Open()
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, entry.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if closed := target.Close(); err == nil {
		err = closed
	}
	return err
}

// readableByAll lets every user read the files in folder, with any umask, and run those that their
// owner may run.
func readableByAll(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
}
