package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// times is how often the data is repeated to see whether memory grows with it.
const times = 4

// loaded is the result of one load.
type loaded struct {
	generation string
	filings    int64
	changes    string // as the report has them
	seconds    float64
	cpu        time.Duration // of the program
	peakBytes  int64         // of the program
}

func (l loaded) row() string {
	return fmt.Sprintf("%d | %.1f | %.0f | %.1f | %d", l.filings, l.seconds, float64(l.filings)/l.seconds, l.cpu.Seconds(), l.peakBytes>>20)
}

// measureLoads loads the data, and four times the data, into each engine.
func (b *bench) measureLoads(ctx context.Context) error {
	large := filepath.Join(b.dir, "large.ndjson")
	if err := repeat(b.data, large, times); err != nil {
		return fmt.Errorf("repeat the data: %w", err)
	}
	fmt.Print("| load into | filings | seconds | filings/s | CPU of the program, s | its peak memory, MiB | filings/s beside a bare replay |\n|---|---|---|---|---|---|---|\n")
	for _, data := range []string{b.data, large} {
		if err := b.measureElasticsearch(ctx, data, data == b.data); err != nil {
			return err
		}
		folder := filepath.Join(b.dir, "embedded")
		l, err := b.load(ctx, data, "FILINGS_DATA_DIR="+folder)
		if err != nil {
			return err
		}
		fmt.Printf("| embedded | %s | |\n", l.row())
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	fmt.Println()
	return os.Remove(large)
}

// measureElasticsearch loads directly, which counts. To compare, it loads through a recorder before that, and sends the
// recorded requests once more, alone.
func (b *bench) measureElasticsearch(ctx context.Context, data string, compare bool) (err error) {
	defer func() { err = firstError(err, b.deleteIndices(ctx)) }()
	var bare time.Duration
	if compare {
		if bare, err = b.bareReplay(ctx, data); err != nil {
			return err
		}
	}
	l, err := b.load(ctx, data, b.onElasticsearch(b.elasticsearch)...)
	if err != nil {
		return err
	}
	ratio := ""
	if compare {
		ratio = fmt.Sprintf("%.2f", bare.Seconds()/l.seconds)
	}
	fmt.Printf("| Elasticsearch | %s | %s |\n", l.row(), ratio)
	return nil
}

// bareReplay returns the time that a load's requests take by themselves.
func (b *bench) bareReplay(ctx context.Context, data string) (bare time.Duration, err error) {
	rec, err := newRecorder(b.elasticsearch, b.dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = firstError(err, rec.close(), os.Remove(rec.file.Name())) }()
	l, err := b.load(ctx, data, b.onElasticsearch(rec.server.URL)...)
	if err != nil {
		return 0, err
	}
	return rec.replayLoad(ctx, b.elasticsearch, l.generation)
}

// load runs the program's own command on NDJSON.
func (b *bench) load(ctx context.Context, data string, environment ...string) (loaded, error) {
	return b.loadAs(ctx, []string{"--format", "ndjson", "--max-rejects", "1000", data}, environment...)
}

// loadAs runs it with these arguments.
func (b *bench) loadAs(ctx context.Context, args []string, environment ...string) (l loaded, err error) {
	cmd := exec.CommandContext(ctx, b.program, slices.Concat([]string{"reindex", "--max-shrink", "100"}, args)...)
	cmd.Env = append(os.Environ(), append(environment, "FILINGS_LOG_LEVEL=error")...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return l, fmt.Errorf("load: %w", err)
	}
	var report struct {
		Generation string
		Filings    int64
		Changes    json.RawMessage
		Seconds    float64
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return l, err
	}
	l = loaded{generation: report.Generation, filings: report.Filings, changes: string(report.Changes), seconds: report.Seconds}
	l.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		l.peakBytes = usage.Maxrss << 10 // Linux counts KiB
	}
	return l, nil
}

// generate makes the filings to measure with.
func (b *bench) generate(ctx context.Context, count int) error {
	b.data = filepath.Join(b.dir, "filings.ndjson")
	out, err := os.Create(b.data)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, b.program, "generate", "--count", fmt.Sprint(count))
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("generate filings: %w", err)
	}
	return out.Close()
}

// repeat writes the filings of from n times to to, each time under ids of their own and with owners and case numbers of
// their own, so that there are n times as many different values.
func repeat(from, to string, n int) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w := newLineWriter(out)
	for i := range n {
		if err := eachLine(from, func(line []byte) error { return w.write(other(line, i)) }); err != nil {
			return err
		}
	}
	return firstError(w.flush(), out.Close())
}

// apart is the distance between the ids of a filing and of the same one in the next repetition.
const apart = 1_000_000_000_000

var idOf = regexp.MustCompile(`"id":\d+`)

// other returns a line's filing as the i-th other one. The lines are those of a valid load, so the keys stand only where
// keys stand.
func other(line []byte, i int) []byte {
	if i == 0 {
		return line
	}
	if at := idOf.FindIndex(line); at != nil {
		id, _ := strconv.ParseInt(string(line[at[0]+len(`"id":`):at[1]]), 10, 64)
		line = slices.Concat(line[:at[0]], fmt.Appendf(nil, `"id":%d`, id+int64(i)*apart), line[at[1]:])
	}
	for _, key := range []string{`"owner":"`, `"caseNumber":"`} {
		line = bytes.Replace(line, []byte(key), fmt.Appendf(nil, "%s%s ", key, strings.Repeat("Q", i)), 1)
	}
	return line
}

// county is a mapping of ten columns that gives back the filings that countyFile made them of.
const county = `{
  id: (.Number | number),
  county: .County,
  caseNumber: (."Case number" | blank),
  owner: (.Owner | blank),
  propertyAddress: (."Property address" | blank),
  filingType: (.Type | blank),
  filingAmount: (.Amount | money),
  currentAmount: (.Due | money),
  filingDate: (.Filed | date("MM/DD/YYYY")),
  filingHolder: (.Holder | blank)
}
`

// loadTurns is how often each of two loads is measured.
const loadTurns = 3

// measureMappings reads files of counties in each form, of n and of four times as many rows, by a mapping; and loads one into
// Elasticsearch, in turns with the same filings as they are.
func (b *bench) measureMappings(ctx context.Context) error {
	program := filepath.Join(b.dir, "county.jq")
	if err := os.WriteFile(program, []byte(county), 0o600); err != nil {
		return err
	}
	large := filepath.Join(b.dir, "large.ndjson")
	if err := repeat(b.data, large, times); err != nil {
		return err
	}
	fmt.Print("\n| mapped, dry run | rows | rows/s of CPU | its peak memory, MiB |\n|---|---|---|---|\n")
	for _, form := range []string{"csv", "ndjson", "xlsx", "parquet"} {
		for _, data := range []string{b.data, large} {
			file := filepath.Join(b.dir, "county."+form)
			if err := countyFile(data, file); err != nil {
				return err
			}
			l, err := b.loadAs(ctx, []string{"--dry-run", "--map", program, file}, "FILINGS_DATA_DIR="+b.dir)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %d | %.0f | %d |\n", form, l.filings, float64(l.filings)/l.cpu.Seconds(), l.peakBytes>>20)
		}
	}
	return firstError(os.Remove(large), b.measureMappedLoads(ctx, program))
}

// measureMappedLoads loads the same filings by a mapping and as they are, in turns.
func (b *bench) measureMappedLoads(ctx context.Context, program string) (err error) {
	mapped, plain := filepath.Join(b.dir, "county.csv"), filepath.Join(b.dir, "plain.ndjson")
	if err := firstError(countyFile(b.data, mapped), plainFile(b.data, plain)); err != nil {
		return err
	}
	defer func() { err = firstError(err, b.deleteIndices(ctx)) }()
	var took [2][]float64
	for range loadTurns {
		for i, args := range [][]string{{plain}, {"--map", program, mapped}} {
			l, err := b.loadAs(ctx, args, b.onElasticsearch(b.elasticsearch)...)
			if err != nil {
				return err
			}
			took[i] = append(took[i], l.seconds)
		}
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	as, by := took[0][loadTurns/2], took[1][loadTurns/2]
	fmt.Printf("\nInto Elasticsearch, median of %d in turns: %.1f s as they are, %.1f s mapped, %.2f times as long.\n", loadTurns, as, by, by/as)
	return nil
}

// Updates and full loads are measured so often, with changes and without. A full load takes 40 s on Elasticsearch. After an even
// number of them the updates find the filings that they change.
const updateTurns, fullTurns = 3, 2

// measureChanges loads with changes and without (FILINGS_KEEP_CHANGES=0), in turns: all filings, of which none differs and of
// which all do, and updates of a hundredth of them. Then it reads the changes of all.
func (b *bench) measureChanges(ctx context.Context) error {
	all, some := [2]string{b.data, filepath.Join(b.dir, "changed.ndjson")}, [2]string{filepath.Join(b.dir, "some.ndjson"), filepath.Join(b.dir, "same.ndjson")}
	if err := firstError(changedFile(b.data, all[1], 1), changedFile(b.data, some[0], 100), changedFile(some[0], some[1], 1)); err != nil {
		return err
	}
	fmt.Printf("\n| load, the fastest of %d updates and of %d full loads, in turns | s without changes | with | times as long | changes |\n|---|---|---|---|---|\n", updateTurns, fullTurns)
	var crawls []string
	for _, e := range []struct {
		name        string
		environment []string
	}{
		{"Elasticsearch", b.onElasticsearch(b.elasticsearch)},
		{"embedded", []string{"FILINGS_DATA_DIR=" + filepath.Join(b.dir, "changes")}},
	} {
		changed, err := b.changesOfLoads(ctx, e.name, all, e.environment)
		if err != nil {
			return firstError(err, b.deleteIndices(ctx))
		}
		row, err := b.crawlChanges(ctx, e.name, changed, e.environment)
		if err == nil {
			err = b.changesOfUpdates(ctx, e.name, some, e.environment)
		}
		if err != nil {
			return firstError(err, b.deleteIndices(ctx))
		}
		crawls = append(crawls, row)
	}
	fmt.Printf("\n| everything in pages of 1,000, not cached | filings/s of a crawl by cursor | of changes | times as many | a page of changes, ms, median and p99 |\n|---|---|---|---|---|\n%s", strings.Join(crawls, ""))
	return b.deleteIndices(ctx)
}

// withoutChanges is a setting under which a load works out no changes, and deletes those that are kept.
const withoutChanges = "FILINGS_KEEP_CHANGES=0"

// changesOfLoads loads one file without changes, then the other one with changes, twice: everything changed, and nothing did.
// Both are compared with the first load. It returns the last two loads between which everything changed.
func (b *bench) changesOfLoads(ctx context.Context, engine string, files [2]string, environment []string) (changed [2]loaded, err error) {
	var turns [fullTurns][3]loaded
	for n := range turns {
		live, other := files[n%2], files[1-n%2]
		for i, file := range []string{live, other, other} {
			keep := environment
			if i == 0 {
				keep = slices.Concat(environment, []string{withoutChanges})
			}
			if turns[n][i], err = b.load(ctx, file, keep...); err != nil {
				return changed, err
			}
		}
	}
	fastest := func(i int) loaded {
		return slices.MinFunc(turns[:], func(a, b [3]loaded) int { return cmp.Compare(a[i].seconds, b[i].seconds) })[i]
	}
	printChanges(engine+", everything changed", fastest(0), fastest(1))
	printChanges(engine+", everything as it was", fastest(0), fastest(2))
	return [2]loaded(turns[fullTurns-1][:2]), nil
}

// changesOfUpdates makes updates from two files in turns, each time the one that was not loaded before it.
func (b *bench) changesOfUpdates(ctx context.Context, engine string, files [2]string, environment []string) error {
	var fastest [2]loaded
	for n := range 2 * updateTurns {
		with := n / 2 % 2 // both with each file
		if n%2 == 1 {
			with = 1 - with
		}
		keep := slices.Concat(environment, [][]string{{withoutChanges}, {}}[with])
		l, err := b.loadAs(ctx, []string{"--update", "--format", "ndjson", "--max-rejects", "1000", files[n%2]}, keep...)
		if err != nil {
			return err
		}
		if best := &fastest[with]; best.generation == "" || l.seconds < best.seconds {
			*best = l
		}
	}
	printChanges(engine+", an update of a hundredth", fastest[0], fastest[1])
	return nil
}

func printChanges(name string, without, with loaded) {
	fmt.Printf("| %s | %.2f | %.2f | %.2f | %s |\n", name, without.seconds, with.seconds, with.seconds/without.seconds, with.changes)
}

// changedFile writes every n-th line of from to to, with another owner.
func changedFile(from, to string, n int) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w, line := newLineWriter(out), 0
	err = eachLine(from, func(text []byte) error {
		if line++; line%n != 0 {
			return nil
		}
		return w.write(bytes.Replace(text, []byte(`"owner":"`), []byte(`"owner":"Z `), 1))
	})
	return firstError(err, w.flush(), out.Close())
}
