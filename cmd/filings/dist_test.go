package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/cmd/filings/settings"
	"filings/cmd/testservers/servers"
)

// The archives of `make dist` depend on names and contents alone. CONTRIBUTING says how to compare those of two whole runs.
func TestDist_ArchivesRepeat(t *testing.T) {
	t.Parallel()
	files := []string{"filings", "LICENSE", "README.md", "a", "Z", "docs.txt"}
	pack := func(t *testing.T, form string, names []string, mode os.FileMode, at time.Time) []byte {
		folder := filepath.Join(t.TempDir(), "filings_1.0.0_linux_amd64")
		if err := os.Mkdir(folder, mode|0o100); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			path, mode := filepath.Join(folder, name), mode
			if name == "filings" {
				mode |= 0o100
			}
			if err := os.WriteFile(path, []byte(strings.Repeat(name, 1000)), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		archive := filepath.Join(t.TempDir(), "archive"+form)
		cmd := exec.Command("dist/archive", folder, "1780000000", archive)
		cmd.Env = append(os.Environ(), "TZ="+at.Location().String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		packed, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		return packed
	}
	for _, form := range []string{".tar.gz", ".zip"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			if form == ".zip" {
				servers.Program(t, "zip")
			}
			first := pack(t, form, files, 0o644, time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC))
			backwards := slices.Clone(files)
			slices.Reverse(backwards)
			second := pack(t, form, backwards, 0o600, time.Date(2027, 1, 2, 3, 4, 5, 6, time.FixedZone("EST5", -5*3600)))
			if !bytes.Equal(first, second) {
				t.Error("the same files gave other bytes")
			}
		})
	}
}

// The settings that the packages bring are ones that exist. `make packages` tries the packages.
func TestPackages_Settings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("dist/packages/settings")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^#?(FILINGS_\w+)=`).FindAllSubmatch(text, -1) {
		found++
		if !slices.ContainsFunc(settings.Rows(), func(r settings.Row) bool { return r.Variable == string(m[1]) }) {
			t.Errorf("%s is no setting", m[1])
		}
	}
	if found < 8 {
		t.Errorf("%d settings were found", found)
	}
}
