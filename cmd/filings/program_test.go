package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"filings/cmd/filings/certificate"
	"filings/cmd/filings/settings"
	"filings/index"
	"filings/index/generation"
	"filings/service/access"
)

// fixture runs commands of the program with settings of its own.
type fixture struct {
	settings settings.Settings
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return &fixture{settings.Settings{
		Index: "filings", IndexShards: 1, IndexReplicas: 0, DataDir: filepath.Join(t.TempDir(), "data"),
		Listen: "127.0.0.1:0", RedirectListen: "127.0.0.1:0", OperationsListen: "127.0.0.1:0",
		RequestTimeout: 5e9, SourceTimeout: 3600e9, Temporary: 1 << 30, Exports: 4, ExportTimeout: 900e9, CacheSize: 1 << 20,
		FreeLifetimeQuota: 100, StarterDailyQuota: 1000, ProDailyQuota: 10_000, EnterpriseDailyQuota: 100_000,
		FreeBurst: 5, StarterBurst: 10, ProBurst: 25, EnterpriseBurst: 100,
		TokenShare: 0.8, ActiveForeclosureStatuses: []string{"active"}, LegacyHasDataName: "has_data", KeepGenerations: 2, LogFormat: "json",
	}}
}

// run runs one command with in as its standard input.
func (f *fixture) run(ctx context.Context, in string, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(ctx, args, func() (settings.Settings, error) { return f.settings, checkSettings(f.settings) }, streams{strings.NewReader(in), &o, &e})
	return code, o.String(), e.String()
}

// must is run for a command that has to succeed.
func (f *fixture) must(t *testing.T, in string, args ...string) string {
	t.Helper()
	code, out, errs := f.run(t.Context(), in, args...)
	if code != exitDone {
		t.Fatalf("filings %s: exit code %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out
}

func TestUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, pipe := filepath.Join(dir, "missing.ndjson"), filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "no command"},
		{"sevre", exitUsage, `unknown command "sevre"`},
		{"serve --port 80", exitUsage, "unknown flag: --port: see `filings help serve`; settings are environment variables, see `filings help settings`"},
		{"serve now", exitUsage, "filings serve takes no argument such as \"now\": see `filings help serve`"},
		{"reindex", exitUsage, "name at least one SOURCE"},
		{"reindex --max-rejects some file.ndjson", exitUsage, `--max-rejects="some": must be an integer`},
		{"reindex --max-shrink some file.ndjson", exitUsage, `--max-shrink="some": must be a number`},
		{"reindex --max-rejects 010 file.ndjson", exitUsage, `--max-rejects="010": must be an integer, in decimal digits without a 0 before them`},
		{"reindex --max-rejects 0x10 file.ndjson", exitUsage, `--max-rejects="0x10": must be an integer`},
		{"reindex --max-rejects 1_000 file.ndjson", exitUsage, `--max-rejects="1_000": must be an integer`},
		{"reindex --max-rejects 99999999999999999999 file.ndjson", exitUsage, `: must be a number of at most 18 digits`},
		{"reindex --dry-run --show 0o7 file.ndjson", exitUsage, `--show="0o7": must be an integer`},
		{"reindex --max-shrink 0x1p3 file.ndjson", exitUsage, `--max-shrink="0x1p3": must be a number such as 0.8`},
		{"reindex --max-shrink NaN file.ndjson", exitUsage, `--max-shrink="NaN": must be a number such as 0.8`},
		{"generate --count 1 --seed 010", exitUsage, `--seed="010": must be an integer, 0 or more, in decimal digits`},
		{"tokens create --expires-in soon", exitUsage, `--expires-in="soon": must be a duration such as 24h`},
		{"reindex --map missing.jq file.csv", exitUsage, "--map: open missing.jq: no such file"},
		{"reindex --map " + pipe + " file.csv", exitUsage, "--map: the mapping has to be a file, and " + pipe + " is a named pipe"},
		{"reindex --map " + dir + " file.csv", exitUsage, "is a folder"},
		{"reindex --rejects " + pipe + " -", exitUsage, "the rejects have to go to a file, and " + pipe + " is a named pipe"},
		{"reindex --rejects /dev/zero -", exitUsage, "/dev/zero is a device or socket"},
		{"reindex --show 5 file.csv", exitUsage, "--show prints 0 or more of the records of a --dry-run"},
		{"reindex --max-reject 5 file.ndjson", exitUsage, "unknown flag: --max-reject (did you mean --max-rejects?)"},
		{"reindex " + missing, exitFailed, "missing.ndjson"},
		{"reindex --format xml -", exitUsage, "ndjson"},
		{"rollback", exitFailed, "there are no generations yet: `filings load` makes one"},
		{"rollback nonsense", exitFailed, "there is no generation nonsense"},
		{"rollback a b", exitUsage, "accepts at most 1 arg"},
		{"keys", exitUsage, "no command: must be create, rotate, revoke, show, list or tier; see `filings help keys`"},
		{"tokens", exitUsage, "no command: must be create; see `filings help tokens`"},
		{"withhold", exitUsage, "no command: must be add, list or remove; see `filings help withhold`"},
		{"keys steal", exitUsage, `unknown command "steal"`},
		{"keys create --user u", exitUsage, `required flag(s) "tier" not set`},
		{"keys create --user u --tier gold", exitUsage, "must be one of free, starter, pro, enterprise"},
		{"keys show --user nobody", exitFailed, "no such account: \"nobody\"; `filings keys list` shows all"},
		{"keys rotate --user nobody", exitFailed, "no such account: \"nobody\""},
		{"keys create --user= --tier free", exitUsage, "--user must not be empty"},
		{"keys create me free", exitUsage, "filings keys create takes no argument such as \"me\": see `filings help keys create`"},
		{"generate", exitUsage, `required flag(s) "count" not set`},
		{"generate --count -1", exitUsage, "must be 0 or more"},
		{"generate --count 1 --seed -1", exitUsage, `--seed="-1": must be an integer, 0 or more`},
		{"help", exitDone, ""},
		{"help settings", exitDone, ""},
		{"help reindex", exitDone, ""},
		{"version", exitDone, ""},
	} {
		t.Run(test.args, func(t *testing.T) {
			t.Parallel()
			code, _, errs := newFixture(t).run(t.Context(), "", strings.Fields(test.args)...)
			if code != test.code || !strings.Contains(errs, test.want) {
				t.Errorf("exit code %d and %q, want %d and %q", code, errs, test.code, test.want)
			}
		})
	}
}

// A wrong setting ends the program with code 2 and one line that names the variable and what would be right, and never
// shows what may hold a password.
func TestWrongSettings(t *testing.T) {
	for _, test := range []struct{ variable, value, want string }{
		{"FILINGS_REDIS_ULR", "x", "there is no setting FILINGS_REDIS_ULR (did you mean FILINGS_REDIS_URL?): see `filings help settings`"},
		{"FILINGS_LISTN", ":8443", "there is no setting FILINGS_LISTN (did you mean FILINGS_LISTEN?): see `filings help settings`"},
		{"FILINGS_COLOUR", "red", "there is no setting FILINGS_COLOUR: see `filings help settings`"},
		{"FILINGS_FREE_BURST", "many", `FILINGS_FREE_BURST="many": must be an integer`},
		{"FILINGS_FREE_BURST", "0", `FILINGS_FREE_BURST="0": must be 1 to 1000000000`},
		{"FILINGS_REQUEST_TIMEOUT", "5", `FILINGS_REQUEST_TIMEOUT="5": must be a duration such as 5s or 1m30s`},
		{"FILINGS_REQUEST_TIMEOUT", "0s", `FILINGS_REQUEST_TIMEOUT="0s": must be a duration above 0`},
		{"FILINGS_FILTERS_BY_TIER", "some", `FILINGS_FILTERS_BY_TIER="some": must be true or false`},
		{"FILINGS_START_TIMEOUT", "-1s", `FILINGS_START_TIMEOUT="-1s": must be a duration, 0s or more`},
		{"FILINGS_CACHE_SIZE", "lots", `FILINGS_CACHE_SIZE="lots": must be a size such as 256MiB or 1GiB`},
		{"FILINGS_CACHE_SIZE", "-1", `FILINGS_CACHE_SIZE="-1": must be a size such as 256MiB or 1GiB`},
		{"FILINGS_LOG_LEVEL", "loud", `FILINGS_LOG_LEVEL="loud": must be debug, info, warn or error`},
		{"FILINGS_LOG_FORMAT", "xml", `FILINGS_LOG_FORMAT="xml": must be text, json or auto`},
		{"FILINGS_ELASTICSEARCH_URL", "user:secret@host", "must be http:// or https:// addresses"},
		{"FILINGS_REDIS_URL", "http://:secret@host", "must be a redis:// or rediss:// address"},
		{"FILINGS_INDEX", "Filings*", "lower-case letters"},
		{"FILINGS_TRUSTED_PROXIES", "10.0.0.1", "must be networks such as 10.0.0.0/8"},
		{"FILINGS_TLS_CERT_FILE", "cert.pem", "go together"},
		{"FILINGS_LISTEN", "off", "must be an address such as :8443"},
		{"FILINGS_TILES_URL", "http://tiles/{z}/{x}/{y}?key=secret", `FILINGS_TILES_URL="…": must be an https:// address with {z}, {x} and {y}`},
		{"FILINGS_TILES_ATTRIBUTION", "© Mappers", "FILINGS_TILES_URL and FILINGS_TILES_ATTRIBUTION go together"},
		{"FILINGS_OPERATIONS_TOKEN", "secret", `FILINGS_OPERATIONS_TOKEN="…": must be at least 32 letters`},
		{"FILINGS_INDEX_SHARDS", "0", "must be 1 or more"},
		{"FILINGS_TOKEN_SECRETS", "secret", `FILINGS_TOKEN_SECRETS="…": must be one or two of 32 bytes or more`},
		{"FILINGS_TOKEN_SHARE", "1.5", `FILINGS_TOKEN_SHARE="1.5": must be a number from 0 to 1`},
		{"FILINGS_TOKEN_SHARE", "half", `FILINGS_TOKEN_SHARE="half": must be a number such as 0.8`},
	} {
		t.Run(test.variable+"="+test.value, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			var out, errs bytes.Buffer
			code := run(t.Context(), []string{"serve"}, environment, streams{nil, &out, &errs})
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if got := errs.String(); !strings.Contains(got, test.want) || strings.Count(got, "\n") != 1 {
				t.Errorf("got %q, want one line with %q", got, test.want)
			}
			if strings.Contains(errs.String(), "secret") {
				t.Errorf("%q shows a secret", errs.String())
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if got := f.must(t, "", "help", "settings"); strings.Count(got, "\nFILINGS_") != len(settings.Rows()) {
		t.Errorf("help settings shows another table:\n%s", got)
	}
	for _, command := range []string{"serve", "demo", "load", "generations", "rollback", "keys", "tokens", "generate", "version", "settings"} {
		if got := f.must(t, "", "help"); !strings.Contains(got, " "+command+" ") {
			t.Errorf("help does not name %s:\n%s", command, got)
		}
	}
}

// `filings reindex` is the name of `filings load` in 1.0.0: scripts call it.
func TestLoad_OldName(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if now, old := f.must(t, "", "help", "load"), f.must(t, "", "help", "reindex"); now != old || !strings.Contains(old, "Aliases:\n  load, reindex") {
		t.Errorf("help load:\n%s\nhelp reindex:\n%s", now, old)
	}
	for _, args := range []string{"--format ndjson -", "--dry-run --show 1 -", "--max-rejects some -", "", "--format", "--lenient -"} {
		var codes [2]int
		for i, name := range []string{"load", "reindex"} {
			codes[i], _, _ = newFixture(t).run(t.Context(), `{"id":1,"county":"nowhere"}`, append([]string{name}, strings.Fields(args)...)...)
		}
		if codes[0] != codes[1] {
			t.Errorf("%q: load ends with %d, reindex with %d", args, codes[0], codes[1])
		}
	}
}

func TestKeysCommands(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := strings.TrimSuffix(f.must(t, "", "keys", "create", "--user", "u1", "--tier", "pro", "--name", "laptop"), "\n")
	if !regexp.MustCompile(`^ak_live_[0-9a-f]{32}$`).MatchString(key) {
		t.Errorf("create printed %q", key)
	}
	if code, _, errs := f.run(t.Context(), "", "keys", "create", "--user", "u1", "--tier", "pro"); code != exitFailed ||
		errs != "filings: account \"u1\" has an active key: `filings keys rotate --user u1` replaces it\n" {
		t.Errorf("a second key: exit code %d, %q", code, errs)
	}
	var got access.Account
	if err := json.Unmarshal([]byte(f.must(t, "", "keys", "show", "--user", "u1", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	got.CreatedAt = got.CreatedAt.Truncate(0)
	if got.User != "u1" || got.Tier != access.Pro || got.Prefix != key[:8] || got.State != "active" || got.Name != "laptop" ||
		got.CreatedAt.IsZero() || got.Quota != 10_000 || got.Used != 0 || got.Remaining != 10_000 {
		t.Errorf("show: %+v", got)
	}
	if other := f.must(t, "", "keys", "rotate", "--user", "u1"); other == key+"\n" {
		t.Error("rotate printed the old key")
	}
	f.must(t, "", "keys", "rotate", "--user", "u1", "--overlap", "24h")
	older := regexp.MustCompile(`(?m)^u1: an older key, created .*, is good until .*, not used since it was replaced$`)
	if shown := f.must(t, "", "keys", "show", "--user", "u1"); !older.MatchString(shown) {
		t.Errorf("show with an older key: %s", shown)
	}
	if code, _, errs := f.run(t.Context(), "", "keys", "rotate", "--user", "u1", "--overlap", "1s"); code != exitUsage ||
		errs != "filings: --overlap must be from 1m to 720h, which is 30 days\n" {
		t.Errorf("a short overlap: exit code %d, %q", code, errs)
	}
	f.must(t, "", "keys", "tier", "--user", "u1", "--tier", "free")
	f.must(t, "", "keys", "revoke", "--user", "u1")
	if code, _, errs := f.run(t.Context(), "", "keys", "rotate", "--user", "u1"); code != exitFailed ||
		errs != "filings: account \"u1\" has no active key: `filings keys create --user u1 --tier T` makes one\n" {
		t.Errorf("a revoked account's key: exit code %d, %q", code, errs)
	}
	if list := f.must(t, "", "keys", "list"); !strings.Contains(list, "u1") || !strings.Contains(list, "revoked") || !strings.Contains(list, "free") {
		t.Errorf("list: %s", list)
	}
	if list := f.must(t, "", "keys", "list", "--json"); !strings.HasPrefix(list, `[{"user":"u1","tier":"free",`) {
		t.Errorf("list --json: %s", list)
	}
	if list := newFixture(t).must(t, "", "keys", "list", "--json"); list != "[]\n" {
		t.Errorf("list --json without accounts: %q", list)
	}
}

func TestLoadCommands(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.KeepChanges = 30
	if got := f.must(t, "", "generations", "--json"); got != "[]\n" {
		t.Errorf("generations before the first load: %q", got)
	}
	type report struct {
		Generation              string
		Read, Indexed, Rejected int64
		Filings                 int64
		Promoted                bool
	}
	load := func(args ...string) report {
		t.Helper()
		in := f.must(t, "", "generate", "--count", "50", "--seed", "7")
		var r report
		if err := json.Unmarshal([]byte(f.must(t, in, args...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := load("reindex", "--format", "ndjson", "-")
	if first.Read != 50 || first.Indexed != 50 || first.Filings != 50 || !first.Promoted || first.Generation == "" {
		t.Errorf("report: %+v", first)
	}
	second := load("reindex", "--format", "ndjson", "-")
	var all []struct {
		Name    string
		Filings int64
		Bytes   int64
		Live    bool
	}
	if err := json.Unmarshal([]byte(f.must(t, "", "generations", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Name != second.Generation || !all[0].Live || all[1].Name != first.Generation || all[1].Live || all[0].Bytes == 0 {
		t.Errorf("generations: %+v", all)
	}
	if got := f.must(t, "", "rollback"); got != first.Generation+"\n" {
		t.Errorf("rollback printed %q, want %s", got, first.Generation)
	}
	if code, _, errs := f.run(t.Context(), "", "rollback"); code != exitFailed || !strings.Contains(errs, "no generation before") {
		t.Errorf("rollback from the first one: exit code %d, %q", code, errs)
	}
	if got := f.must(t, "", "rollback", index.GenerationID(second.Generation)); got != second.Generation+"\n" { // by its id, as by its name
		t.Errorf("rollback printed %q, want %s", got, second.Generation)
	}
	f.must(t, "", "rollback", first.Generation)
	load("reindex", "--format", "ndjson", "-")
	if got := f.must(t, "", "rollback"); got != first.Generation+"\n" { // which that load replaced, although the second is newer
		t.Errorf("rollback after a rollback and a load printed %q, want %s", got, first.Generation)
	}
	third := load("reindex", "--format", "ndjson", "-")
	if code, out, errs := f.run(t.Context(), "", "rollback", "--hold", "--reason", "Orange is wrong"); code != exitDone || errs != "" || out != first.Generation+"\n" {
		t.Errorf("rollback --hold: exit code %d, %q, %q", code, out, errs)
	}
	if code, _, errs := f.run(t.Context(), `{"id":1,"county":"Orange, FL"}`, "reindex", "--format", "ndjson", "-"); code != exitRefused || !strings.Contains(errs, "Orange is wrong; `filings release`") {
		t.Errorf("a load that is held: exit code %d, %q", code, errs)
	}
	if _, out, _ := f.run(t.Context(), "", "check"); !strings.Contains(out, "Orange is wrong; `filings release`") {
		t.Errorf("check: %s", out)
	}
	for _, want := range []string{"Loads were held since ", "No load is held."} {
		if code, _, errs := f.run(t.Context(), "", "release"); code != exitDone || !strings.HasPrefix(errs, want) {
			t.Errorf("release: exit code %d, %q, want %q", code, errs, want)
		}
	}
	if code, _, errs := f.run(t.Context(), "", "rollback", third.Generation); code != exitDone || !strings.HasPrefix(errs, "The next load undoes this: ") {
		t.Errorf("rollback: exit code %d, %q", code, errs)
	}
	if code, _, errs := f.run(t.Context(), "", "rollback", "--reason", "x"); code != exitUsage || !strings.Contains(errs, "with --hold") {
		t.Errorf("a reason without --hold: exit code %d, %q", code, errs)
	}
	code, out, errs := f.run(t.Context(), `{"id":1,"county":"nowhere"}`, "reindex", "--format", "ndjson", "-")
	if code != exitFailed || !strings.Contains(out, `"promoted":false`) || !strings.Contains(errs, "county") ||
		!strings.Contains(errs, "--max-rejects N") || !strings.Contains(errs, "--rejects FILE") {
		t.Errorf("a rejected record: exit code %d\n%s\n%s", code, out, errs)
	}
	code, _, errs = f.run(t.Context(), `[{"id":1,"county":"Orange, FL"}]`, "reindex", "-")
	if code != exitFailed || !strings.HasSuffix(errs, "filings: source cannot be read: -: it is one JSON array; it has to be one record a line, or --format json with --path '.[]'\n") {
		t.Errorf("a JSON array: exit code %d\n%s", code, errs)
	}
}

// A load over a generation of another version of the data says that it is one, and calls no file damaged.
func TestReindex_OtherVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.KeepChanges = 30
	folder := filepath.Join(f.settings.DataDir, "generations")
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "filings-20200101-000000.000000-v5.db"), []byte("of another form"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	code, _, errs := f.run(t.Context(), f.must(t, "", "generate", "--count", "10"), "reindex", "--format", "ndjson", "--max-shrink", "100", "-")
	if code != exitDone || !strings.Contains(errs, "what changes is not known") || !strings.Contains(errs, "was loaded by an older version of the program") || strings.Contains(errs, "damaged") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// A generation that cannot be searched never becomes live.
func TestRollback_RefusesWhatCannotBeSearched(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	load := func() string {
		var r struct{ Generation string }
		in := f.must(t, "", "generate", "--count", "20")
		if err := json.Unmarshal([]byte(f.must(t, in, "reindex", "--format", "ndjson", "-")), &r); err != nil {
			t.Fatal(err)
		}
		return r.Generation
	}
	old, damaged, live := load(), load(), load()
	if err := os.WriteFile(filepath.Join(f.settings.DataDir, "generations", damaged+".db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := f.run(t.Context(), "", "rollback")
	if code != exitFailed || out != "" || !strings.Contains(errs, damaged+" cannot be searched, and was not made live") {
		t.Errorf("rollback: exit code %d, %q, %q", code, out, errs)
	}
	if _, list, errs := f.run(t.Context(), "", "generations"); !strings.Contains(errs, damaged+" is damaged") || !regexp.MustCompile(live+".* live\n").MatchString(list) {
		t.Errorf("generations: %s%s", list, errs)
	}
	if got := f.must(t, "", "rollback", old); got != old+"\n" {
		t.Errorf("rollback printed %q, want %s", got, old)
	}
}

// TestEndOf: a load that promoted and could not say so did promote.
func TestEndOf(t *testing.T) {
	t.Parallel()
	all := []generation.Info{{Name: "g2", Live: true}, {Name: "g1"}}
	for _, test := range []struct{ generation, outcome, want string }{
		{"g3", generation.OutcomeFailed, "The last load failed and promoted nothing"},
		{"g3", generation.OutcomeDied, "The last load died and promoted nothing"},
		{"", generation.OutcomeDied, "The last load died and promoted nothing"},
		{"g2", generation.OutcomeDied, "The last load did not report its end and promoted g2, which is live"},
		{"g2", generation.OutcomeFailed, "The last load did not report its end and promoted g2, which is live"},
		{"g1", generation.OutcomeDied, "The last load did not report its end and left g1, which is complete and not live"},
	} {
		got := endOf(generation.Run{Generation: test.generation, Outcome: test.outcome}, all)
		if got, _, _ := strings.Cut(got, ", last seen"); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

func TestGenerateCommand(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b := f.must(t, "", "generate", "--count", "20", "--seed", "3"), f.must(t, "", "generate", "--count", "20", "--seed", "3")
	if a != b || strings.Count(a, "\n") != 20 {
		t.Errorf("the same count and seed gave %d and %d lines", strings.Count(a, "\n"), strings.Count(b, "\n"))
	}
	if c := f.must(t, "", "generate", "--count", "20", "--seed", "4"); a == c {
		t.Error("another seed gave the same filings")
	}
}

// Servers that are not there are one clear line that names the setting, not the address.
func TestUnreachableServers(t *testing.T) {
	t.Parallel()
	for variable, set := range map[string]func(*settings.Settings){
		"FILINGS_ELASTICSEARCH_URL": func(s *settings.Settings) { s.ElasticsearchURL = []string{"http://user:secret@127.0.0.1:9"} },
		"FILINGS_REDIS_URL":         func(s *settings.Settings) { s.RedisURL = "redis://:secret@127.0.0.1:9" },
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			set(&f.settings)
			code, _, errs := f.run(t.Context(), "", "serve")
			if code != exitFailed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, variable) ||
				strings.Contains(errs, "secret") || strings.Contains(errs, "127.0.0.1:9") {
				t.Errorf("exit code %d, %q", code, errs)
			}
		})
	}
}

func TestOccupiedPort(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l, err := open("FILINGS_LISTEN", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f.settings.Listen = l.Addr().String()
	other := l.Addr().(*net.TCPAddr).Port ^ 1
	code, _, errs := f.run(t.Context(), "", "serve")
	want := fmt.Sprintf("filings: FILINGS_LISTEN=%s: another program listens on this address; set it to 127.0.0.1:%d\n", l.Addr(), other)
	if code != exitFailed || errs != want {
		t.Errorf("exit code %d and %q, want %d and %q", code, errs, exitFailed, want)
	}
}

// Only its owner may read the data folder, with the keys' hashes and the certificate's key in it.
func TestDataFolderIsPrivate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.must(t, "", "keys", "create", "--user", "u", "--tier", "free")
	f.must(t, f.must(t, "", "generate", "--count", "5"), "reindex", "--format", "ndjson", "-")
	if _, err := certificate.Open(f.settings, time.Now); err != nil {
		t.Fatal(err)
	}
	checkPrivate(t, f.settings.DataDir)
}

// TestX19_ListedChanges: `filings generations` and the line of a load say how many filings were added, changed and removed.
func TestX19_ListedChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.KeepChanges = 30
	record := func(id int, owner string) string {
		return fmt.Sprintf(`{"id":%d,"county":"Lake, FL","owner":%q}`+"\n", id, owner)
	}
	if got := f.must(t, record(1, "A")+record(2, "A")+record(3, "A"), "reindex", "-"); !strings.Contains(got, `"changes":null`) {
		t.Errorf("the first load: %s", got)
	}
	update := record(1, "B") + record(2, "A") + record(9, "A") + record(10, "A") + record(3, "C")
	if got := f.must(t, update, "reindex", "--update", "-"); !strings.Contains(got, `"changes":{"added":2,"changed":2,"removed":0}`) {
		t.Errorf("the update: %s", got)
	}
	list := f.must(t, "", "generations")
	want := `^NAME +CREATED +FILINGS +ADDED +CHANGED +REMOVED +SIZE +LIVE\n\S+ +\S+ \S+ +5 +2 +2 +0 +.* live\n\S+ +\S+ \S+ +3 +- +- +- +`
	if !regexp.MustCompile(want).MatchString(list) {
		t.Errorf("want %s, got\n%s", want, list)
	}
	var rows []struct {
		Name    string
		Changes json.RawMessage
	}
	if err := json.Unmarshal([]byte(f.must(t, "", "generations", "--json")), &rows); err != nil || len(rows) != 2 {
		t.Fatalf("%v: %+v", err, rows)
	}
	changes := `{"added":2,"changed":2,"removed":0,"since":"` + rows[1].Name + `"}`
	if string(rows[0].Changes) != changes || string(rows[1].Changes) != "null" {
		t.Errorf("want %s and null, got %s and %s", changes, rows[0].Changes, rows[1].Changes)
	}
}

// TestX22_Show: a dry run that shows records writes to a file nothing else than these, the report, and an example of each kind of reject as
// it is.
func TestX22_Show(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.ndjson")
	writeFile(t, path, `{"id":1,"county":"Orange, FL"}`+"\n"+`{"id":1,"county":"Lake, FL"}`+"\n"+`{"id":2,"county":"Lake"}`+"\n"+`{"id":3,"county":"Polk"}`+"\n", 0o600)
	_, out, errs := newFixture(t).run(t.Context(), "", "reindex", "--dry-run", "--show", "1", "--max-rejects", "3", path)
	if !strings.HasPrefix(out, `{"id":1,"county":"Orange, FL"}`+"\n{\"generation\"") {
		t.Error(out)
	}
	for _, want := range []string{"Rejected, with the first of each kind:\n       2  " + path + ":3: filing 2: county: ", `"Lake"`, "       1  " + path + ":2: filing 1: id: 1 is in this load already\n"} {
		if !strings.Contains(errs, want) {
			t.Errorf("lacks %s:\n%s", want, errs)
		}
	}
	if strings.Contains(errs, "phase") || strings.Contains(errs, "record rejected") {
		t.Errorf("it shows progress:\n%s", errs)
	}
}

// TestPlan_WrongMapping: a county of a plan whose mapping is wrong is exit code 2, and the report, like the message, names it.
func TestPlan_WrongMapping(t *testing.T) {
	t.Parallel()
	for name, mapping := range map[string]string{"does not compile": "{id: ", "reads a missing column": `{id: (.No | number), county: "Orange, FL", owner: .Ownr}`, "is not there": ""} {
		dir := t.TempDir()
		files := map[string]string{"a.csv": "No,Owner\n1,A\n", "plan.yaml": "counties:\n- {county: 'Orange, FL', sources: [a.csv], map: a.jq}\n"}
		if mapping != "" {
			files["a.jq"] = mapping
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, out, errs := newFixture(t).run(t.Context(), "", "reindex", "--plan", filepath.Join(dir, "plan.yaml"))
		var report struct{ Failed map[string]string }
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != exitUsage || report.Failed["Orange, FL"] == "" || !strings.Contains(errs, "Orange, FL: ") {
			t.Errorf("a mapping that %s: exit code %d, %v, report %q, errors %q", name, code, err, out, errs)
		}
	}
}
