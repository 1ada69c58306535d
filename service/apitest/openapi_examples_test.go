package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"filings/index"
	"filings/index/synthetic"
	"filings/service/access"
)

// synthesized returns n synthetic filings, as `filings demo` makes them, that end at now.
func synthesized(n int) []*index.Filing {
	g := synthetic.NewUntil(1, now)
	all := make([]*index.Filing, n)
	for i := range all {
		all[i] = &index.Filing{}
		g.Next(all[i])
	}
	return all
}

// exported writes how many rows an export has as the list writes its data.
func exported(a response) string {
	return fmt.Sprintf(`{"data":"%3s"}`, a.header.Get("X-Total-Count"))
}

// TestOpenAPI_Examples sends every example in the document, one at a time, as the document says to: each is
// accepted by it, and finds something.
func TestOpenAPI_Examples(t *testing.T) {
	t.Parallel()
	filings := synthesized(3000)
	s := newSite(t, grown(filings))
	doc := s.description(t)
	requests := 0
	zips := map[string]int{}
	for _, f := range filings {
		zips[index.Derive(f).ZIP]++
	}
	delete(zips, "")
	zip := slices.MaxFunc(slices.Collect(maps.Keys(zips)), func(a, b string) int { return cmp.Or(zips[a]-zips[b], strings.Compare(a, b)) })
	for path, item := range doc.Paths.Map() {
		if path == "/openapi.json" {
			continue
		}
		optional := []string{""}
		for _, p := range item.Get.Parameters {
			if p.Value.In == "query" && !p.Value.Required {
				optional = append(optional, p.Value.Name)
			}
		}
		for _, name := range optional {
			target := strings.NewReplacer("20261122-051422.061847", "20260315-000000.000000", "20261121-051409.330172", "20260314-000000.000000", "after=1200345", "after=2",
				"zip=32801", "zip="+zip, "mvt?has_coordinates=false", "mvt?has_coordinates=true").Replace(
				exampleRequest(t, path, item.Get, name)) // the generation, a filing and a ZIP code that there are
			checkRequest(t, doc, path, target)
			a := s.get(t, access.Enterprise, target)
			switch path {
			case "/v1/filings/export":
				a.body = exported(a)
			case "/v1/tiles.json":
				a.body = `{"data":` + a.body + `}`
			case "/v1/tiles/{generation}/{z}/{x}/{y}.mvt":
				a.body = fmt.Sprintf(`{"data":"%d bytes"}`, len(a.body))
			}
			if a.status != http.StatusOK || a.header.Get("X-Ignored-Parameters") != "" || len(a.document(t).Data) < 3 {
				t.Errorf("%s: %d %v %.300s", target, a.status, a.header, a.body)
			}
			requests++
		}
	}
	if requests < 60 {
		t.Errorf("only %d examples", requests)
	}
}

// exampleRequest puts together what the document suggests: what is required, and the parameter name unless it is "".
// Edges of a box come together, and companions.
func exampleRequest(t testing.TB, path string, op *openapi3.Operation, name string) string {
	t.Helper()
	query := url.Values{}
	companions := map[string]string{"after": "generation", "near": "radius", "radius": "near"}
	for _, ref := range op.Parameters {
		p := ref.Value
		needed := p.Required || p.Name == name ||
			strings.HasPrefix(name, "bounds_") && strings.HasPrefix(p.Name, "bounds_") || companions[name] == p.Name ||
			path == "/v1/tokens" && p.Name == "origin" // without it, endpoints are required (rule X57)
		switch {
		case !needed || p.In == "header":
		case p.In == "path":
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(inURL(t, p)[0]), 1)
		default:
			query[p.Name] = inURL(t, p)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// inURL returns the example of p as it stands in a URL: a list is repeated.
func inURL(t testing.TB, p *openapi3.Parameter) []string {
	t.Helper()
	example := p.Example
	if example == nil && len(p.Schema.Value.Examples) == 1 {
		example = p.Schema.Value.Examples[0]
	}
	list, ok := example.([]any)
	if !ok {
		list = []any{example}
	}
	var texts []string
	for _, item := range list {
		if item == nil {
			t.Errorf("%s has no example", p.Name)
		}
		if n, is := item.(float64); is {
			item = strconv.FormatFloat(n, 'f', -1, 64)
		}
		texts = append(texts, fmt.Sprint(item))
	}
	return texts
}

// checkRequest checks that the document allows a request for target.
func checkRequest(t testing.TB, doc *openapi3.T, path, target string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://h"+target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	item := doc.Paths.Value(path)
	params := map[string]string{}
	for i, part := range strings.Split(path, "/") {
		if part, _ = strings.CutSuffix(part, ".mvt"); strings.HasPrefix(part, "{") {
			value, err := url.PathUnescape(strings.TrimSuffix(strings.Split(strings.Split(target, "?")[0], "/")[i], ".mvt"))
			if err != nil {
				t.Fatal(err)
			}
			params[strings.Trim(part, "{}")] = value
		}
	}
	err = openapi3filter.ValidateRequest(t.Context(), &openapi3filter.RequestValidationInput{
		Request: req, PathParams: params,
		Route:   &routers.Route{Spec: doc, Path: path, PathItem: item, Method: http.MethodGet, Operation: item.Get},
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	})
	if err != nil {
		t.Errorf("%s: %v", target, err)
	}
}

// TestOpenAPI_Filing: the example has every field, and each tier's shape is what the schema allows.
func TestOpenAPI_Filing(t *testing.T) {
	t.Parallel()
	doc := newSite(t, oracle(nil)).description(t)
	schema := doc.Components.Schemas["Filing"].Value
	op := doc.Paths.Value("/v1/filings/{id}").Get
	examples := op.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Examples
	for _, tier := range []access.Tier{access.Free, access.Pro, access.Enterprise} {
		text, err := json.Marshal(examples[string(tier)].Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		var filing map[string]any
		if err := json.Unmarshal(response{body: string(text)}.document(t).Data, &filing); err != nil {
			t.Fatal(err)
		}
		if err := schema.VisitJSON(filing, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: %v", tier, err)
		}
		for _, name := range fieldsOf()[tier] {
			value, ok := filing[name]
			if !ok || value == nil {
				t.Errorf("%s: the example has no %s", tier, name)
			}
			delete(filing, name) // as X9's fields do, but for the id
			if missed := schema.VisitJSON(filing, openapi3.EnableJSONSchema2020()) != nil; missed != (name == "id") {
				t.Errorf("%s: the schema misses %s: %t", tier, name, missed)
			}
			filing[name] = value
		}
		if len(filing) != len(fieldsOf()[tier]) {
			t.Errorf("%s: the example has %d fields", tier, len(filing))
		}
	}
}
