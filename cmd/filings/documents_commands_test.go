package main

import (
	"bufio"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"filings/cmd/testservers/servers"
)

// leftOut are the console blocks of the documents: commands that no test can run, each with the reason. A block is named
// by its document and its first line.
var leftOut = []struct{ document, begins, reason string }{
	{"docs/quickstart.md", "make run", "it serves until it is stopped; the other blocks run against `filings demo`"},
	{"README.md", "make run", "it serves until it is stopped; TestDemo covers it, and the other blocks run against `filings demo`"},
	{"README.md", "docker compose up --build --wait", "it needs Docker"},
	{"README.md", "make test", "it is what runs this test"},
	{"README.md", "make bench DATA=filings.ndjson.gz", "it takes many minutes, and real filings"},
	{"docs/CONTRIBUTING.md", "make test", "it is what runs this test"},
	{"docs/CONTRIBUTING.md", "make quick", "it is part of what runs this test"},
	{"docs/CONTRIBUTING.md", "TEST_REDIS_URL=redis://127.0.0.1:6379 go test ./service/...", "it is part of what runs this test"},
	{"docs/figures.md", "make bench DATA=filings.ndjson.gz                      # all of them; FOR=\"pages answers\" for some", "it takes many minutes, and real filings"},
	{"docs/records/figures.md", "GOCACHE=$(mktemp -d) go build -debug-actiongraph=build.json ./cmd/filings   # CmdUser and CmdSys of each package, in ns", "it takes minutes"},
	{"docs/api/clients.md", "go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate client,models -package filings openapi.json > client.go",
		"it fetches a program; TestGeneratedClient runs it as a tool of the module"},
	{"docs/operate/sources.md", "filings load --if-changed --map orange.jq 'socrata://data.example.gov/abcd-1234?$where=tax_year > 2023'", "it needs portals; TestX45_Nightly loads from them"},
	{"docs/operate/install.md", "make build", "it needs the source; this test builds the program in the same way"},
	{"docs/operate/install.md", "cd dist && sha256sum --check --ignore-missing SHA256SUMS", "it needs the archives of all platforms, which take minutes to build"},
	{"docs/operate/install.md", "docker compose up --build --wait", "it needs Docker"},
	{"docs/operate/install.md", "filings serve", "it serves until it is stopped; the other blocks run beside it"},
	{"docs/operate/production.md", "apt-get install curl gpg wget", "it needs a machine of its own"},
	{"docs/operate/production.md", "apt-get update", "it needs a machine of its own"},
	{"docs/operate/production.md", "curl --cacert /etc/elasticsearch/certs/http_ca.crt -u elastic -H 'Content-Type: application/json' https://localhost:9200/_security/api_key -d '",
		"it needs an Elasticsearch with passwords"},
	{"docs/operate/production.md", "install -m 755 filings /usr/local/bin/filings", "it needs a machine of its own"},
	{"docs/operate/production.md", `as_filings() { runuser -u filings -- sh -c 'set -a; . /etc/filings/settings; exec filings "$@"' sh "$@"; }`, "it needs a machine of its own"},
	{"docs/operate/install.md", "systemctl enable --now filings", "it needs a machine of its own"},
	{"docs/operate/production.md", "install -m 644 filings.service /etc/systemd/system/", "it needs a machine of its own; TestUnits has systemd read the unit"},
	{"docs/operate/kubernetes.md", "make image && docker tag filings:local registry.example.org/filings:1.0.0 && docker push registry.example.org/filings:1.0.0", "it needs a cluster; make chart tests the chart"},
	{"docs/operate/kubernetes.md", "kubectl -n filings create job --from=cronjob/filings-nightly nightly-now", "it needs a cluster"},
	{"docs/operate/nightly.md", "install -m 755 load load-failed /etc/filings/", "it needs a machine of its own; TestUnits has systemd read the units"},
	{"docs/operate/sources.md", "filings load https://data.example.org/filings.ndjson.gz", "it needs a web server and a PostgreSQL"},
	{"docs/operate/removal.md", "filings withhold list", "it shows an entry, which asks on a terminal"},
	{"docs/operate/runbook.md", "curl -X DELETE $ES/NAME", "it needs an Elasticsearch of its own"},
	{"docs/operate/runbook.md", "filings generations", "it repairs an index whose live generation is lost"},
	{"docs/operate/runbook.md", "filings rollback", "it repairs a live generation that cannot be searched"},
	{"docs/operate/runbook.md", "redis-cli BGSAVE", "it needs a Redis of its own"},
	{"docs/operate/runbook.md", "redis-cli CONFIG SET appendonly yes", "it needs a Redis of its own"},
	{"docs/operate/runbook.md", "rm $FILINGS_DATA_DIR/access.db*", "the service has to be stopped first"},
	{"docs/operate/runbook.md", "tar -C $FILINGS_DATA_DIR -cf backup.tar .", "the service has to be stopped first"},
}

// Every block of a document is one that runs (sh), one of the table above (console), or no command.
func TestDocuments_Blocks(t *testing.T) {
	t.Parallel()
	found := make([]bool, len(leftOut))
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			switch b.info {
			case "sh", "json", "text", "go", "python", "js", "jq": // programs: TestDocuments_Retries, TestX20_Documents, TestX32_Documents
			case "console":
				first, _, _ := strings.Cut(b.text, "\n")
				i := slices.IndexFunc(leftOut, func(l struct{ document, begins, reason string }) bool {
					return l.document == d.name && l.begins == first
				})
				if i < 0 {
					t.Errorf("%s:%d: no reason says why this block is not run; if it can be, it is a block of sh", d.name, b.line)
					continue
				}
				found[i] = true
			default:
				t.Errorf("%s:%d: a block is sh, console, json, text, go, python, js or jq, not %q", d.name, b.line, b.info)
			}
		}
	}
	for i, l := range leftOut {
		if !found[i] {
			t.Errorf("%s has no console block that begins with %s", l.document, l.begins)
		}
	}
}

// The commands of the documents run: in a folder, beside a service with synthetic filings, one block after another.
func TestDocuments_Commands(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	for _, tool := range []string{"bash", "curl", "sqlite3"} {
		servers.Program(t, tool)
	}
	tools := makeTools(t)
	var forReaders, forOperators, forBeginners []document
	for _, d := range documents(t) {
		switch runs := slices.ContainsFunc(d.blocks, func(b block) bool { return b.info == "sh" }); {
		case runs && d.name == "docs/quickstart.md": // it loads, too
			forBeginners = append(forBeginners, d)
		case runs && strings.HasPrefix(d.name, "docs/operate/"):
			forOperators = append(forOperators, d)
		case runs:
			forReaders = append(forReaders, d)
		}
	}
	if len(forReaders) < 4 || len(forOperators) < 4 || len(forBeginners) == 0 {
		t.Fatalf("only %d, %d and %d documents have commands: this test does not see them", len(forReaders), len(forOperators), len(forBeginners))
	}
	t.Run("demo", func(t *testing.T) {
		t.Parallel()
		p := demoPlace(t, tools)
		for _, d := range forReaders { // they only read
			p.run(t, d)
		}
	})
	for _, d := range forBeginners {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			demoPlace(t, tools).run(t, d)
		})
	}
	for _, d := range forOperators {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			servedPlace(t, tools).run(t, d)
		})
	}
}

// makeTools makes a folder for the PATH: the program, built as a release is, and a curl that fails where the service
// refuses.
func makeTools(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "filings"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "curl"), fmt.Sprintf("#!/bin/sh\nexec %s --silent --show-error --fail-with-body \"$@\"\n", curl), 0o755)
	// Read by every bash that runs a block. What a block exports, the blocks behind it have.
	writeFile(t, filepath.Join(folder, "prelude.sh"), `set -euo pipefail
[ ! -f "$EXPORTED" ] || . "$EXPORTED"
trap 'echo "$0:$LINENO: exit code $?" >&2' ERR
trap 'export -p >"$EXPORTED"' EXIT
`, 0o644)
	return folder
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// place is where the commands of documents run: a folder, an environment with a service, and what fills the placeholders.
type place struct {
	tools, folder string
	environment   []string
	placeholders  []string // old, new, old, new
}

func newPlace(t *testing.T, tools string) *place {
	t.Helper()
	p := &place{tools: tools, folder: t.TempDir()}
	p.set("PATH", tools+":"+os.Getenv("PATH"))
	p.set("HOME", p.folder)
	p.set("NO_PROXY", "localhost,127.0.0.1")
	p.set("FILINGS_DATA_DIR", filepath.Join(p.folder, "filings-data"))
	p.set("FILINGS_LISTEN", "127.0.0.1:0")
	p.set("FILINGS_REDIRECT_LISTEN", "127.0.0.1:0")
	p.set("FILINGS_OPERATIONS_LISTEN", "127.0.0.1:0")
	p.set("FILINGS_LOG_FORMAT", "json")
	p.set("FILINGS_TOKEN_SECRETS", strings.Repeat("s", 32))
	return p
}

func (p *place) set(name, value string) { p.environment = append(p.environment, name+"="+value) }

// command is a command of the program.
func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.tools, "filings"), args...)
	cmd.Dir, cmd.Env = p.folder, append(os.Environ(), p.environment...)
	return cmd
}

// must runs a command of the program, and returns what it prints.
func (p *place) must(t *testing.T, args ...string) string {
	t.Helper()
	cmd := p.command(args...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return strings.TrimSpace(string(out))
}

// fill says what stands for the placeholders of the documents.
func (p *place) fill(key, api, operations string) {
	p.set("KEY", key)
	p.set("O", operations)
	p.placeholders = append(p.placeholders, "ak_live_…", key, "localhost:8443", "localhost:"+api, "127.0.0.1:9090", operations)
}

// demoPlace is beside what `make run` starts.
func demoPlace(t *testing.T, tools string) *place {
	t.Helper()
	p := newPlace(t, tools)
	demo := p.command("demo")
	out, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		_ = demo.Process.Signal(syscall.SIGTERM)
		for lines.Scan() { // to its end
		}
		if err := demo.Wait(); err != nil {
			t.Errorf("filings demo: %v", err)
		}
	})
	curl := regexp.MustCompile(`^  curl --cacert (\S+) -H 'X-API-Key: (ak_live_[0-9a-f]{32})' 'https://localhost:(\d+)/`)
	for lines.Scan() {
		if m := curl.FindStringSubmatch(lines.Text()); m != nil {
			p.set("CURL_CA_BUNDLE", m[1])
			p.fill(m[2], m[3], "127.0.0.1:0") // what needs the operations listener is in docs/operate
			return p
		}
	}
	t.Fatal("filings demo printed no curl line")
	return nil
}

// servedPlace is beside `filings serve` with three generations, an account and a token.
func servedPlace(t *testing.T, tools string) *place {
	t.Helper()
	p := newPlace(t, tools)
	writeFile(t, filepath.Join(p.folder, "some.ndjson"), p.must(t, "generate", "--count", "2000"), 0o644)
	var oldest string
	for range 3 {
		p.must(t, "reindex", "some.ndjson")
	}
	if m := regexp.MustCompile(`"name":"([^"]+)"[^{]*$`).FindStringSubmatch(p.must(t, "generations", "--json")); m != nil {
		oldest = m[1]
	}
	liens := new(servers.Portal)
	liens.Put(lien(1), lien(2), lien(3))
	portal := httptest.NewServer(liens)
	t.Cleanup(portal.Close)
	key := p.must(t, "keys", "create", "--user", "bob", "--tier", "pro")
	token := strings.Repeat("t", 32)
	p.set("FILINGS_OPERATIONS_TOKEN", token)
	p.set("TOKEN", token)
	service := &process{cmd: p.command("serve"), output: new(output), ended: make(chan error, 1)}
	service.run(t)
	t.Cleanup(func() { service.stop(t) })
	_, api, _ := strings.Cut(service.api, "localhost:")
	operations := strings.TrimPrefix(service.operations, "http://")
	p.fill(key, api, operations)
	p.set("FILINGS_LISTEN", "127.0.0.1:"+api)
	p.set("FILINGS_OPERATIONS_LISTEN", operations)
	p.set("CURL_CA_BUNDLE", filepath.Join(p.folder, "filings-data", "cert.pem"))
	p.placeholders = append(p.placeholders, "generations/NAME.db", "generations/"+oldest+".db",
		"data.example.gov", strings.TrimPrefix(portal.URL, "http://"),
		"FILINGS_LISTEN=:8444", "FILINGS_LISTEN="+freeAddress(t), "127.0.0.1:9091", freeAddress(t))
	return p
}

// run runs the sh blocks of a document, in order, until one fails.
func (p *place) run(t *testing.T, d document) {
	t.Helper()
	p.set("BASH_ENV", filepath.Join(p.tools, "prelude.sh"))
	p.set("EXPORTED", filepath.Join(t.TempDir(), "exported.sh"))
	for _, b := range d.blocks {
		if b.info == "sh" {
			out, err := p.runBlock(t, d.name, b)
			if err != nil {
				t.Fatalf("%s: the block at line %d: %v\n%s", d.name, b.line, err, out)
			}
			t.Logf("%s:%d\n%s", d.name, b.line, out)
		}
	}
}

// runBlock runs one block as a script that has the document's name and its lines, so that bash's own messages name them.
func (p *place) runBlock(t *testing.T, name string, b block) (out []byte, err error) {
	t.Helper()
	scripts := t.TempDir()
	script := filepath.Join(scripts, filepath.Base(name))
	writeFile(t, script, strings.Repeat("\n", b.line-1)+strings.NewReplacer(p.placeholders...).Replace(b.text), 0o644)
	// A file and not a pipe: a program that a block leaves behind would hold a pipe open.
	file, err := os.Create(filepath.Join(scripts, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	bash := exec.Command("bash", script)
	bash.Dir, bash.Env, bash.Stdout, bash.Stderr = p.folder, append(os.Environ(), p.environment...), file, file
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := bash.Start(); err != nil {
		t.Fatal(err)
	}
	err = bash.Wait()
	_ = syscall.Kill(-bash.Process.Pid, syscall.SIGKILL) // what it left behind, if anything
	out, _ = os.ReadFile(file.Name())
	return out[max(0, len(out)-4000):], err
}
