package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index/generation"
)

// TestX53_Killed: an add that is killed at any moment holds for each later load, or was never made, and says which; nothing of what
// the list calls complete is in any file. Two in each run, more at night, and in Elasticsearch only then.
func TestX53_Killed(t *testing.T) {
	t.Parallel()
	killAdds(t, 2, "embedded")
}

// TestX53_KilledAtNight: the same, more often, in both engines.
func TestX53_KilledAtNight(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "kills")
	for _, engine := range []string{"embedded", "elasticsearch"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			killAdds(t, kills(t), engine)
		})
	}
}

// withheldPlace is a place for loads in processes of their own: of records of which an owner has eight.
type withheldPlace struct {
	*twins
	open        opener
	environment []string
	file        string // all records
	store       generation.Store
	engine      string
}

func newWithheldPlace(t *testing.T, engine string) *withheldPlace {
	t.Helper()
	p := &withheldPlace{twins: newTwins(t, func(*fixture) {}), engine: engine, file: filepath.Join(t.TempDir(), "all.ndjson")}
	if engine == "embedded" {
		dir := p.withheld.settings.DataDir
		p.open, p.environment = openEmbedded(t, dir), []string{"FILINGS_DATA_DIR=" + dir}
	} else {
		address, name := servers.Elasticsearch(t), fmt.Sprintf("withheld-%d", time.Now().UnixNano())
		p.withheld.settings.ElasticsearchURL, p.withheld.settings.Index = []string{address}, name
		p.open, p.environment = openElastic(t, address, name), onElastic(t, address, name)
	}
	p.environment = append(p.environment, "FILINGS_LOG_LEVEL=error", "FILINGS_KEEP_CHANGES=30", "FILINGS_KEEP_GENERATIONS=3")
	err := os.WriteFile(p.file, []byte(p.all), 0o600)
	if err == nil {
		p.store, err = p.open(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// adds is a process that adds the owner to the list.
func (p *withheldPlace) adds() *exec.Cmd {
	return programCommand(p.environment, "withhold", "add", "--owner", p.owner, "--reason", "order 7", "--yes")
}

// entries returns the list.
func (p *withheldPlace) entries() []generation.Withholding {
	p.t.Helper()
	list, err := p.store.Withheld(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return list.Entries
}

// wantNothing wants nothing of the owner in anything that is kept.
func (p *withheldPlace) wantNothing(when string) {
	p.t.Helper()
	if p.engine == "embedded" {
		noBytes(p.t, p.withheld.settings.DataDir, "blanketflower", "zanthorrhoea")
	} else {
		noTerms(p.t, p.withheld.settings.ElasticsearchURL[0], p.withheld.settings.Index, "blanketflower", "zanthorrhoea")
	}
	if p.t.Failed() {
		p.t.Fatal(when)
	}
}

// live returns how many filings are live.
func (p *withheldPlace) live() int64 {
	p.t.Helper()
	all, err := p.store.Generations(p.t.Context())
	for _, g := range all {
		if g.Live {
			return g.Filings
		}
	}
	p.t.Fatalf("nothing is live: %v", err)
	return 0
}

// killAdds has adds killed, and completes each in one of three ways.
func killAdds(t *testing.T, n int, engine string) {
	p := newWithheldPlace(t, engine)
	load := func(args ...string) { runProgram(t, p.environment, append([]string{"reindex"}, args...)...) }
	one := filepath.Join(t.TempDir(), "one.ndjson")
	if err := os.WriteFile(one, []byte(strings.SplitAfterN(p.others, "\n", 2)[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	load(p.file)
	load("--update", one)
	began := time.Now()
	if out, err := p.adds().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(began) - followTime // during which all is done
	p.wantNothing("not killed")
	ways := [][]string{{"reindex", p.file}, {"reindex", "--update", one}, p.adds().Args[1:]}
	moment := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		if entries := p.entries(); len(entries) > 0 {
			runProgram(t, p.environment, "withhold", "remove", fmt.Sprint(entries[0].Number))
		}
		load(p.file)
		load("--update", one)
		victim := p.adds()
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(moment.Int64N(int64(whole)*9/8)), func() { _ = victim.Process.Kill() })
		ended := victim.Wait()
		timer.Stop()
		freeLock(t, p.open)
		when := fmt.Sprintf("kill %d: %v", i, ended)
		entries := p.entries()
		if len(entries) > 0 && entries[0].Complete {
			p.wantNothing(when)
		} else if ended == nil {
			t.Fatalf("%s: the list is %+v", when, entries)
		}
		way := ways[i%len(ways)]
		runProgram(t, p.environment, way...)
		if after := p.entries(); len(entries) == 0 && way[0] == "reindex" {
			if len(after) != 0 || p.live() != 300 {
				t.Fatalf("%s: not in the list, and after a load: %+v, %d filings", when, after, p.live())
			}
		} else if len(after) != 1 || !after[0].Complete || p.live() != 292 {
			t.Fatalf("%s: then %q: the list is %+v, %d filings are live", when, way, after, p.live())
		} else {
			p.wantNothing(fmt.Sprintf("%s: then %q", when, way))
		}
		checkClean(t, p.store)
	}
}

// TestX53_Processes: of two processes that add at once, and of one beside a load, each holds or says that it does not; the list says the
// same, and what is left to do the next load does.
func TestX53_Processes(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"embedded", "elasticsearch"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if engine == "elasticsearch" {
				servers.Nightly(t, "kills")
			}
			p := newWithheldPlace(t, engine)
			runProgram(t, p.environment, "reindex", p.file)
			another := programCommand(p.environment, "withhold", "add", "--id", p.ids[0], "--reason", "order 8", "--yes")
			commands := []*exec.Cmd{p.adds(), p.adds(), another, programCommand(p.environment, "reindex", p.file)}
			ends, outs := make([]error, len(commands)), make([][]byte, len(commands))
			var running sync.WaitGroup
			for i, c := range commands {
				running.Go(func() { outs[i], ends[i] = c.CombinedOutput() })
			}
			running.Wait()
			for i, err := range ends {
				var exit *exec.ExitError
				if err != nil && (!errors.As(err, &exit) || !strings.Contains(string(outs[i]), "another load is running")) {
					t.Errorf("command %d: %v: %s", i, err, outs[i])
				}
			}
			entries := p.entries()
			for _, e := range entries {
				if !e.Complete {
					t.Errorf("the list is %+v", entries)
				}
			}
			if added := ends[0] == nil || ends[1] == nil; added {
				p.wantNothing("two at once")
			}
			if added, left := ends[2] == nil, p.live(); added && left != 292 && left != 299 || !added && len(entries) == 0 && left != 300 {
				t.Errorf("%d filings are live, %v", left, ends)
			}
		})
	}
}

// TestX53_DeletedBefore: what an update has deleted before is in no index either, although no filing of it is kept; and what
// an older generation had that is not live.
func TestX53_DeletedBefore(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"embedded", "elasticsearch"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if engine == "elasticsearch" {
				servers.Nightly(t, "kills")
			}
			p := newWithheldPlace(t, engine)
			p.withheld.must(t, "", "reindex", p.file)
			deleted := ""
			for _, id := range p.ids {
				deleted += `{"id":` + id + `,"deleted":true}` + "\n"
			}
			p.withheld.must(t, deleted, "reindex", "--update", "--may-shrink", "Orange, FL", "--max-shrink", "50", "--format", "ndjson", "-")
			p.withheld.must(t, strings.Join(strings.SplitAfter(p.others, "\n")[:3], ""), "reindex", "--update", "--format", "ndjson", "-")
			p.withheld.must(t, "", "withhold", "add", "--owner", p.owner, "--reason", "order 7", "--yes")
			if n := p.live(); n != 292 {
				t.Errorf("%d filings are live", n)
			}
			p.wantNothing("after the add")
		})
	}
}

// noTerms wants texts in no index whose name begins with prefix: neither in what documents store, blocks decompressed, nor in what
// fields are searched by, also of documents that were deleted and that no merge has dropped yet.
func noTerms(t *testing.T, address, prefix string, texts ...string) {
	t.Helper()
	var all struct {
		Indices map[string]struct {
			Total struct {
				Docs struct{ Count, Deleted int64 }
			}
		}
	}
	elasticGet(t, address+"/"+prefix+"*/_refresh?expand_wildcards=all", &all)
	elasticGet(t, address+"/"+prefix+"*/_stats/docs?expand_wildcards=all", &all)
	if len(all.Indices) < 2 {
		t.Errorf("%d indices", len(all.Indices))
	}
	for name, of := range all.Indices {
		if of.Total.Docs.Deleted > 0 && !strings.HasSuffix(name, "-catalog") { // which has no filings
			t.Errorf("%s has %d deleted documents in its segments", name, of.Total.Docs.Deleted)
		}
		var found struct {
			Hits struct {
				Hits []struct {
					Source json.RawMessage `json:"_source"`
				}
			}
		}
		elasticGet(t, address+"/"+name+"/_search?size=10000", &found)
		if int64(len(found.Hits.Hits)) != of.Total.Docs.Count {
			t.Errorf("%s: %d documents of %d", name, len(found.Hits.Hits), of.Total.Docs.Count)
		}
		for _, hit := range found.Hits.Hits {
			for _, text := range texts {
				if inDocument(hit.Source, text) {
					t.Errorf("%s has %s in %.200s", name, text, hit.Source)
				}
			}
		}
	}
}

func elasticGet(t *testing.T, url string, into any) {
	t.Helper()
	res, err := http.Get(url)
	if err == nil {
		err = json.NewDecoder(res.Body).Decode(into)
		_ = res.Body.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inDocument reports whether a text is in a document, or in the bytes that one of its texts stands for.
func inDocument(source []byte, text string) bool {
	var document any
	if inBlocks(source, text) || json.Unmarshal(source, &document) != nil {
		return true
	}
	var within func(v any) bool
	within = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for _, member := range v {
				if within(member) {
					return true
				}
			}
		case []any:
			for _, item := range v {
				if within(item) {
					return true
				}
			}
		case string:
			var data []byte
			return json.Unmarshal([]byte(`"`+v+`"`), &data) == nil && inBlocks(data, text)
		}
		return false
	}
	return within(document)
}
