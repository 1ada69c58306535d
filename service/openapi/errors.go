package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// errorResponse is the response to all errors of a status, or, as default, of every status that any request can meet.
type errorResponse struct {
	status, name string
	errors       []Error
	headers      []string
}

// errorsOf returns the responses to errors, from the table of errors; that to what is missing only with misses. What does
// not depend on the operation (another method, a request that is too large or too slow) is described once, as default.
func (b *builder) errorsOf(misses bool) (all []errorResponse) {
	routed := slices.Concat(always, []string{headerIgnored, headerApplied, headerDeprecated, headerLink})
	all = []errorResponse{
		{status: "400", name: "BadRequest", headers: routed},
		{status: "401", name: "Unauthorized", headers: []string{headerRequestID}},
		{status: "404", name: "NotFound", headers: routed},
		{status: "429", name: "TooManyRequests", headers: slices.Concat(always, []string{headerRetryAfter})},
		{status: "500", name: "Failure", headers: routed},
		{status: "default", name: "Refused", headers: always},
	}
	for _, e := range b.api.Errors {
		i := slices.IndexFunc(all, func(r errorResponse) bool { return r.status == strconv.Itoa(e.Status) || r.status == "default" })
		all[i].errors = append(all[i].errors, e)
	}
	if !misses {
		all = slices.DeleteFunc(all, func(r errorResponse) bool { return r.name == "NotFound" })
	}
	return all
}

// errorResponses are the responses to errors, with an example of each.
func (b *builder) errorResponses() openapi3.ResponseBodies {
	all := openapi3.ResponseBodies{}
	for _, r := range b.errorsOf(true) {
		var examples []Example
		var text strings.Builder
		schema := "Error"
		for i, e := range r.errors {
			if e.Flat {
				schema = "FlatError"
			}
			fmt.Fprintf(&text, "- %d `%s`: %s\n", e.Status, e.Code, e.Message)
			examples = append(examples, Example{fmt.Sprintf("%s_%d", e.Code, i+1), e.Message, e.Body})
		}
		all[r.name] = response(text.String(), r.headers, jsonContent(refTo(schema), examples))
	}
	return all
}

// codes is the schema of the codes of errors with, or without, the flat body.
func (b *builder) codes(flat bool) *openapi3.Schema {
	s := of("string", "")
	s.Description = "Machine-readable code."
	for _, e := range b.api.Errors {
		if e.Flat == flat && !slices.Contains(s.Enum, any(e.Code)) {
			s.Enum = append(s.Enum, e.Code)
		}
	}
	return s
}
