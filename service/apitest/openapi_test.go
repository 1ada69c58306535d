package apitest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gofiber/fiber/v2"
	"github.com/google/go-cmp/cmp"

	"filings/service"
	"filings/service/access"
	"filings/service/openapi"
	"filings/service/params"
)

// description is the document as a client reads it.
func (s *site) description(t testing.TB) *openapi3.T {
	t.Helper()
	return parsed(t, []byte(s.get(t, "", "/openapi.json").body))
}

func parsed(t testing.TB, document []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPI_Valid: the document is what OpenAPI 3.1 calls one, examples included.
func TestOpenAPI_Valid(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	doc := s.description(t)
	if !doc.IsOpenAPI31OrLater() {
		t.Errorf("version %s", doc.OpenAPI)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	ids := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if ids[op.OperationID] || op.OperationID == "" || op.Summary == "" || op.Description == "" || len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil {
				t.Errorf("%s %s is not described: %+v", method, path, op)
			}
			ids[op.OperationID] = true
			for _, p := range op.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s %s: %s has no description", method, path, p.Value.Name)
				}
			}
			if deprecated := strings.HasPrefix(path, "/v1/liens"); op.Deprecated != deprecated {
				t.Errorf("%s %s: deprecated is %v", method, path, op.Deprecated)
			}
		}
	}
	for name, schema := range doc.Components.Schemas {
		for property, p := range schema.Value.Properties {
			if p.Ref == "" && p.Value.Description == "" && len(p.Value.Properties) == 0 && property != "data" {
				t.Errorf("%s.%s has no description", name, property)
			}
		}
	}
}

// TestOpenAPI_Same: two services give the same bytes.
func TestOpenAPI_Same(t *testing.T) {
	t.Parallel()
	if a, b := newSite(t, oracle(nil)).get(t, "", "/openapi.json"), newSite(t, oracle(nil)).get(t, "", "/openapi.json"); a.body != b.body {
		t.Error("the document differs from service to service")
	}
}

const goldenDocument = "testdata/openapi.json"

// TestOpenAPI_Golden: the document is the one in testdata/openapi.json, but for its spaces. So each change of it is seen in a
// review, and `make nightly` knows when clients have to be generated anew.
func TestOpenAPI_Golden(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(newSite(t, oracle(nil)).get(t, "", "/openapi.json").body), "", " "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if *update {
		write(t, goldenDocument, got.Bytes())
	}
	want, err := os.ReadFile(goldenDocument)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("`go test ./service/apitest -run TestOpenAPI_Golden -update`, then `make nightly GROUPS=clients` (-want +got)\n%s", diff)
	}
}

// TestOpenAPI_Routes: what Fiber serves is in the document, and the reverse. Pages are for people.
func TestOpenAPI_Routes(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	doc := s.description(t)
	served := map[string]bool{}
	for _, route := range s.App.GetRoutes(true) {
		shape := strings.HasSuffix(route.Path, ".geojson") // GeoJSON of the path before it (rule X67)
		if route.Method == fiber.MethodGet && !shape && (strings.HasPrefix(route.Path, "/v1/") || route.Path == "/openapi.json") {
			served[openapi.Template(route.Path)] = true
		}
	}
	if len(served) == 0 {
		t.Fatal("no routes")
	}
	for path := range served {
		if doc.Paths.Value(path) == nil {
			t.Errorf("%s is not in the document", path)
		}
	}
	for path := range doc.Paths.Map() {
		if !served[path] {
			t.Errorf("%s is not served", path)
		}
	}
}

// TestOpenAPI_Parameters: each row of the table is in the document, under both names, and nothing else is.
func TestOpenAPI_Parameters(t *testing.T) {
	t.Parallel()
	doc := newSite(t, oracle(nil)).description(t)
	want := map[string]bool{}
	for _, e := range service.Endpoints() {
		for _, p := range params.New("", nil).Rows(e.Takes) {
			if p.InPath {
				continue
			}
			op := doc.Paths.Value(openapi.Template(e.Path)).Get
			want[openapi.Template(e.Path)+" "+p.Name] = true
			d := op.Parameters.GetByInAndName("query", p.Name)
			if d == nil || d.Required != p.RequiredBy(e.Takes) || !strings.HasPrefix(d.Description, p.Help) || d.Deprecated {
				t.Errorf("%s: %s is %+v", e.Path, p.Name, d)
			}
			if p.Legacy == "" {
				continue
			}
			want[openapi.Template(e.Path)+" "+p.Legacy] = true
			if d := op.Parameters.GetByInAndName("query", p.Legacy); d == nil || !d.Deprecated {
				t.Errorf("%s: %s is %+v", e.Path, p.Legacy, d)
			}
		}
	}
	if len(want) < 60 {
		t.Errorf("only %d parameters", len(want))
	}
	for path, item := range doc.Paths.Map() {
		for _, p := range item.Get.Parameters {
			if p.Value.In == "query" && !want[strings.Replace(path, "/liens", "/filings", 1)+" "+p.Value.Name] {
				t.Errorf("%s: %s is not in the table", path, p.Value.Name)
			}
		}
	}
	renamed := newSite(t, oracle(nil), func(c *service.Config) { c.LegacyHasDataName = "has_vendor_data" }).description(t)
	if renamed.Paths.Value("/v1/filings").Get.Parameters.GetByInAndName("query", "has_vendor_data") == nil {
		t.Error("the name that is a setting is not in the document")
	}
}

// TestOpenAPI_Served: it needs no key, counts nothing, and is cached and compressed like other responses.
func TestOpenAPI_Served(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil), func(c *service.Config) { c.CORSOrigins = []string{"https://a.example"} })
	a := s.get(t, "", "/openapi.json", "Origin", "https://a.example")
	tag := a.header.Get("ETag")
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "public, no-cache", "Vary": "Accept-Encoding, Origin",
		"Access-Control-Allow-Origin": "https://a.example", "Strict-Transport-Security": "max-age=31536000", "X-RateLimit-Limit": "",
	} {
		if got := a.header.Get(name); got != want || a.status != http.StatusOK {
			t.Errorf("%d, %s %q, want %q", a.status, name, got, want)
		}
	}
	if !json.Valid([]byte(a.body)) {
		t.Errorf("body %.100s", a.body)
	}
	for _, coding := range []string{"gzip", "br", "identity"} {
		got := s.get(t, "", "/openapi.json", "Accept-Encoding", coding)
		if (got.header.Get("Content-Encoding") == "gzip") != (coding == "gzip") || decoded(t, got) != a.body || got.header.Get("ETag") != tag {
			t.Errorf("%s: %v %.100q", coding, got.header, got.body)
		}
	}
	if a := s.get(t, "", "/openapi.json", "If-None-Match", tag); a.status != http.StatusNotModified || a.body != "" || a.header.Get("ETag") != tag {
		t.Errorf("with its tag: %d %q %v", a.status, a.body, a.header)
	}
	if a := s.do(t, http.MethodHead, "", "/openapi.json"); a.status != http.StatusOK || a.body != "" || a.header.Get("ETag") != tag {
		t.Errorf("HEAD: %d %q %v", a.status, a.body, a.header)
	}
	if a := send(t, s.App, http.MethodOptions, "/openapi.json", "Origin", "https://a.example", "Access-Control-Request-Method", "GET"); a.status != http.StatusNoContent {
		t.Errorf("preflight: %d", a.status)
	}
	s.get(t, access.Free, "/openapi.json")
	if used, err := s.Store.Show(t.Context(), "user-free"); err != nil || used.Used != 0 {
		t.Errorf("the document was counted: %+v, %v", used, err)
	}
	for _, path := range []string{"/openapi.json/", "/openapi.yaml"} {
		if a := s.get(t, "", path); a.status != http.StatusUnauthorized {
			t.Errorf("%s without a key: %d", path, a.status)
		}
	}
	if a := s.do(t, http.MethodPost, access.Free, "/openapi.json"); a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", a.status, a.header.Get("Allow"))
	}
}
