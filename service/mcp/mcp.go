// Package mcp lets assistants call the API as tools, by the Model Context Protocol over Streamable
// HTTP (rules X50 to X52). It owns the table of tools, the request that a call of one stands for,
// and the form of the response. It refuses to know keys, quotas and how requests are handled:
// package service does that, for a call as for any other request.
//
// # Design
//
// A tool is a row of one table (tools.go), and stands for an endpoint of the API. Its arguments are
// the endpoint's parameters: their schema is made from the table of parameters, and a call is a
// query string again (arguments.go), so that values, messages and names are read where they always
// are. The result is a text, the endpoint's response, rows byte for byte, with a few members more
// (call.go). Where it would be larger than a result may be, the handler is called again for fewer
// rows: so the cursor in it stands after the last row that is sent, and holds the client's limit.
//
// The protocol is the official SDK's: versions, headers, notifications, errors. It keeps no
// sessions, and nothing of a client. It sees a message first, and has a mark in the place of the
// result. Only where it has taken the call is the tool run, on the goroutine of its request: so a
// call that the protocol refuses is not computed, no tool runs that was not charged, however the
// two read a message, and the SDK's goroutines touch no request. It would encode a result's text
// four times, which took half of a call's CPU. The SDK is a handler of net/http; Serve calls it
// with a request and a writer that hold bytes, which is as fast as a listener of net/http.
//
// Before a message's key is known it is looked at (message.go), and nothing of it is decoded:
// anybody can send one.
package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"filings/index"
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
	closed := false
	server := sdk.NewServer(&sdk.Implementation{Name: "filings", Title: "County filings", Version: "2.1.0"},
		&sdk.ServerOptions{
			Instructions: instructions,
			// which never change, so there is nothing to listen to
			Capabilities:              &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
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
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed},
		}, resultOf)
	}
	s.handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{
			// package service looks at both
			Stateless: true, JSONResponse: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: MaxBody,
		})
	return s, nil
}

// Read returns the call of a tool that a body is, nil for any other message, and the fault of a
// body that is no message. Arguments are left to ReadArguments, for who was admitted.
func (s *Server) Read(body []byte) (*Call, error) {
	m, err := readMessage(body)
	if err != nil || m.ID == nil || m.Params.Kind() != '{' || text(m.Method) != "tools/call" {
		return nil, err
	}
	var given callParams
	if err := json.Unmarshal(m.Params, &given, asWritten); err != nil {
		return nil, err
	}
	t := s.tools[text(given.Name)]
	if t == nil {
		return nil, nil
	}
	return &Call{Path: t.path, tool: t, arguments: given.Arguments, rows: maxRows, most: s.most}, nil
}

type callKey struct{}

// resultOf hands over the mark of the call that Serve was given, which is where the result will be.
// There is no structured content: some clients show the model that alone where there is one, so it
// would have to repeat the rows.
func resultOf(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c, _ := ctx.Value(callKey{}).(*Call)
	if c == nil || c.tool.name != req.Params.Name {
		return nil, errors.New("this message can be read in two ways")
	}
	c.Taken = true
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: mark}}}, nil
}

// internal matches the SDK's text about its own types, in the message of an error.
var internal = regexp.MustCompile(`: unmarshaling (?:[^"\\]|\\.)*`)

// Response is the SDK's response.
type Response struct {
	Status int
	Body   []byte
	header http.Header
}

// Serve responds to a request. c is the call that its body is, whose result Insert puts in; nil for
// none.
func (s *Server) Serve(method string, header http.Header, body []byte, c *Call) *Response {
	// Without a deadline: the SDK would leave a request in the middle. Nothing in it waits for anybody.
	ctx := context.WithValue(context.Background(), callKey{}, c)
	r, err := http.NewRequestWithContext(ctx, method, "/mcp", io.NopCloser(bytes.NewReader(body)))
	if err != nil { // a method that is none
		return &Response{Status: http.StatusMethodNotAllowed}
	}
	if name, ok := encodedName(header.Get("Mcp-Name")); ok {
		header.Set("Mcp-Name", name)
	}
	r.Header = header
	w := &Response{Status: http.StatusOK, header: http.Header{}}
	s.handler.ServeHTTP(w, r)
	if bytes.Contains(w.Body, []byte(`"error":{"code":`)) {
		w.Body = internal.ReplaceAll(w.Body, nil)
	}
	if w.Status == http.StatusBadRequest && bytes.HasSuffix(w.Body, []byte("\" unsupported\n")) {
		w.noMethod(body)
	}
	return w
}

// encodedName returns the name that a header has in base64, as clients send other than plain text.
func encodedName(header string) (string, bool) {
	text, begins := strings.CutPrefix(header, "=?base64?")
	text, ends := strings.CutSuffix(text, "?=")
	name, err := base64.StdEncoding.DecodeString(text)
	return string(name), begins && ends && err == nil
}

// noMethod makes r the error of a request for a method that there is not. The SDK refuses it as
// plain text in revisions before 2026-07-28.
func (r *Response) noMethod(body []byte) {
	m, err := readMessage(body)
	if err != nil || m.ID == nil { // a notification
		return
	}
	r.Status, r.header = http.StatusOK, http.Header{"Content-Type": {"application/json"}}
	r.Body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":`, m.ID)
	r.Body = append(index.AppendString(r.Body, "there is no method "+strconv.Quote(params.Shorten(text(m.Method)))),
		"}}"...)
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
