package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// contract checks responses against a document.
type contract struct{ doc *openapi3.T }

// strict returns the contract of s in which no object has members that are not described: so it notices what a response
// gains.
func (s *site) strict(t testing.TB) contract {
	t.Helper()
	var document any
	if err := json.Unmarshal([]byte(s.get(t, "", "/openapi.json").body), &document); err != nil {
		t.Fatal(err)
	}
	closeObjects(document)
	closed, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return contract{parsed(t, closed)}
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["type"] == "object" && v["properties"] != nil {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeObjects(member)
		}
	case []any:
		for _, item := range v {
			closeObjects(item)
		}
	}
}

// check compares the response to a GET of target with what path, as the document has it, promises.
func (c contract) check(t testing.TB, path, target string, a response) {
	t.Helper()
	op := c.doc.Paths.Value(path).Get
	response := op.Responses.Status(a.status)
	if response == nil {
		response = op.Responses.Default()
	}
	if response == nil {
		t.Errorf("%s: %d is not in the document", target, a.status)
		return
	}
	for _, name := range exposedHeaders {
		if a.header.Get(name) != "" && response.Value.Headers[name] == nil {
			t.Errorf("%s: %d has the header %s, which is not in the document", target, a.status, name)
		}
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://h"+strings.ReplaceAll(target, `"`, "%22"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, Route: &routers.Route{Spec: c.doc, Path: path, PathItem: c.doc.Paths.Value(path), Method: http.MethodGet, Operation: op},
		},
		Status: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader([]byte(a.body))),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		t.Errorf("%s: %d: %v\n%.600s", target, a.status, err, a.body)
	}
}

// exposedHeaders are the headers that are for clients (rule K7), and what browsers always read.
var exposedHeaders = []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit", "Retry-After", "X-Request-ID",
	"X-Ignored-Parameters", "Preference-Applied", "ETag", "Deprecation", "Link", "Cache-Control"}
