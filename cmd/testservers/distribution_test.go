package main

import (
	"archive/zip"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseJava(t *testing.T) {
	t.Parallel()
	type java struct {
		Home    string
		Version int
	}
	for _, test := range []struct {
		name, in string
		want     java
	}{
		{
			name: "17",
			in: "Property settings:\n    java.home = /usr/lib/jvm/java-17\n    java.specification.version = 17\n" +
				"    java.vm.specification.version = 18\n\nopenjdk version \"17.0.15\"\n",
			want: java{"/usr/lib/jvm/java-17", 17},
		},
		{
			name: "8",
			in:   "    java.home = /opt/with space/jre\n    java.specification.version = 1.8\n",
			want: java{"/opt/with space/jre", 0},
		},
		{name: "something else", in: "java: command not found\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			home, version := parseJava(test.in)
			if diff := cmp.Diff(test.want, java{home, version}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEngineOf(t *testing.T) {
	t.Parallel()
	type read struct {
		Name, Variables string
		Java            int
	}
	for text, want := range map[string]read{
		"elasticsearch:8.15.5": {"Elasticsearch", "ES_", 17},
		"opensearch:2.19.6":    {"OpenSearch", "OPENSEARCH_", 17},
		"opensearch:3.6.0":     {"OpenSearch", "OPENSEARCH_", 21},
	} {
		e, err := engineOf(text)
		if diff := cmp.Diff(want, read{e.name(), e.variables(), e.oldestJava()}); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", "opensearch", "opensearch:", "opensearch:2", "solr:9.0.0", "opensearch:../2.19.6", "opensearch:2.19.6:zip"} {
		if e, err := engineOf(text); err == nil {
			t.Errorf("%q is %v", text, e)
		}
	}
}

// A fake Java in JAVA_HOME stands for the kinds that will not do.
func TestFindJDKRefuses(t *testing.T) {
	t.Parallel()
	for name, version := range map[string]string{"too old": "11", "ancient": "1.8", "without a compiler": "21"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			script := "#!/bin/sh\necho '    java.home = " + home + "'\necho '    java.specification.version = " + version + "'\n"
			if err := os.Mkdir(filepath.Join(home, "bin"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "bin", "java"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			h := newStage(map[string]string{"JAVA_HOME": home})
			if found, err := findJDK(t.Context(), 17, h.host); err == nil {
				t.Errorf("found %q", found)
			}
		})
	}
}

// writeZip makes an archive of files with the given modes.
func writeZip(t *testing.T, files map[string]fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	for name, mode := range files {
		header := &zip.FileHeader{Name: name}
		header.SetMode(mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if !mode.IsDir() {
			if _, err := w.Write([]byte(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnzip(t *testing.T) {
	t.Parallel()
	archive := writeZip(t, map[string]fs.FileMode{
		"es-1/":             fs.ModeDir | 0o700,
		"es-1/empty/":       fs.ModeDir | 0o750,
		"es-1/bin/es":       0o700,
		"es-1/config/a.yml": 0o660,
	})
	home := filepath.Join(t.TempDir(), "home")
	if err := unzip(archive, home); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err := filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(home, path)
		got[name] = info.Mode().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		".": "drwxr-xr-x", "empty": "drwxr-xr-x", "bin": "drwxr-xr-x", "bin/es": "-rwxr-xr-x",
		"config": "drwxr-xr-x", "config/a.yml": "-rw-r--r--",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(home, "config", "a.yml")); err != nil || string(text) != "es-1/config/a.yml" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

func TestUnzipRefusesToLeave(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"es-1/../../evil", "es-1//etc/evil"} {
		folder := t.TempDir()
		err := unzip(writeZip(t, map[string]fs.FileMode{name: 0o644}), filepath.Join(folder, "home"))
		if err == nil {
			t.Errorf("%s was unpacked", name)
		}
		if _, err := os.Stat(filepath.Join(folder, "evil")); err == nil {
			t.Errorf("%s left its folder", name)
		}
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := lock(short, name); err != context.DeadlineExceeded {
		t.Errorf("a second lock: %v, want context.DeadlineExceeded", err)
	}
	taken := make(chan error, 1)
	go func() {
		again, err := lock(t.Context(), name)
		if err == nil {
			again()
		}
		taken <- err
	}()
	unlock()
	if err := <-taken; err != nil {
		t.Errorf("after unlock: %v", err)
	}
}
