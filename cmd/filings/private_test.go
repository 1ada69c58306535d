package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Only its owner may read a file of a service's data folder, whatever the umask says, while the service runs on it.
func TestDataFolderIsPrivate_Umask(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	environment := []string{"FILINGS_DATA_DIR=" + dir}
	wide := func(args ...string) *exec.Cmd {
		cmd := programCommand(environment, args...)
		cmd.Args = append([]string{"sh", "-c", `umask 0; exec "$0" "$@"`, cmd.Path}, args...)
		sh, err := exec.LookPath("sh")
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = sh
		return cmd
	}
	file := filepath.Join(t.TempDir(), "filings.ndjson")
	if err := os.WriteFile(file, []byte(newFixture(t).must(t, "", "generate", "--count", "5")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"reindex", file}, {"reindex", file}, {"keys", "create", "--user", "u", "--tier", "free"}} {
		if out, err := wide(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	p := &process{cmd: wide("serve"), output: new(output), ended: make(chan error, 1)}
	p.cmd.Env = append(p.cmd.Env, "FILINGS_LISTEN=127.0.0.1:0", "FILINGS_REDIRECT_LISTEN=off", "FILINGS_OPERATIONS_LISTEN=off", "FILINGS_LOG_FORMAT=json")
	p.run(t)
	seen := checkPrivate(t, dir)
	for _, name := range []string{"access.db", "access.db-wal", "access.db-shm", "cert.pem", "key.pem"} {
		if !seen[name] {
			t.Errorf("there was no %s to look at: %v", name, seen)
		}
	}
	p.stop(t)
}

// checkPrivate makes sure that only the owner has any right on what is in dir, and returns the names that it saw.
func checkPrivate(t *testing.T, dir string) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		seen[entry.Name()] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}
