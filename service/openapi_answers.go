package service

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"filings/service/openapi"
)

const (
	headerETag       = fiber.HeaderETag
	headerLink       = fiber.HeaderLink
	headerRetryAfter = fiber.HeaderRetryAfter
)

// exampleRequestID stands in examples.
const exampleRequestID = "req_0123456789abcdef0123456789abcdef"

// always are the headers of every answer to a known caller; a 401 has the first alone.
var always = []string{headerRequestID, headerLimit, headerRemaining, headerReset}

// headerComponents are the headers of answers that a client may want to read: those that scripts may (exposed).
func headerComponents() (all openapi.Named[openapi.Header]) {
	whole, text := openapi.Of(openapi.Integer, "int64"), openapi.Of(openapi.String, "")
	for _, h := range []struct {
		name   string
		schema *openapi.Schema
		help   string
	}{
		{headerRequestID, text, "Unique identifier of the request, to be told to support."},
		{headerLimit, whole, "The quota, in requests: a UTC day's, or for life in the free tier."},
		{headerRemaining, whole, "Requests that are left of it."},
		{headerReset, whole, "Unix time of the next midnight UTC, when a daily quota begins anew."},
		{headerRetryAfter, whole, "Seconds until another request may succeed. Absent where no time will help: a lifetime quota is used up."},
		{headerIgnored, text, "Names of parameters that the endpoint does not know, comma-separated."},
		{headerApplied, text, "The preference of `Prefer` that was heeded: `handling=strict` or `handling=lenient`."},
		{headerETag, text, "Weak tag of the answer, for `If-None-Match`."},
		{headerDeprecated, text, "On legacy paths only: since when they are deprecated, as `@` and a Unix time (RFC 9745)."},
		{headerLink, text, "On legacy paths only: the current path, as `rel=\"successor-version\"`."},
	} {
		all.Add(h.name, openapi.Header{Description: h.help, Schema: h.schema})
	}
	return all
}

func headerRefs(names ...string) (refs openapi.Named[openapi.Header]) {
	for _, name := range names {
		refs.Add(name, openapi.Header{Ref: "#/components/headers/" + name})
	}
	return refs
}

// errorAnswer is the answer to all errors of a status, or, as default, of every status that any request can meet.
type errorAnswer struct {
	status, name string
	kinds        []kindOfError
	headers      []string
}

// errorsOf returns the answers to errors, from the table of errors; that to what is missing only with misses. What is no
// matter of an operation (another method, a request that is too large or too slow) is told once, as default.
func errorsOf(misses bool) (all []errorAnswer) {
	routed := slices.Concat(always, []string{headerIgnored, headerApplied, headerDeprecated, headerLink})
	all = []errorAnswer{
		{status: strconv.Itoa(http.StatusBadRequest), name: "BadRequest", headers: routed},
		{status: strconv.Itoa(http.StatusUnauthorized), name: "Unauthorized", headers: []string{headerRequestID}},
		{status: strconv.Itoa(http.StatusNotFound), name: "NotFound", headers: routed},
		{status: strconv.Itoa(http.StatusTooManyRequests), name: "TooManyRequests", headers: append(slices.Clone(always), headerRetryAfter)},
		{status: strconv.Itoa(http.StatusInternalServerError), name: "Failure", headers: routed},
		{status: "default", name: "Refused", headers: always},
	}
	for _, k := range tellable() {
		i := slices.IndexFunc(all, func(a errorAnswer) bool { return a.status == strconv.Itoa(k.status) || a.status == "default" })
		all[i].kinds = append(all[i].kinds, k)
	}
	if !misses {
		all = slices.DeleteFunc(all, func(a errorAnswer) bool { return a.name == "NotFound" })
	}
	return all
}

// tellable returns the rows of the table of errors that a client can tell apart, each with a message.
func tellable() (rows []kindOfError) {
	for _, k := range kindsOfErrors {
		if k.is == errInvalid {
			k.message = "limit must be between 1 and 100" // an error of its own says which parameter, and what it must be
		}
		same := func(r kindOfError) bool { return r.status == k.status && r.code == k.code && r.message == k.message }
		if !slices.ContainsFunc(rows, same) {
			rows = append(rows, k)
		}
	}
	return rows
}

// codes is the schema of the codes of errors with, or without, the flat body.
func codes(flat bool) *openapi.Schema {
	s := openapi.Of(openapi.String, "").Described("Machine-readable code.")
	for _, k := range kindsOfErrors {
		if k.flat == flat && !slices.Contains(s.Enum, k.code) {
			s.Enum = append(s.Enum, k.code)
		}
	}
	return s
}

// errorResponses are the answers to errors, with an example of each, written by the code that answers.
func errorResponses() (all openapi.Named[openapi.Response]) {
	for _, a := range errorsOf(true) {
		var examples openapi.Named[openapi.Example]
		var text strings.Builder
		body := "Error"
		for i, k := range a.kinds {
			if k.flat {
				body = "FlatError"
			}
			fmt.Fprintf(&text, "- %d `%s`: %s\n", k.status, k.code, k.message)
			example := (&call{id: exampleRequestID}).appendError(nil, k, k.message)
			examples.Add(fmt.Sprintf("%s_%d", k.code, i+1), openapi.Example{Summary: k.message, Value: raw(example)})
		}
		all.Add(a.name, openapi.Response{
			Description: text.String(), Headers: headerRefs(a.headers...), Content: json200(openapi.To(body), examples),
		})
	}
	return all
}

// documentOperation describes the document itself.
func documentOperation() *openapi.Operation {
	o := &openapi.Operation{
		ID: "getOpenAPI", Tags: []string{tagDocument}, Summary: "This document",
		Description: "The OpenAPI description of the API. It needs no key and counts nothing.", Security: &[]openapi.Requirement{},
		Parameters: []openapi.Parameter{{Ref: parameterRef + headerIfNoneMatch}},
	}
	headers := headerRefs(headerRequestID, headerETag)
	o.Responses.Add("200", openapi.Response{Description: "The document.", Headers: headers, Content: json200(openapi.Of(openapi.Object, ""), nil)})
	o.Responses.Add("304", openapi.Response{Description: "What `If-None-Match` names still holds. No body.", Headers: headers})
	return o
}
