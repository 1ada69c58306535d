package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// TestX19_KilledWhileComparing: a load that is killed while it writes what changes promotes nothing; the next one leaves nothing
// of it, and its changes are right.
func TestX19_KilledWhileComparing(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		environment := []string{"FILINGS_DATA_DIR=" + dir}
		killComparing(t, openEmbedded(t, dir), environment, func(file string) { killInFile(t, dir, file, environment) })
		left, err := filepath.Glob(filepath.Join(dir, "generations", "*"))
		if names := strings.Join(left, "\n"); err != nil || strings.Count(names, ".changes") != 1 || strings.Count(names, ".db") != len(left)-1 {
			t.Errorf("files are left: %v\n%s", err, names)
		}
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		address, name := servers.Elasticsearch(t), fmt.Sprintf("comparing-%d", time.Now().UnixNano())
		killComparing(t, openElastic(t, address, name), onElastic(t, address, name), func(file string) { killInRequest(t, address, name, file) })
		res, err := http.Get(address + "/_cat/indices/" + name + "-*?expand_wildcards=all&h=index")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if n := strings.Count(string(body), "-changes\n"); err != nil || n != 1 {
			t.Errorf("%d changesets are left in %v:\n%s", n, err, body)
		}
	})
}

// killComparing loads one file, has the load of another one killed, and then loads that.
func killComparing(t *testing.T, open opener, environment []string, kill func(file string)) {
	files := loadFiles(t, 2)
	mix(t, files)
	load(t, files[0], environment)
	store, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := store.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := records(t, first)
	kill(files[1])
	if run, err := indextest.LastRun(t.Context(), store); err != nil || run == nil || run.Phase != "comparing" {
		t.Errorf("killed in the phase of %+v, %v", run, err)
	}
	changesets, err := store.Changesets(t.Context())
	if live, failed := store.Live(t.Context()); failed != nil || live.Generation() != first.Generation() || err != nil || len(changesets) != 0 {
		t.Errorf("after the kill %s is live, %v; changesets %+v, %v", live.Generation(), failed, changesets, err)
	}
	freeLock(t, open)
	load(t, files[1], environment)
	checkClean(t, store)
	var live index.Reader
	eventually(t, "readers see the next load", func() bool {
		live, err = store.Live(t.Context())
		return err != nil || live.Generation() != first.Generation()
	})
	if err != nil {
		t.Fatal(err)
	}
	changesets, err = store.Changesets(t.Context())
	want := []index.Changeset{{Generation: live.Generation(), Parent: first.Generation(), Added: 1, Changed: 1170, Removed: 30}}
	if diff := cmp.Diff(want, changesets); err != nil || diff != "" {
		t.Fatalf("changesets: %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(records(t, live), follow(t, store, before, live.Generation())); diff != "" {
		t.Errorf("the copy that followed the changes (-want +got):\n%s", diff)
	}
}

// mix makes two files alike in part: of 1,500 and 1,501 filings, 300 are the same then, and 30 are in the first one alone.
func mix(t *testing.T, files []string) {
	t.Helper()
	var lines [2][]string
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = strings.SplitAfter(string(text), "\n")
	}
	mixed := strings.Join(slices.Concat(lines[0][:300], lines[1][330:]), "")
	if err := os.WriteFile(files[1], []byte(mixed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// records returns all records of a generation, by id.
func records(t *testing.T, r index.Reader) map[int64]string {
	t.Helper()
	page, err := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	all := map[int64]string{}
	for _, record := range page.Records {
		var id int64
		if _, err := fmt.Sscanf(string(record), `{"id":%d,`, &id); err != nil {
			t.Fatal(err)
		}
		all[id] = string(record)
	}
	return all
}

// follow applies the changes of a changeset to a copy of the records before it.
func follow(t *testing.T, store generation.Store, copied map[int64]string, name string) map[int64]string {
	t.Helper()
	for after, more := int64(0), true; more; {
		page, err := store.Changes(t.Context(), index.ChangeQuery{Generations: []string{name},
			FieldGroups: index.AllFieldGroups, LastID: after, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			if copied[c.ID] != string(c.Earlier.Record) {
				t.Fatalf("filing %d was %s, and not %s", c.ID, copied[c.ID], c.Earlier.Record)
			}
			if after = c.ID; c.Later.Record == nil {
				delete(copied, c.ID)
			} else {
				copied[c.ID] = string(c.Later.Record)
			}
		}
		more = page.More
	}
	return copied
}

// killInFile kills a load into the folder of an embedded store in the middle of writing its changeset: the file is a named pipe
// until then, which takes fewer bytes than the changeset has. What the load has written of it is left as a file, as a kill
// leaves it.
func killInFile(t *testing.T, dir, file string, environment []string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	victim := command("-", environment)
	in, err := victim.StdinPipe()
	must(err)
	must(victim.Start())
	var building []string
	eventually(t, "the load begins a generation", func() bool {
		building, err = filepath.Glob(filepath.Join(dir, "generations", "*.building"))
		return err != nil || len(building) > 0
	})
	must(err)
	path := strings.TrimSuffix(building[0], ".building") + ".changes"
	must(syscall.Mkfifo(path, 0o600))
	pipe, err := os.OpenFile(path, os.O_RDWR, 0) // for writing as well, so that the load has somebody to write to at once
	must(err)
	defer pipe.Close()
	text, err := os.ReadFile(file)
	must(err)
	_, err = in.Write(text)
	must(err)
	must(in.Close())
	written := make([]byte, 4096)
	must(pipe.SetReadDeadline(time.Now().Add(testTimeout)))
	n, err := io.ReadFull(pipe, written)
	must(err)
	store, err := openEmbedded(t, dir)(nil)
	must(err)
	eventually(t, "the load, which cannot write on, says that it compares", func() bool {
		run, err := indextest.Running(t.Context(), store)
		must(err)
		return run != nil && run.Phase == "comparing"
	})
	killed(t, victim)
	must(os.Remove(path))
	must(os.WriteFile(path, written[:n], 0o600))
}

// killInRequest kills a load when Elasticsearch has its changes, and the load does not know.
func killInRequest(t *testing.T, address, name, file string) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy, comparing := httputil.NewSingleHostReverseProxy(at), make(chan struct{})
	var once sync.Once
	stuck := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy.ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, "-changes/_bulk") {
			once.Do(func() { close(comparing) })
			<-t.Context().Done()
		}
	}))
	t.Cleanup(stuck.Close)
	victim := command(file, onElastic(t, stuck.URL, name))
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-comparing:
	case <-time.After(testTimeout):
		t.Error("the load did not write what changes")
	}
	killed(t, victim)
}

// killed kills a process that still runs.
func killed(t *testing.T, victim *exec.Cmd) {
	t.Helper()
	if err := victim.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := victim.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the load has ended by itself: %v", err)
	}
}
