package main

import (
	"bytes"
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

// load runs the program's own command.
func (b *bench) load(ctx context.Context, data string, environment ...string) (l loaded, err error) {
	cmd := exec.CommandContext(ctx, b.program, "reindex", "--format", "ndjson", "--max-shrink", "100", "--max-rejects", "1000", data)
	cmd.Env = append(os.Environ(), append(environment, "FILINGS_LOG_LEVEL=error")...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return l, fmt.Errorf("load: %w", err)
	}
	var report struct {
		Generation string
		Filings    int64
		Seconds    float64
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return l, err
	}
	l = loaded{generation: report.Generation, filings: report.Filings, seconds: report.Seconds}
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
