package embedded

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"filings/index/generation"
	"filings/index/indextest"
)

func TestLock_OneLoadAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := openStore(t, dir), openStore(t, dir)
	l := lockStore(t, one)
	wantHeld(t, one, "a test")
	wantHeld(t, two, "a test")
	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if run, err := indextest.Running(t.Context(), one); run != nil || err != nil {
		t.Errorf("running after the release: %v, %v", run, err)
	}
	if err := lockStore(t, two).Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// wantHeld wants the lock to be refused, and Running to name its holder.
func wantHeld(t *testing.T, s *Store, holder string) {
	t.Helper()
	_, err := s.Lock(t.Context(), generation.Run{Holder: "late"})
	var locked *generation.LockedError
	if !errors.As(err, &locked) || locked.Run.Holder != holder {
		t.Errorf("a second lock: %v, want a LockedError of %q", err, holder)
	}
	run, err := indextest.Running(t.Context(), s)
	if err != nil || run == nil || run.Holder != holder || run.Phase != "loading" {
		t.Errorf("running: %+v, %v, want %q", run, err, holder)
	}
}

// Looking at the lock must not look like holding it.
func TestLock_WhileOthersLook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	looking, loading := openStore(t, dir), openStore(t, dir)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 {
			if _, err := indextest.Running(t.Context(), looking); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 50 {
		if err := lockStore(t, loading).Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	<-done
}

func TestLock_ReleasedChangesNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	ctx := t.Context()
	first := load(t, s, synthetics(5, 1))
	l := lockStore(t, s)
	sealed := begin(t, l, "", synthetics(6, 2)...)
	if _, err := sealed.Seal(ctx, nil); err != nil {
		t.Fatal(err)
	}
	open := begin(t, l, first, synthetics(1, 3)...)
	if err := l.Release(ctx); err != nil {
		t.Fatal(err)
	}
	_, beginErr := l.Begin(ctx, "")
	_, sealErr := open.Seal(ctx, nil)
	for what, err := range map[string]error{
		"Renew":   l.Renew(ctx, generation.Run{}),
		"Begin":   beginErr,
		"Promote": l.Promote(ctx, first, sealed.Generation()),
		"Delete":  l.Delete(ctx, sealed.Generation()),
		"Release": l.Release(ctx),
		"Put":     open.Put(ctx, synthetics(1, 4)[0]),
		"Remove":  open.Remove(ctx, 1),
		"Seal":    sealErr,
		"Abort":   open.Abort(ctx),
	} {
		if !errors.Is(err, generation.ErrLockLost) {
			t.Errorf("%s after the release: %v, want ErrLockLost", what, err)
		}
	}
	if got := liveReader(t, s).Generation(); got != first {
		t.Errorf("live is %q, want %q", got, first)
	}
	all, err := s.Generations(ctx)
	if err != nil || len(all) != 3 || all[0].Sealed || all[0].Name != open.Generation() {
		t.Errorf("generations: %+v, %v; want three, the newest unsealed", all, err)
	}
}

// holdVariable is where the test binary, started again by TestLock_EndsWithItsProcess, begins a load.
const holdVariable = "EMBEDDED_TEST_HOLD"

// TestHold is the other process: it begins a load, says so and waits for its end.
func TestHold(t *testing.T) {
	dir := os.Getenv(holdVariable)
	if dir == "" {
		t.Skip("only run by TestLock_EndsWithItsProcess, in a process of its own")
	}
	s := openStore(t, dir)
	l, err := s.Lock(t.Context(), generation.Run{Holder: "another process", Phase: "loading"})
	if err != nil {
		t.Fatal(err)
	}
	begin(t, l, "", synthetics(2_000, 1)...)
	fmt.Println("holding")
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

func TestLock_EndsWithItsProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	first := load(t, s, synthetics(5, 1))
	other := startHolder(t, dir)
	wantHeld(t, s, "another process")
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // killed
	if run, err := indextest.Running(t.Context(), s); run != nil || err != nil {
		t.Errorf("running after the kill: %+v, %v", run, err)
	}
	l := lockStore(t, s)
	all, err := s.Generations(t.Context())
	if err != nil || len(all) != 2 || all[0].Sealed || all[0].Live {
		t.Fatalf("generations after the kill: %+v, %v; want what it left, unsealed", all, err)
	}
	if err := l.Delete(t.Context(), all[0].Name); err != nil {
		t.Errorf("delete what it left: %v", err)
	}
	if all, err = s.Generations(t.Context()); err != nil || len(all) != 1 || !all[0].Live || all[0].Name != first {
		t.Errorf("generations in the end: %+v, %v", all, err)
	}
}

// startHolder starts TestHold and waits until it holds the lock.
func startHolder(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHold$", "-test.v")
	cmd.Env = append(os.Environ(), holdVariable+"="+dir)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "holding" {
			return cmd
		}
	}
	t.Fatal("the other process did not get the lock")
	return nil
}
