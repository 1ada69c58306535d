package access_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/service/access"
	"filings/service/servicetest"
)

const someKey = "ak_live_0123456789abcdef0123456789abcdef"

// operations are all that need a reply from the store.
func operations(s access.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"admit":  func(ctx context.Context) error { _, err := s.Admit(ctx, access.Key(someKey), 1); return err },
		"create": func(ctx context.Context) error { _, err := s.Create(ctx, "ann", access.Pro, ""); return err },
		"rotate": func(ctx context.Context) error { _, err := s.Rotate(ctx, "ann", 0); return err },
		"revoke": func(ctx context.Context) error { return s.Revoke(ctx, "ann") },
		"tier":   func(ctx context.Context) error { return s.SetTier(ctx, "ann", access.Free) },
		"show":   func(ctx context.Context) error { _, err := s.Show(ctx, "ann"); return err },
		"list":   func(ctx context.Context) error { _, err := s.List(ctx); return err },
		"ping":   s.Ping,
		"charge": func(ctx context.Context) error {
			_, err := s.Charge(ctx, access.Admission{User: "ann"}, 1)
			return err
		},
		"admit uncharged": func(ctx context.Context) error { _, err := s.Admit(ctx, access.Key(someKey), 0); return err },
		"usage":           func(ctx context.Context) error { _, err := s.Usage(ctx, "ann"); return err },
		"acquire lease":   func(ctx context.Context) error { _, err := s.AcquireLease(ctx, "ann", "1"); return err },
	}
}

// wantOutage runs every operation: each must fail as ErrUnavailable, soon, and show neither address nor key.
func wantOutage(t *testing.T, operations map[string]func(context.Context) error, secrets ...string) {
	t.Helper()
	for what, operation := range operations {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		began := time.Now()
		err := operation(ctx)
		cancel()
		if !errors.Is(err, access.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", what, err)
			continue
		}
		// Without the deadline Redis would have five seconds, and SQLite twenty. The rest is for a busy machine.
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s took %s, the deadline was 150 ms", what, took)
		}
		for _, secret := range append(secrets, someKey, "ann") {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error %q shows %q", what, err, secret)
			}
		}
	}
}

func TestK9_RedisThatNeverReplies(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	go func() {
		for { // accept and send nothing, until the listener is closed
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			defer connection.Close()
		}
	}()
	address := listener.Addr().String()
	wantOutage(t, operations(redisAt(t, "redis://:hidden@"+address)), address, "127.0.0.1", "hidden")
}

// TestK9_BreakerLog: the breaker in front of Redis logs each change of its state, without keys and addresses.
func TestK9_BreakerLog(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	address := listener.Addr().String()
	must(t, listener.Close())
	var log bytes.Buffer
	s, err := access.OpenRedis(access.RedisConfig{
		URL: "redis://" + address, Limits: smallQuotas(), Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for range 10 {
		if _, err := s.Admit(t.Context(), access.Key(someKey), 1); !errors.Is(err, access.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
	if !strings.Contains(log.String(), `msg=breaker server="the key store" from=closed to=open`) || strings.Contains(log.String(), address) {
		t.Errorf("the log says %s", &log)
	}
}

func TestK9_RedisThatIsNotThere(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	address := listener.Addr().String()
	must(t, listener.Close())
	wantOutage(t, operations(redisAt(t, "redis://"+address)), address, "127.0.0.1")
}

func TestK9_RedisThatHangsUp(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connection.Close()
		}
	}()
	address := listener.Addr().String()
	wantOutage(t, operations(redisAt(t, "redis://"+address)), address, "127.0.0.1")
}

func TestK9_RedisWithAnotherPassword(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(servers.Redis(t))
	must(t, err)
	address.User = url.UserPassword("somebody", "hidden")
	wantOutage(t, operations(redisAt(t, address.String())), "hidden", "somebody", address.Host)
}

// The user of Redis that the documents make may do all that the program does; without a command, or without its names, it says so.
func TestK9_RedisUserOfFewRights(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(servers.Redis(t))
	must(t, err)
	document, err := os.ReadFile("../../docs/operate/settings.md")
	must(t, err)
	_, line, _ := strings.Cut(string(document), "\nACL SETUSER filings on >password ")
	line, _, _ = strings.Cut(line, "\n")
	scripts, err := filepath.Glob("lua/*.lua")
	must(t, err)
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		must(t, err)
		for _, call := range regexp.MustCompile(`redis\.call\('([A-Z]+)'`).FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(strings.Fields(line), "+"+strings.ToLower(call[1])) {
				t.Errorf("%s: the user of the documents lacks %s", script, call[1])
			}
		}
	}
	options, err := redis.ParseURL(address.String())
	must(t, err)
	admin := redis.NewClient(options)
	t.Cleanup(func() { must(t, admin.Close()) })
	for _, without := range []string{"", "resetkeys", "-incrby", "-evalsha"} {
		user := "few-" + rand.Text()
		arguments := []any{"ACL", "SETUSER", user, "on", ">password"}
		for _, rule := range strings.Fields(line + " " + without) {
			arguments = append(arguments, rule)
		}
		must(t, admin.Do(t.Context(), arguments...).Err())
		t.Cleanup(func() {
			must(t, admin.Do(context.Background(), "ACL", "DELUSER", user).Err())
			must(t, admin.Del(context.Background(), "filings:"+user+":ping").Err())
		})
		address.User = url.UserPassword(user, "password")
		store, err := access.OpenRedis(access.RedisConfig{URL: address.String(), Limits: servicetest.Limits(), Prefix: "filings:" + user + ":"})
		must(t, err)
		t.Cleanup(func() { must(t, store.Close()) })
		_, healthy := store.Health(t.Context())
		err = store.Ping(t.Context())
		if without == "" && errors.Join(err, healthy) != nil || without != "" && (!errors.Is(err, access.ErrRefused) || !strings.Contains(err.Error(), "NOPERM: its user lacks")) {
			t.Errorf("%q: %v %v", without, err, healthy)
		}
	}
}

func TestK9_RedisWithoutTLS(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(servers.Redis(t))
	must(t, err)
	address.Scheme = "rediss"
	wantOutage(t, operations(redisAt(t, address.String())), address.Host)
}

func TestK9_EmbeddedLockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	p := embeddedPlace(t)
	s := p.open(t, smallQuotas(), nil)
	key := create(t, s, "ann", access.Free)
	a := admit(t, s, key)

	db, err := sql.Open("sqlite", p.At)
	must(t, err)
	defer db.Close()
	other, err := db.Conn(t.Context())
	must(t, err)
	defer other.Close()
	_, err = other.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
	must(t, err)

	writes := operations(s)
	for _, read := range []string{"show", "list"} { // readers do not wait for writers
		must(t, writes[read](t.Context()))
		delete(writes, read)
	}
	wantOutage(t, writes, p.At)

	_, err = other.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	same(t, "after the lock is gone", int64(1), admit(t, s, key).Remaining)
	must(t, s.Refund(t.Context(), a, 1))
}

func TestK9_ContextThatHasEnded(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s := p.open(t, smallQuotas(), nil)
		key := create(t, s, "ann", access.Free)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		for _, ctx := range []context.Context{cancelled, late} {
			for what, operation := range operations(s) {
				if err := operation(ctx); !errors.Is(err, access.ErrUnavailable) {
					t.Errorf("%s: %v, want ErrUnavailable", what, err)
				}
			}
			if _, err := s.Admit(ctx, access.Key(key), 1); !errors.Is(err, access.ErrUnavailable) {
				t.Errorf("admit: %v, want ErrUnavailable", err)
			}
		}
		same(t, "counted", int64(0), show(t, s, "ann").Used)
	})
}

func TestK9_StoreThatWasClosed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		s, err := p.connect(smallQuotas(), nil)
		must(t, err)
		must(t, s.Close())
		wantOutage(t, operations(s))
	})
}

// TestK9_RedisThatForgetsScripts restarts a Redis. The shared one of the tests may not be restarted, so this one is
// miniredis; it replies NOSCRIPT as Redis does.
func TestK9_RedisThatForgetsScripts(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	address := server.Addr()
	s := redisAt(t, "redis://"+address)
	key := create(t, s, "ann", access.Free)
	same(t, "before", int64(2), admit(t, s, key).Remaining)

	server.Close()
	wantOutage(t, map[string]func(context.Context) error{
		"admit": func(ctx context.Context) error { _, err := s.Admit(ctx, access.Key(key), 1); return err },
	}, address, key)

	must(t, server.Restart())
	client := redis.NewClient(&redis.Options{Addr: address})
	defer client.Close()
	must(t, client.ScriptFlush(t.Context()).Err())
	same(t, "after", int64(1), admit(t, s, key).Remaining)
}

func redisAt(t *testing.T, address string) access.Store {
	t.Helper()
	return place{Kind: "redis", At: address, Key: "access-test:"}.open(t, smallQuotas(), nil)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	return listener
}
