package access_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"filings/service/access"
	"filings/service/servicetest"
)

// many is how many callers these tests have at once: enough for most of their calls to go together.
const many = 40

// atOnce runs f many times at once, and returns the first error.
func atOnce(f func(i int) error) error {
	var group errgroup.Group
	for i := range many {
		group.Go(func() error { return f(i) })
	}
	return group.Wait()
}

// exchanges counts scripts, and how often any were sent.
type exchanges struct {
	commandCount
	sent atomic.Int64
}

func (e *exchanges) count(commands ...redis.Cmder) {
	e.sent.Add(1)
	for _, c := range commands {
		if strings.HasPrefix(c.Name(), "eval") { // a new connection begins with others
			e.Add(1)
		}
	}
}

func (e *exchanges) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		e.count(command)
		return next(ctx, command)
	}
}

func (e *exchanges) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		e.count(commands...)
		return next(ctx, commands)
	}
}

// TestK8_Together: of many callers at once each has one command and its own reply, and they share round trips.
func TestK8_Together(t *testing.T) {
	t.Parallel()
	r, prefix := openRedis(t, nil)
	users := make([]string, many)
	keys := make([]string, many)
	for i := range many {
		users[i], keys[i] = fmt.Sprintf("user%d", i), someKey
		if i%8 != 0 { // each eighth is unknown
			keys[i] = create(t, r, users[i], access.Enterprise)
		}
	}
	must(t, r.Client().Set(t.Context(), prefix+"account:user1", "text", 0).Err())
	_, _ = r.Admit(t.Context(), access.Key(keys[2]), 1) // the first time ever, Redis does not know the script
	sent := new(exchanges)
	r.Client().AddHook(sent)
	const each = 50
	must(t, atOnce(func(i int) error {
		for n := range int64(each) {
			a, err := r.Admit(t.Context(), access.Key(keys[i]), 1)
			switch {
			case i == 1:
				wantError(t, err, "admit: key store unavailable: it replied WRONGTYPE")
			case err != nil:
				return err
			case i%8 == 0:
				same(t, "verdict on an unknown key", access.UnknownKey, a.Verdict)
			case a.User != users[i] || i != 2 && a.Remaining != 1000-n-1:
				return fmt.Errorf("%s has the answer of %s: remaining %d", users[i], a.User, a.Remaining)
			}
		}
		return nil
	}))
	same(t, "scripts", int64(many*each), sent.Load())
	if sent.sent.Load() >= sent.Load() {
		t.Error("each was sent alone")
	}
}

// TestK8_ExactTogether: with many callers in each process most calls go together.
func TestK8_ExactTogether(t *testing.T) {
	t.Parallel()
	wantExact(t, redisPlace(t), access.Enterprise, 1000, 50)
}

// TestK8_ScriptsFlushedTogether: Redis forgets the scripts again and again, and nobody notices.
func TestK8_ScriptsFlushedTogether(t *testing.T) {
	t.Parallel()
	server := startServer(t, quick)
	r := redisAt(t, "redis://"+server.address())
	key := create(t, r, "ann", access.Enterprise)
	must(t, atOnce(func(i int) error {
		for n := range 20 {
			if (i+n)%10 == 0 {
				if err := server.client.ScriptFlush(t.Context()).Err(); err != nil {
					return err
				}
			}
			if _, err := r.Admit(t.Context(), access.Key(key), 1); err != nil {
				return err
			}
		}
		return nil
	}))
	same(t, "used", int64(many*20), show(t, r, "ann").Used)
}

// TestK9_DeadlineTogether: while Redis is slow, the end of some callers' time is theirs alone.
func TestK9_DeadlineTogether(t *testing.T) {
	t.Parallel()
	server := startServer(t, quick)
	r := redisAt(t, "redis://"+server.address())
	key := create(t, r, "ann", access.Enterprise)
	admit(t, r, key)
	must(t, server.client.Do(t.Context(), "CLIENT", "PAUSE", "60000", "WRITE").Err())
	var late errgroup.Group
	var patient errgroup.Group
	for i := range many {
		if i%2 == 0 {
			patient.Go(func() error {
				a, err := r.Admit(t.Context(), access.Key(key), 1)
				if err == nil && a.Verdict != access.Admitted {
					err = fmt.Errorf("verdict %d", a.Verdict)
				}
				return err
			})
			continue
		}
		late.Go(func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
			defer cancel()
			began := time.Now()
			_, err := r.Admit(ctx, access.Key(key), 1)
			if took := time.Since(began); !errors.Is(err, access.ErrUnavailable) || took > 2*time.Second {
				return fmt.Errorf("%v after %s", err, took)
			}
			return nil
		})
	}
	must(t, late.Wait())
	must(t, server.client.Do(t.Context(), "CLIENT", "UNPAUSE").Err())
	must(t, patient.Wait())
	var used int64
	servicetest.Until(t, "the breaker lets calls pass", func() bool {
		account, err := r.Show(t.Context(), "ann")
		used = account.Used
		return err == nil
	})
	if used < 1+many/2 || used > 1+many {
		t.Errorf("%d counted, of %d admitted and %d without an answer", used, 1+many/2, many/2)
	}
}

// TestK9_HungTogether: behind a Redis that never replies each waits for its own time, and the breaker opens.
func TestK9_HungTogether(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			defer connection.Close()
		}
	}()
	address := listener.Addr().String()
	r := redisAt(t, "redis://"+address)
	must(t, atOnce(func(int) error {
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := r.Admit(ctx, access.Key(someKey), 1)
		if took := time.Since(began); !errors.Is(err, access.ErrUnavailable) || took > 2*time.Second {
			return fmt.Errorf("%v after %s", err, took)
		}
		if strings.Contains(err.Error(), address) || strings.Contains(err.Error(), someKey) {
			return fmt.Errorf("the error shows too much: %w", err)
		}
		return nil
	}))
	_, err := r.Admit(t.Context(), access.Key(someKey), 1)
	wantError(t, err, "not calling the key store: key store unavailable")
}

// TestK9_LoadingTogether: what Redis replies instead of counting is each one's answer.
func TestK9_LoadingTogether(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	r := redisAt(t, "redis://"+server.Addr())
	key := create(t, r, "ann", access.Enterprise)
	server.SetError("LOADING Redis is loading the dataset in memory")
	must(t, atOnce(func(int) error {
		_, err := r.Admit(t.Context(), access.Key(key), 1)
		if !errors.Is(err, access.ErrUnavailable) {
			return fmt.Errorf("%v, want ErrUnavailable", err)
		}
		return nil
	}))
	server.SetError("")
	servicetest.Until(t, "the breaker lets calls pass", func() bool {
		_, err := r.Admit(t.Context(), access.Key(key), 1)
		return err == nil
	})
	same(t, "used", int64(1), show(t, r, "ann").Used)
}

// TestK8_KilledTogether kills a Redis that keeps what it has counted, under many callers, and starts it again: every
// admission that was replied to is counted, and of those without a reply not more than there were.
func TestK8_KilledTogether(t *testing.T) {
	t.Parallel()
	server := startServer(t, "save \"\"\nappendonly yes\nappendfsync always\n")
	r := redisAt(t, "redis://"+server.address())
	key := create(t, r, "ann", access.Enterprise)
	var admitted, failed atomic.Int64
	reached, killed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(killed)
		<-reached
		server.kill()
	}()
	must(t, atOnce(func(int) error {
		for {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			_, err := r.Admit(ctx, access.Key(key), 1)
			cancel()
			if err != nil {
				failed.Add(1)
				if !errors.Is(err, access.ErrUnavailable) {
					return err
				}
				return nil
			}
			if admitted.Add(1) == 5*many {
				close(reached)
			}
		}
	}))
	<-killed
	server.cmd = exec.Command(server.cmd.Path, server.cmd.Args[1:]...)
	must(t, server.cmd.Start())
	servicetest.Until(t, "Redis is back", func() bool { _, err := r.Show(t.Context(), "ann"); return err == nil })
	used := show(t, r, "ann").Used
	if used < admitted.Load() || used > admitted.Load()+failed.Load() {
		t.Errorf("%d counted; %d were admitted, and %d had no reply", used, admitted.Load(), failed.Load())
	}
}

// TestK8_FailoverTogether is TestK8_Failover with many callers.
func TestK8_FailoverTogether(t *testing.T) {
	t.Parallel()
	master := startServer(t, quick)
	startServer(t, quick+"replicaof 127.0.0.1 "+master.port+"\n")
	sentinel := startSentinel(t, master.port, "")
	wantFollowed(t, master, sentinel)

	r := redisAt(t, "redis://"+sentinel.address()+"?master_name=filings")
	key := create(t, r, "ann", access.Enterprise)
	const each = 5
	admitEach := func(int) error {
		for range each {
			if _, err := r.Admit(t.Context(), access.Key(key), 1); err != nil {
				return err
			}
		}
		return nil
	}
	must(t, atOnce(admitEach))
	wantConfirmed(t, master)
	master.kill()
	err := atOnce(admitEach)
	wantError(t, err, "key store unavailable")
	must(t, sentinel.client.Do(t.Context(), "SENTINEL", "FAILOVER", "filings").Err())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if !servicetest.Poll(ctx, func() bool { _, err = r.Admit(ctx, access.Key(key), 1); return err == nil }) {
		t.Fatalf("no failover within 20 seconds: %v", err)
	}
	must(t, atOnce(admitEach))
	same(t, "used", int64(2*many*each+1), show(t, r, "ann").Used)
}

// countedConn counts what goes through a connection.
type countedConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countedConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// writes counts the writes of all connections.
type writes struct {
	commandCount
	n atomic.Int64
}

func (w *writes) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := next(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return countedConn{c, &w.n}, nil
	}
}

// TestK8_AloneIsOneWrite: callers one after the other write once each.
func TestK8_AloneIsOneWrite(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	r := redisAt(t, "redis://"+server.Addr()).(*access.Redis)
	counted := new(writes)
	r.Client().AddHook(counted)
	key := create(t, r, "ann", access.Enterprise)
	admit(t, r, key)
	before := counted.n.Load()
	for range 10 {
		admit(t, r, key)
	}
	same(t, "writes", int64(10), counted.n.Load()-before)
}
