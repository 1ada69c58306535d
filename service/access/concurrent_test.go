package access_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/service/access"
	"filings/service/servicetest"
)

// workerVariable makes the test program a worker: another process on the same store. It holds a worker in JSON.
const workerVariable = "ACCESS_TEST_WORKER"

// worker is the task of another process: to use Key up, to charge the user Charge until nothing more fits, or to take the
// lease of the user Lease.
type worker struct {
	Place     place
	Key       string
	Pause     int // before the last of so many requests it prints a line and waits for one, and then tries until it is admitted
	Charge    string
	Lease, ID string
	Callers   int // at once, with Key; 0: 4
	Visits    *visits
}

func TestMain(m *testing.M) {
	task := os.Getenv(workerVariable)
	if task == "" {
		os.Exit(m.Run())
	}
	if err := work(task); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work does a task, and prints how often it was admitted, what was charged, or 1 for a lease.
func work(task string) error {
	var w worker
	if err := json.Unmarshal([]byte(task), &w); err != nil {
		return err
	}
	store, err := w.Place.connect(sharedLimits(), nil)
	if err != nil {
		return err
	}
	defer store.Close()
	if w.Visits != nil {
		return w.Visits.work(w.Place)
	}
	if w.Pause > 0 {
		if err := w.pause(store); err != nil {
			return err
		}
	}
	ctx, done := context.Background(), int64(0)
	switch {
	case w.Charge != "":
		done, err = chargeAll(ctx, store, w.Charge, 50)
	case w.Lease != "":
		var left time.Duration
		if left, err = store.AcquireLease(ctx, w.Lease, w.ID); err == nil && left == 0 {
			done = 1
		}
	default:
		done, err = exhaust(ctx, store, w.Key, cmp.Or(w.Callers, 4))
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(done)
}

func (w worker) pause(store access.Store) error {
	for range w.Pause - 1 {
		if _, err := store.Admit(context.Background(), access.Key(w.Key), 1); err != nil {
			return err
		}
	}
	fmt.Println()
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var err error
	servicetest.Poll(ctx, func() bool { _, err = store.Admit(ctx, access.Key(w.Key), 1); return err == nil })
	return err
}

// run starts the other process, waits for it, and returns what it prints.
func (w worker) run(t *testing.T, environment ...string) (done int64, err error) {
	t.Helper()
	return done, w.prints(t, &done, environment...)
}

// prints is run, of what a worker prints.
func (w worker) prints(t *testing.T, done any, environment ...string) error {
	t.Helper()
	task, err := json.Marshal(w)
	if err != nil {
		return err
	}
	var problems bytes.Buffer
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(append(os.Environ(), workerVariable+"="+string(task)), environment...)
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, problems.String())
	}
	return json.Unmarshal(output, done)
}

// during is run with something that happens during the pause. It returns how often the process was admitted, Pause included.
func (w worker) during(t *testing.T, what func(), environment ...string) (admitted int64, err error) {
	t.Helper()
	task, err := json.Marshal(w)
	must(t, err)
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(append(os.Environ(), workerVariable+"="+string(task)), environment...)
	command.Stderr = t.Output()
	in, err := command.StdinPipe()
	must(t, err)
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	lines := bufio.NewReader(out)
	if _, err = lines.ReadString('\n'); err == nil {
		what()
		_, err = fmt.Fprintln(in)
	}
	failed := json.NewDecoder(lines).Decode(&admitted)
	return admitted + int64(w.Pause), errors.Join(err, failed, command.Wait())
}

// sharedLimits has quotas of a few hundred, to be used up by many at once.
func sharedLimits() access.Limits {
	l := smallQuotas()
	l[access.Free] = access.Limit{Quota: 300, Burst: 1_000_000}
	l[access.Pro] = access.Limit{Quota: 300, Burst: 1_000_000}
	return l
}

// exhaust sends requests from many goroutines until each was refused, and returns how often they were admitted.
func exhaust(ctx context.Context, s access.Store, key string, goroutines int) (int64, error) {
	var admitted atomic.Int64
	var group errgroup.Group
	for range goroutines {
		group.Go(func() error {
			for {
				a, err := s.Admit(ctx, access.Key(key), 1)
				switch {
				case err != nil:
					return err
				case a.Verdict == access.Admitted:
					admitted.Add(1)
				case a.Verdict == access.LifetimeExceeded, a.Verdict == access.DailyExceeded:
					return nil
				default:
					return fmt.Errorf("verdict %d", a.Verdict)
				}
			}
		})
	}
	err := group.Wait()
	return admitted.Load(), err
}

func TestK8_ExactUnderGoroutines(t *testing.T) {
	t.Parallel()
	for _, tier := range []access.Tier{access.Free, access.Pro} {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, p place) {
				now := morning()
				var total atomic.Int64
				stores := make([]access.Store, 3)
				for i := range stores {
					stores[i] = p.open(t, sharedLimits(), now.Now)
				}
				key := create(t, stores[0], "ann", tier)
				var group errgroup.Group
				for _, s := range stores {
					group.Go(func() error {
						admitted, err := exhaust(t.Context(), s, key, 40)
						total.Add(admitted)
						return err
					})
				}
				must(t, group.Wait())
				same(t, "admitted", int64(300), total.Load())
				same(t, "counted", int64(300), show(t, stores[1], "ann").Used)
			})
		})
	}
}

func TestK8_ExactUnderProcesses(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) { wantExact(t, p, access.Free, 300, 4) })
}

// wantExact lets four processes, of so many callers each, use up the quota of one account at once.
func wantExact(t *testing.T, p place, tier access.Tier, quota int64, callers int) {
	t.Helper()
	s := p.open(t, sharedLimits(), nil)
	key := create(t, s, "ann", tier)
	other := worker{Place: p, Key: key, Callers: callers}
	var total atomic.Int64
	var group errgroup.Group
	for range 3 {
		group.Go(func() error {
			admitted, err := other.run(t)
			total.Add(admitted)
			return err
		})
	}
	group.Go(func() error {
		admitted, err := exhaust(t.Context(), s, key, callers)
		total.Add(admitted)
		return err
	})
	must(t, group.Wait())
	same(t, "admitted by all processes", quota, total.Load())
	same(t, "counted", quota, show(t, s, "ann").Used)
}

func TestK8_NoneIsLost(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		// Admissions and refunds at once: what stays counted is the difference.
		s, other := p.open(t, smallQuotas(), nil), p.open(t, smallQuotas(), nil)
		key := create(t, s, "ann", access.Enterprise)
		var group errgroup.Group
		for i := range 100 {
			group.Go(func() error {
				a, err := s.Admit(t.Context(), access.Key(key), 1)
				if err != nil || i%2 == 0 {
					return err
				}
				return other.Refund(t.Context(), a, 1)
			})
		}
		must(t, group.Wait())
		same(t, "used", int64(50), show(t, s, "ann").Used)
	})
}

func TestK5_BurstExactUnderGoroutines(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		now := morning() // stands still: one instant, one burst
		s, other := p.open(t, bursty(), now.Now), p.open(t, bursty(), now.Now)
		key := create(t, s, "ann", access.Enterprise)
		var admitted atomic.Int64
		var group errgroup.Group
		for i := range 120 {
			store := []access.Store{s, other}[i%2]
			group.Go(func() error {
				a, err := store.Admit(t.Context(), access.Key(key), 1)
				if a.Verdict == access.Admitted {
					admitted.Add(1)
				}
				return err
			})
		}
		must(t, group.Wait())
		same(t, "admitted", int64(40), admitted.Load())
	})
}

func TestK3_OneKeyUnderGoroutines(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		// Many create and rotate at once: one account, and of all the keys exactly one is active.
		s, other := p.open(t, smallQuotas(), nil), p.open(t, smallQuotas(), nil)
		var mu sync.Mutex
		var keys []string
		var group errgroup.Group
		for i := range 40 {
			store := []access.Store{s, other}[i%2]
			group.Go(func() error {
				key, err := store.Create(t.Context(), "ann", access.Enterprise, "")
				if err != nil {
					key, err = store.Rotate(t.Context(), "ann", 0)
				}
				mu.Lock()
				defer mu.Unlock()
				keys = append(keys, key)
				return err
			})
		}
		must(t, group.Wait())
		active := 0
		for _, key := range keys {
			if admit(t, s, key).Verdict == access.Admitted {
				active++
			}
		}
		same(t, "keys handed out", 40, len(keys))
		same(t, "keys that are active", 1, active)
	})
}
