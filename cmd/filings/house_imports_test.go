package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "filings"

// importRule says what a package may import, and why nothing else.
type importRule struct {
	pkg    string
	may    []string
	reason string
}

// mayImport says which of our own packages each package may import, tests aside. A package that is not listed has no
// place in the design yet; but programs, below cmd, wire everything together and may import all of them.
var mayImport = []importRule{
	{"index", []string{"index/address"},
		"what a filing is and what can be queried must not depend on who stores it or who queries"},
	{"index/breaker", nil, "a circuit breaker fits in front of any server, the engine's and the key store's"},
	{"index/cache", nil, "a cache fits behind anything that can name what it needs and say how large it is"},
	{"index/changes", []string{"index"}, "what changed follows from the changesets alone, whatever engine keeps them"},
	{"index/generation", []string{"index", "index/cache", "index/sidecar"},
		"the writing side of an engine speaks of filings, and of nothing that stores them"},
	{"index/limit", nil, "a limit with turns fits in front of any server, and accounts are names to it"},
	{"index/trace", nil, "a span says what ran and how it ended, whatever that was about"},
	{"index/serving", []string{"index", "index/breaker", "index/cache", "index/changes", "index/limit", "index/trace"}, "what makes an engine fit for clients fits around any engine"},
	{"index/elastic", []string{"index", "index/cache", "index/elastic/client", "index/elastic/document",
		"index/elastic/reader", "index/generation", "index/sidecar", "mappings"},
		"an engine knows the query, not the client: the same code serves API and loads"},
	{"index/embedded", []string{"index", "index/cache", "index/generation", "index/sidecar", "index/sorter",
		"index/embedded/columns"},
		"an engine knows the query, not the client: the same code serves API and loads"},
	{"index/embedded/columns", []string{"index", "index/address", "index/bitset", "index/cache", "index/sorter",
		"index/wire"},
		"how filings are found does not depend on where their columns are kept"},
	{"index/sidecar", []string{"index", "index/bitset", "index/cache", "index/sorter", "index/wire"},
		"what is known beside the filings does not depend on where it is kept"},
	{"index/batch", nil, "calls go together to any server, whatever they are"},
	{"index/address", nil, "when two addresses are one does not depend on whose they are"},
	{"index/sorter", []string{"index/wire"}, "sorting compares bytes, whatever they mean"},
	{"index/bitset", nil, "numbers are in a set or not, whatever is numbered"},
	{"index/wire", nil, "values are read one after the other, whatever they mean"},
	{"index/indextest", []string{"index", "index/cache", "index/changes", "index/generation", "index/sidecar"},
		"the oracle shares nothing with the engines that it judges"},
	{"index/indextest/edges", []string{"index", "index/synthetic"}, "filings that try the rules are filings: no engine has its own"},
	{"index/indextest/conformance", []string{"index", "index/generation", "index/indextest", "index/indextest/edges",
		"index/sidecar"},
		"the suite shares nothing with the engines that it judges"},
	{"index/elastic/client", []string{"index"}, "what sends requests knows kinds of errors, and nothing of what is requested"},
	{"index/elastic/document", []string{"index", "index/address"},
		"what a filing is in Elasticsearch does not depend on how it gets there or back"},
	{"index/elastic/search", []string{"index", "index/address", "index/elastic/document"},
		"what is requested depends on the query alone, not on how it is sent or responded to"},
	{"index/elastic/reader", []string{"index", "index/batch", "index/cache", "index/elastic/client",
		"index/elastic/document", "index/elastic/search", "index/sidecar"},
		"reading must not depend on how well writing works"},
	{"index/elastic/elastictest", []string{"index"}, "every package of the engine is tested with it"},
	{"index/synthetic", []string{"index"}, "synthetic filings are filings: they know no engine and no form of a file"},
	{"mappings", nil, "mappings are data"},
	{"reindexer", []string{"index", "index/generation", "index/sidecar", "index/sorter", "index/trace",
		"reindexer/mapping", "reindexer/record", "reindexer/sieve", "reindexer/source"},
		"a load reaches engines through index alone, and never the service: either runs, and changes, without the other"},
	{"reindexer/sieve", []string{"index", "index/address", "index/bitset", "index/generation", "reindexer/record"},
		"which filings are withheld depends neither on where a record comes from nor on what a load does with it"},
	{"reindexer/plan", []string{"index", "index/generation", "reindexer", "reindexer/record", "reindexer/source"}, "which counties are loaded, from where, is decided outside of a load: a load knows no file of counties"},
	{"service", []string{"index", "index/changes", "index/generation", "index/serving", "index/trace", "service/access", "service/edge", "service/export", "service/handlers", "service/mcp", "service/negotiate", "service/openapi", "service/pages", "service/params", "service/tokens"}, "the API reaches engines through index alone, and never the reindexer: either runs, and changes, without the other"},
	{"reindexer/record", []string{"index"}, "what is valid depends neither on where a record comes from nor on where it goes"},
	{"reindexer/bound", nil, "a program in jq takes what it takes, whatever it is for"},
	{"reindexer/mapping", []string{"reindexer/bound", "reindexer/record", "reindexer/source"}, "a mapping makes records, and judges none: what is valid is the same with and without one"},
	{"reindexer/inspect", []string{"reindexer/mapping", "reindexer/source"}, "what is proposed to a person is a mapping: a load knows nothing of how it was found"},
	{"reindexer/source/parquet", []string{"reindexer/record"}, "rows are values, wherever the file comes from and whatever they are read as"},
	{"reindexer/source/xlsx", []string{"reindexer/record"}, "what a cell holds does not depend on what rows are read for"},
	{"reindexer/source", []string{"index/sorter", "reindexer/bound", "reindexer/record", "reindexer/s3", "reindexer/source/parquet", "reindexer/source/xlsx", "reindexer/web"}, "where records come from knows no fields: a new source changes no rule of what is valid"},
	{"reindexer/archive", []string{"index"}, "an archive has filings: which engine they come from, and what a load makes of them, it does not know"},
	{"reindexer/s3", []string{"reindexer/web"}, "objects are bytes: what they hold, who reads or writes them knows"},
	{"reindexer/web", nil, "requests are sent and responses come whole whatever they are for"},
	{"service/access", []string{"index/batch", "index/breaker", "index/limit"}, "keys and quotas know nothing of filings or HTTP"},
	{"service/edge", []string{"index/limit"}, "what every request passes knows nothing of what requests are about"},
	{"service/openapi", []string{"index", "service/params"}, "the document is made from the tables of fields and parameters; endpoints and errors come to it as values"},
	{"service/handlers", []string{"index", "index/changes", "index/serving", "service/access", "service/cursor", "service/mvt", "service/params", "service/tokens"}, "what a response holds does not depend on how it is sent"},
	{"service/export", []string{"index", "service/access", "service/params"}, "a file is written from records alone, whatever engine they come from; of accounts it knows what one export takes and costs, and nothing of HTTP"},
	{"service/mcp", []string{"index", "index/serving", "service/access", "service/cursor", "service/handlers", "service/params"}, "a tool is a request and its response: who calls, and how that is sent, is the service's"},
	{"service/negotiate", nil, "headers are text: who responds decides what follows from them"},
	{"service/cursor", []string{"index/wire"}, "a cursor is a text: what is in it, its readers know"},
	{"service/tokens", nil, "a token is a text: whose it is and what it allows, its readers know"},
	{"service/mvt", nil, "a tile is bytes: what its points are, who draws them knows"},
	{"service/mvt/mvttest", nil, "what reads tiles in tests must not know how they are written"},
	{"service/params", []string{"index", "service/cursor"}, "what a request means is read from text alone, without HTTP"},
	{"service/pages", []string{"docs"}, "pages are files: they use the API as any client does"},
	{"docs", nil, "documents are data"},
	{"service/webtest", []string{"index", "index/indextest", "index/synthetic", "service", "service/access", "service/servicetest", "cmd/testservers/servers"}, "pages as their readers meet them, with synthetic filings: no real engine is needed for that"},
	{"cmd/filings/settings", []string{"index"}, "settings say what was set: what the program makes of them is wired elsewhere"},
	{"cmd/filings/memory", []string{"index/cache"}, "how much memory a process may take concerns no code that uses it"},
	{"cmd/filings/traces", []string{"index/trace"}, "where spans go concerns no code that makes them"},
	{"cmd/filings/certificate", []string{"cmd/filings/settings"}, "a certificate is files and a clock: who shows it is wired elsewhere"},
	{"cmd/filings/check", []string{"cmd/filings/certificate", "cmd/filings/settings", "index", "index/elastic", "index/elastic/client", "index/generation", "service/access"}, "a check looks at what the settings name, as the service would reach it, and needs no service"},
	{"service/apitest", nil, "tests of the API: nothing imports them"},
	{"service/servicetest", []string{"index", "index/cache", "index/indextest", "index/serving", "service", "service/access", "service/edge", "service/tokens"}, "a service as its clients meet it, over any engine"},
	{"cmd/testservers", []string{"cmd/testservers/servers"}, "what starts servers for tests must work when the product does not compile"},
	{"cmd/testservers/servers", nil, "what starts servers for tests must work when the product does not compile"},
}

// mayKnow says which packages may know a library.
var mayKnow = []struct {
	library string
	may     []string
	reason  string
}{
	{"github.com/gofiber/fiber", []string{"service", "service/edge", "service/pages", "service/servicetest", "cmd/filings"}, "HTTP ends in service: whatever lies behind it must work without a web framework"},
	{"github.com/maypok86/otter", []string{"index/cache"}, "there is one kind of cache in the project"},
	{"github.com/elastic/go-elasticsearch", []string{"index/elastic", "index/elastic/client", "index/elastic/elastictest", "index/elastic/reader"}, "one engine is Elasticsearch's: everything else must work on any engine"},
	{"github.com/valyala/fasthttp", []string{"index/elastic/client", "service", "service/edge", "service/pages", "cmd/bench", "cmd/bench/peers"}, "its responses are memory that is used again: who keeps one has to know"},
	{"github.com/redis/go-redis", []string{"service/access", "cmd/testservers", "cmd/bench/peers/twoday"}, "one key store is Redis's: everything else must work on any store; testservers only looks whether one is there, and what the service is compared with has its own keys"},
	{"github.com/yuin/goldmark", []string{"service/pages"}, "Markdown is how documents are written: whatever is not a page has none"},
	{"github.com/getkin/kin-openapi", []string{"service/openapi"}, "how a document is put together concerns no handler"},
	{"github.com/itchyny/gojq", []string{"reindexer/bound", "reindexer/mapping", "reindexer/source", "reindexer/inspect"}, "jq is how mappings and paths are written: nothing else speaks it"},
	{"github.com/oasdiff/yaml", []string{"reindexer/plan"}, "YAML is how a plan is written: nothing else is"},
	{"github.com/modelcontextprotocol", []string{"service/mcp"}, "the protocol of assistants is one way to call the API: no handler knows it"},
	{"github.com/gofrs/flock", []string{"index/embedded", "cmd/filings/certificate"},
		"locks of files belong to what keeps files: the embedded engine, and the self-signed certificate"},
	{"go.opentelemetry.io", []string{"index/trace", "cmd/filings/traces"}, "what a span may hold is decided in one place"},
	{"github.com/chromedp", []string{"service/webtest"}, "a browser is for tests: the program must not carry what drives one"},
}

// TestImports holds design.md's rules of who may know whom.
func TestImports(t *testing.T) {
	t.Parallel()
	imports := importsOf(t)
	for pkg, imported := range imports {
		checkOwn(t, pkg, imported)
		for _, rule := range mayKnow {
			for path := range imported {
				if strings.HasPrefix(path+"/", rule.library+"/") && !slices.Contains(rule.may, pkg) {
					t.Errorf("%s imports %s: %s", pkg, path, rule.reason)
				}
			}
		}
	}
}

func checkOwn(t *testing.T, pkg string, imported map[string]bool) {
	i := slices.IndexFunc(mayImport, func(rule importRule) bool { return rule.pkg == pkg })
	if i < 0 && strings.HasPrefix(pkg, "cmd/") {
		return
	}
	if i < 0 {
		t.Errorf("%s is not in the table of this test: say what it may import, and why", pkg)
		return
	}
	for path := range imported {
		own, ok := strings.CutPrefix(path, module+"/")
		if ok && !slices.Contains(mayImport[i].may, own) {
			t.Errorf("%s imports %s: %s", pkg, own, mayImport[i].reason)
		}
	}
}

// TestImports_Rules makes sure that the rules speak of what there is: a rule about a library that nobody uses any more
// forbids nothing.
func TestImports_Rules(t *testing.T) {
	t.Parallel()
	imports := importsOf(t)
	for _, row := range mayImport {
		if imports[row.pkg] == nil {
			t.Errorf("there is no package %s", row.pkg)
		}
	}
	for _, rule := range mayKnow {
		used := false
		for path := range imports[rule.may[0]] {
			used = used || strings.HasPrefix(path+"/", rule.library+"/")
		}
		if !used {
			t.Errorf("%s does not use %s", rule.may[0], rule.library)
		}
	}
}

// filesAtMost is how many files a folder has: somebody who comes to it reads their names as a table of contents.
const filesAtMost = 20

// TestImports_Folders keeps rooms from filling up: a folder that grows beyond the limit is two ideas.
func TestImports_Folders(t *testing.T) {
	t.Parallel()
	for pkg := range importsOf(t) {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		if len(files) > filesAtMost {
			t.Errorf("%s has %d files, at most %d fit", pkg, len(files), filesAtMost)
		}
	}
}

// importsOf returns what each package of the repository imports, tests aside.
func importsOf(t *testing.T) map[string]map[string]bool {
	t.Helper()
	imports := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(folder)
		if imports[pkg] == nil {
			imports[pkg] = map[string]bool{}
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[pkg][name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}
