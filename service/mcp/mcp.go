// Package mcp lets assistants call the API as tools, by the Model Context Protocol over Streamable HTTP (rules X50 to X52).
// It owns the table of tools, what a call of one stands for, and what becomes of the response. It refuses to know keys,
// quotas and how requests are handled: package service does that, for a call as for any other request.
//
// # Design
//
// A tool is a row of one table (tools.go), and stands for an endpoint of the API. Its arguments are the endpoint's parameters:
// their schema is made from the table of parameters, and a call is a query string again (arguments.go), so that values, messages and
// names are read where they always are. The result is the endpoint's response, rows byte for byte, with a few members more
// (call.go). Where it would be larger than a result may be, the handler is called again for fewer rows: so the cursor in it stands
// after the last row that is sent, and still holds the limit that the client wanted.
//
// The protocol is the official SDK's: versions, headers, notifications, errors. It keeps no sessions, and nothing of a client. A tool is run
// before the SDK sees the message, on the goroutine of its request; what it calls then only hands over the result. So no tool runs that was
// not charged, however the two read a message, and the SDK's goroutines touch no request. The SDK is a handler of net/http; Serve
// calls it with a request and a writer that hold bytes, which was measured to be as fast as a listener of net/http. In the place of
// a result's text the SDK has a mark: it would encode the text four times, which took half of a call's CPU.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"filings/service/params"
)

// MaxBody is how many bytes a message may have.
const MaxBody = 64 << 10

// Server answers messages of clients.
type Server struct {
	handler http.Handler
	tools   map[string]*tool
	most    int // bytes of a result
}

// New returns a server whose results have at most so many bytes, as they are sent.
func New(table *params.Table, most int) (*Server, error) {
	s := &Server{tools: map[string]*tool{}, most: most}
	no := false
	server := sdk.NewServer(&sdk.Implementation{Name: "filings", Title: "County filings", Version: "2.1.0"}, &sdk.ServerOptions{
		Instructions:              instructions,
		Capabilities:              &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // which never change, so there is nothing to listen to
		SupportedProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"},
	})
	for _, t := range tools() {
		schema, err := t.schema(table)
		if err != nil {
			return nil, err
		}
		s.tools[t.name] = &t
		server.AddTool(&sdk.Tool{
			Name: t.name, Title: t.title, Description: t.text, InputSchema: schema,
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		}, resultOf)
	}
	s.handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: MaxBody, // package service looks at both
	})
	return s, nil
}

type callKey struct{}

// resultOf hands over the result of the call that Serve was given.
func resultOf(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c, _ := ctx.Value(callKey{}).(*Call)
	if c == nil || c.result == nil || c.tool.name != req.Params.Name {
		return nil, errors.New("this message can be read in two ways")
	}
	return c.result, nil
}

// Read returns the call of a tool that a message is; nil for any other.
func (s *Server) Read(message []byte) *Call {
	var request, given map[string]json.RawMessage // structs would take names in any case
	var method, name string
	if json.Unmarshal(message, &request) != nil || json.Unmarshal(request["method"], &method) != nil || method != "tools/call" || request["id"] == nil {
		return nil
	}
	if json.Unmarshal(request["params"], &given) != nil || json.Unmarshal(given["name"], &name) != nil || s.tools[name] == nil {
		return nil
	}
	c := &Call{tool: s.tools[name], rows: maxRows, most: s.most}
	c.Err = c.read(given["arguments"])
	return c
}

// Check returns what is wrong with a body that is to be a message, nil where nothing is. The SDK would round an id that is no integer of JavaScript, ignore what
// follows a message, and name its own types.
func Check(body []byte) error {
	var message map[string]json.RawMessage
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'['}) {
		return errors.New("a request to /mcp must have one message: batches are not accepted")
	}
	if !utf8.Valid(body) || json.Unmarshal(body, &message) != nil || message == nil {
		return errors.New("a request to /mcp must have one message, which is an object of JSON in UTF-8")
	}
	if id := message["id"]; len(id) > 0 && id[0] != '"' && string(id) != "null" {
		if n, err := strconv.ParseInt(string(id), 10, 64); err != nil || n >= 1<<53 || n <= -1<<53 {
			return errors.New("id must be a text, or an integer below 2^53")
		}
	}
	if given := message["params"]; len(given) > 0 && given[0] != '{' && string(given) != "null" {
		return errors.New("params must be an object")
	}
	return nil
}

// internal is what the SDK says of its own types, in the message of an error.
var internal = regexp.MustCompile(`: unmarshaling (?:[^"\\]|\\.)*`)

// Response is what the SDK responds.
type Response struct {
	Status int
	Body   []byte
	header http.Header
}

// Serve responds to a request. c is the call that its body is, with a result; nil for anything else.
func (s *Server) Serve(method string, header http.Header, body []byte, c *Call) *Response {
	// Without a deadline: the SDK would leave a request in the middle. Nothing in it waits for anybody.
	ctx := context.WithValue(context.Background(), callKey{}, c)
	r, err := http.NewRequestWithContext(ctx, method, "/mcp", io.NopCloser(bytes.NewReader(body)))
	if err != nil { // a method that is none
		return &Response{Status: http.StatusMethodNotAllowed}
	}
	r.Header = header
	w := &Response{Status: http.StatusOK, header: http.Header{}}
	s.handler.ServeHTTP(w, r)
	if bytes.Contains(w.Body, []byte(`"error":{"code":`)) {
		w.Body = internal.ReplaceAll(w.Body, nil)
	}
	if c != nil && c.text != nil {
		w.Body = c.insert(w.Body)
	}
	return w
}

// Header implements http.ResponseWriter.
func (r *Response) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *Response) WriteHeader(status int) { r.Status = status }

// Write implements http.ResponseWriter.
func (r *Response) Write(b []byte) (int, error) {
	r.Body = append(r.Body, b...)
	return len(b), nil
}
