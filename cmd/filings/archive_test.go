package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/indextest/edges"
	"filings/reindexer/archive"
)

// archived loads filings that try the rules, with and without city and createdAt, and of counties that loads refuse today.
func archived(t *testing.T, f *fixture, n int) {
	t.Helper()
	var file bytes.Buffer
	_, err := archive.Write(&file, "filings", time.Now(), func(yield func(index.Stored, error) bool) {
		for i, filing := range edges.Fuzzed(n, 1) {
			s := index.Stored{Version: index.Version{Record: index.AppendRecord(nil, filing), City: filing.Text(index.City)}, Created: index.NoTime}
			if i%2 == 0 {
				s.Created = int64(i) * 1_000_000_007
			}
			if !yield(s, nil) {
				return
			}
		}
	})
	path := filepath.Join(t.TempDir(), "edges.archive")
	if err = errors.Join(err, os.WriteFile(path, file.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	f.must(t, "", "generations", "restore", path)
}

// exported returns the export of all that is live.
func exported(t *testing.T, f *fixture) []byte {
	t.Helper()
	_, at, c, key := serveLoaded(t, f)
	return get(t.Context(), t, c, at.api+"/v1/filings/export", key)
}

// X48: what is saved on one engine and restored on the other exports byte for byte as before, also the second time around; and its
// archive has the same records, with when they were added and their cities.
func TestX48_AcrossEngines(t *testing.T) {
	t.Parallel()
	address, id, secret := servers.S3(t)
	first, second, third := newFixture(t), newFixture(t), newFixture(t)
	name := fmt.Sprintf("archive-%d", time.Now().UnixNano())
	second.settings.ElasticsearchURL, second.settings.Index = []string{servers.Elasticsearch(t)}, name
	t.Cleanup(func() { servers.DeleteIndices(t, second.settings.ElasticsearchURL[0], name) })
	for _, f := range []*fixture{first, second, third} {
		f.settings.S3Endpoint, f.settings.AWS.AccessKeyID, f.settings.AWS.SecretAccessKey = address, id, secret
	}
	archived(t, first, 3000)
	want := exported(t, first)
	file := filepath.Join(t.TempDir(), "filings.archive")
	saves := []string{first.must(t, "", "generations", "save", "live", file)}
	second.must(t, "", "generations", "restore", file)
	saves = append(saves, second.must(t, "", "generations", "save", "live", "s3://counties/nightly/a b"))
	third.must(t, "", "generations", "restore", "s3://counties/nightly/a b")
	saves = append(saves, third.must(t, "", "generations", "save", "live", file))
	for i, f := range []*fixture{second, third} {
		if got := exported(t, f); !bytes.Equal(got, want) {
			t.Errorf("restored %d times: an export of %d bytes, not the %d before", i+1, len(got), len(want))
		}
	}
	sums := map[string]bool{}
	for _, text := range saves {
		var s saved
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Filings != 3000 {
			t.Fatalf("%v: %s", err, text)
		}
		sums[s.SHA256] = true
	}
	if len(sums) != 1 {
		t.Errorf("the archives have different records: %v", saves)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("error %v; the folder of the archive has %v", err, left)
	}
}

// An archive takes the place of a file, and of nothing else: root could replace /dev/null.
func TestX48_OnlyFilesAreReplaced(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	archived(t, f, 300)
	dir := t.TempDir()
	link, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink("/dev/null", link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, is := range map[string]string{link: "is a link", pipe: "is a named pipe", dir: "is a folder"} {
		before, _ := os.Lstat(path)
		code, _, errs := f.run(t.Context(), "", "generations", "save", "live", path)
		if after, err := os.Lstat(path); code != exitFailed || !strings.Contains(errs, path+" "+is) || err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s: exit code %d, %s, %v; it was %v", path, code, errs, err, before.Mode())
		}
	}
}

// X48: damaged archives are refused, with the place, and what was live stays so, alone.
func TestX48_DamagedArchives(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	archived(t, f, 300)
	file := filepath.Join(t.TempDir(), "filings.archive")
	f.must(t, "", "generations", "save", "live", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := f.must(t, "", "generations", "--json")
	r := rand.New(rand.NewPCG(4, 8))
	n := 100
	if testing.Short() {
		n = 2 * len(damages)
	}
	for i := range n {
		damage := damages[i%len(damages)]
		if err := os.WriteFile(file, damage.do(r, slices.Clone(whole)), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := f.run(t.Context(), "", "generations", "restore", file)
		if code != exitFailed || !strings.Contains(errs, damage.says) || !strings.Contains(errs, file) {
			t.Errorf("%d, %s: exit code %d, %s", i, damage.name, code, errs)
		}
	}
	if after := f.must(t, "", "generations", "--json"); after != before {
		t.Errorf("generations were %s and are %s", before, after)
	}
	sealed := inLines(func(_ *rand.Rand, lines [][]byte) [][]byte { // as former versions have them
		return slices.Insert(lines, len(lines)-1, []byte(`{"sealed":300,"sha256":"0123"}`+"\n"))
	})
	for _, archive := range [][]byte{whole, sealed(r, whole)} {
		if err := os.WriteFile(file, archive, 0o600); err != nil {
			t.Fatal(err)
		}
		f.must(t, "", "generations", "restore", file)
	}
}

// damages are what becomes of archives.
var damages = []struct {
	name string
	do   func(r *rand.Rand, archive []byte) []byte
	says string
}{
	{"a bit flipped", func(r *rand.Rand, a []byte) []byte {
		for text := unpacked(a); ; { // some bits have no meaning, such as one of the head: the text stays
			at, bit := 8+r.IntN(len(a)-8), byte(1)<<r.IntN(8)
			if a[at] ^= bit; !bytes.Equal(unpacked(a), text) {
				return a
			}
			a[at] ^= bit
		}
	}, "the archive is damaged"},
	{"cut off", func(r *rand.Rand, a []byte) []byte { return a[:8+r.IntN(len(a)-8)] }, "it is cut off"},
	{"something after it", func(r *rand.Rand, a []byte) []byte { return append(a, byte(r.Uint32())) }, "the archive is damaged"},
	{"twice", func(_ *rand.Rand, a []byte) []byte { return append(a, a...) }, "it goes on after its manifest"},
	{"two lines in another order", inLines(func(r *rand.Rand, lines [][]byte) [][]byte {
		i := r.IntN(len(lines) - 1)
		lines[i], lines[i+1] = lines[i+1], lines[i]
		return lines
	}), "the archive is damaged"},
	{"a line twice", inLines(func(r *rand.Rand, lines [][]byte) [][]byte {
		i := r.IntN(len(lines))
		return slices.Insert(lines, i, lines[i])
	}), "the archive is damaged"},
	{"without a line", inLines(func(r *rand.Rand, lines [][]byte) [][]byte {
		i := r.IntN(len(lines))
		return slices.Delete(lines, i, i+1)
	}), "the archive is damaged"},
	{"another record", inLines(func(r *rand.Rand, lines [][]byte) [][]byte {
		i := r.IntN(len(lines) - 2)
		lines[i] = bytes.Replace(lines[i], []byte(`"id":`), []byte(`"id":7`), 1)
		return lines
	}), "its manifest describes other records"},
	{"another county in the manifest", inLines(func(_ *rand.Rand, lines [][]byte) [][]byte {
		last := len(lines) - 1
		lines[last] = bytes.Replace(lines[last], []byte(`"counties":{"`), []byte(`"counties":{"X`), 1)
		return lines
	}), "expected, 0 found"},
	{"no archive", func(*rand.Rand, []byte) []byte { return []byte(`{"id":1,"county":"Orange, FL"}`) }, "it is no archive"},
}

// unpacked returns the text of an archive, nil where it is damaged.
func unpacked(archive []byte) []byte {
	decoder, _ := zstd.NewReader(nil)
	defer decoder.Close()
	text, err := decoder.DecodeAll(archive, nil)
	if err != nil {
		return nil
	}
	return text
}

// inLines is a damage to the lines of an archive, after which it is compressed anew.
func inLines(do func(r *rand.Rand, lines [][]byte) [][]byte) func(*rand.Rand, []byte) []byte {
	return func(r *rand.Rand, archive []byte) []byte {
		lines := bytes.SplitAfter(unpacked(archive), []byte("\n"))
		encoder, _ := zstd.NewWriter(nil)
		defer encoder.Close()
		return encoder.EncodeAll(bytes.Join(do(r, lines[:len(lines)-1]), nil), nil)
	}
}

// X48: a save that is killed leaves the archive that was there, a restore what was live; and the next one goes on.
func TestX48_Kills(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		killArchives(t, openEmbedded(t, dir), "FILINGS_DATA_DIR="+dir)
	})
	t.Run("elasticsearch", func(t *testing.T) {
		t.Parallel()
		address, name := servers.Elasticsearch(t), fmt.Sprintf("archives-%d", time.Now().UnixNano())
		killArchives(t, openElastic(t, address, name), onElastic(t, address, name)...)
	})
}

func killArchives(t *testing.T, open opener, environment ...string) {
	dir := t.TempDir()
	runIn := func(args ...string) string { return runProgram(t, environment, args...) }
	files := loadFiles(t, 2)
	runIn("reindex", files[0])
	file, second := filepath.Join(dir, "a.archive"), filepath.Join(dir, "b.archive")
	began := time.Now()
	runIn("generations", "save", "live", file)
	took := time.Since(began)
	runIn("reindex", "--max-shrink", "100", files[1])
	runIn("generations", "save", "live", second)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	moment := rand.New(rand.NewPCG(4, 9))
	killed := func(most time.Duration, args ...string) {
		victim := programCommand(environment, args...)
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(moment.Int64N(int64(most))), func() { _ = victim.Process.Kill() })
		_ = victim.Wait()
		timer.Stop()
	}
	store, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{seen(t, store): true}
	for range kills(t) {
		killed(took*5/4, "generations", "save", "live", file)
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, whole) && !isWhole(got) {
			t.Fatalf("error %v; the file is no archive that was saved", err)
		}
		killed(2*took, "generations", "restore", "--max-shrink", "100", file)
		allowed[seen(t, store)] = true
		freeLock(t, open)
		runIn("generations", "restore", "--max-shrink", "100", file)
		checkClean(t, store)
	}
	runIn("generations", "save", "live", file)
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+partial)); len(left) > 0 || len(allowed) > 3 {
		t.Errorf("%v was left; readers saw %v", left, allowed)
	}
}

// isWhole reports whether an archive's compressed stream is whole.
func isWhole(text []byte) bool {
	decoder, _ := zstd.NewReader(nil)
	defer decoder.Close()
	_, err := decoder.DecodeAll(text, nil)
	return err == nil
}
