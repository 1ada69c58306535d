package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"filings/service"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/servicetest"
)

// TestX50_Nested: a message of lists in lists in lists is refused whoever sends it, and at once: it
// took 17 seconds and 0.8 GB.
func TestX50_Nested(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	nested := strings.Repeat("[", 9990) + strings.Repeat(" ", 40_000) + strings.Repeat("]", 9990)
	message := messageOf("search_filings", json.RawMessage(`{"ids":`+nested+`}`))
	if a := s.post(t, "", message, "X-API-Key", "x"); a.status != http.StatusUnauthorized {
		t.Errorf("%d %s", a.status, a.body)
	}
	wantInvalid(t, s.post(t, access.Pro, message), "lists and objects of a message must be nested at most 20 deep")
}

// TestX50_TimeLimit: a tool has the time of one request.
func TestX50_TimeLimit(t *testing.T) {
	t.Parallel()
	engine := &gated{Engine: oracle(fixture(t)), gates: map[string]chan struct{}{"held": nil}} // never opens
	s := newSite(t, engine, withTools, func(c *service.Config) { c.RequestTimeout = 50 * time.Millisecond })
	r := s.tool(t, access.Pro, "search_filings", map[string]any{"city": "held"})
	if !r.IsError || !strings.HasPrefix(r.Text, "the request ran out of time") {
		t.Errorf("%+v", r)
	}
}

// TestX50_Aborted: nothing is computed for a client of a tool that has hung up by its turn, and
// nothing is counted.
func TestX50_Aborted(t *testing.T) {
	t.Parallel()
	s := newAbortable(t, false, true, true, withTools)
	before, message := s.used(t, "user-pro"), messageOf("search_filings", map[string]any{"city": "new"})
	client, server := s.begin(t, postTo("/mcp", s.address, s.Keys[access.Pro], message))
	s.waits(t, 1)
	_ = client.Close()
	servicetest.Until(t, "its end arrives", func() bool { return edge.HungUp(server) })
	s.free()
	s.logged(t, 499, 1)
	if used := s.used(t, "user-pro"); used != before || s.engine.calls.Load() != 6 {
		t.Errorf("%d requests counted, %d before; %d calls", used, before, s.engine.calls.Load())
	}
}

// TestX50_RefusedByTheProtocol: a call that the protocol refuses is not computed and costs nothing
// of the quota. What a client accepts refuses nothing: JSON is sent.
func TestX50_RefusedByTheProtocol(t *testing.T) {
	t.Parallel()
	engine := &counting{Engine: oracle(fixture(t))}
	s := newSite(t, engine, withTools)
	call := messageOf("get_filing", map[string]any{"id": 1})
	send := func(tt []string) (response, int64, int64) {
		calls, used := engine.calls.Load(), s.used(t, "user-pro")
		a := s.raw(t, access.Pro, call, tt...)
		return a, engine.calls.Load() - calls, s.used(t, "user-pro") - used
	}
	for _, tt := range [][]string{
		{"Content-Type", "application/json", "Accept", "application/json"}, {"Content-Type", "application/json"},
		{"Content-Type", "application/json", "Accept", "text/event-stream"},
		{"Content-Type", "application/json", "Accept", "text/html"},
	} {
		a, _, used := send(tt)
		if a.status != http.StatusOK || !strings.Contains(a.body, `"text":"{\"success\":true`) || used != 1 {
			t.Errorf("%v: %d %s, costs %d", tt, a.status, a.body, used)
		}
	}
	for _, tt := range [][]string{
		{"Content-Type", "text/plain"}, {"X", "y"},
		{"Content-Type", "application/json", "Mcp-Protocol-Version", "2020-01-01"},
		{"Content-Type", "application/json", "Mcp-Protocol-Version", "2026-07-28"},
		{"Content-Type", "application/json", "Last-Event-ID", "1"},
	} {
		a, calls, used := send(tt)
		if a.status < 400 || calls != 0 || used != 0 || a.remaining(t) != 99_996 {
			t.Errorf("%v: %d %s, %d calls, costs %d, %d remain", tt, a.status, a.body, calls, used, a.remaining(t))
		}
	}
	without := strings.Replace(call, `"id":1,"jsonrpc"`, `"id":null,"jsonrpc"`, 1)
	wantInvalid(t, s.post(t, access.Pro, without), "id must be a text, or an integer below 2^53")
	if used := s.used(t, "user-pro"); used != 4 {
		t.Errorf("%d count", used)
	}
}

// postTo is a request that posts a message.
func postTo(target, host, key, message string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", target, host, key, len(message), message)
}

// TestX50_BodyWithQuery: neither a query behind /mcp nor a host before it makes a difference to how long a message may be.
func TestX50_BodyWithQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	l := listenTLS(t, s.App)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for target, want := range map[string]int{
		"/mcp": 200, "/mcp?x=1": 200, "/mcp?": 200, "/mcpx": 413, "/v1/me?/mcp": 413,
		"https://localhost/mcp": 200, "https://localhost/mcp?x": 200, "https://localhost/v1/me": 413, "https://": 413, "/v1://x/mcp": 413,
	} {
		body := ping + strings.Repeat(" ", 60_000)
		if all := l.raw(t, postTo(target, "localhost", s.Keys[access.Pro], body)); len(all) == 0 || all[0].status != want {
			t.Errorf("%s: %v, want %d", target, all, want)
		}
	}
}

// TestP5_ManyNames: a query of more than a hundred names is refused, whatever they are, on each
// path that reads one.
func TestP5_ManyNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	for _, target := range []string{"/v1/filings?", "/v1/filings?limit=5&cursor=*&", "/v1/filings/changes?", "/v1/me?"} {
		if a := s.get(t, access.Pro, target+filled("a%d&", 380)); strings.Contains(a.body, "different names") {
			t.Errorf("%s: %d %s", target, a.status, a.body)
		}
		wantInvalid(t, s.get(t, access.Pro, target+filled("a%d&", 12_000)), "query must have at most 100 different names")
	}
	wantInvalid(t, s.get(t, access.Pro, "/v1/owners?"+filled("a%d&", 12_000)), "unknown parameter a0; this endpoint has") // the first one is refused there
	arguments := map[string]any{}
	for i := range 101 {
		arguments[fmt.Sprint("a", i)] = 1
	}
	if r := s.tool(t, access.Pro, "search_filings", arguments); !r.IsError || r.Text != "arguments must be at most 100" {
		t.Errorf("%+v", r)
	}
}

// TestE2_LongPath: a path that is longer than any is no URL, whatever is in it.
func TestE2_LongPath(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	l := listenTLS(t, s.App)
	plain := s.Service.Redirect(443)
	for _, piece := range []string{"/", "/..", "%2F", "a"} {
		for length, want := range map[int]int{edge.MaxPath: 404, edge.MaxPath + 1: 400, 15_000: 400} {
			path := "/v1" + strings.Repeat(piece, (length-3)/len(piece)) + strings.Repeat("a", (length-3)%len(piece))
			head := "GET " + path + "?county=" + strings.Repeat("a", 100) + " HTTP/1.1\r\nHost: h\r\n"
			known, unknown := l.raw(t, head+"X-API-Key: "+s.Keys[access.Pro]+"\r\n\r\n"), l.raw(t, head+"\r\n")
			if len(known) != 1 || known[0].status != want || len(unknown) != 1 || unknown[0].status != 401 {
				t.Errorf("%d bytes of %s: %v, and without a key %v", length, piece, known, unknown)
			}
			if a := send(t, plain, http.MethodGet, path); a.status != map[int]int{404: 308, 400: 400}[want] {
				t.Errorf("plain, %d bytes of %s: %d %v", length, piece, a.status, a.header)
			}
		}
	}
}

// TestX3_PriceReadsNothing: the price of a page is known without reading what it selects.
func TestX3_PriceReadsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for query, want := range map[string]int64{
		"&limit=1000": 10, "&limit=101": 2, "&limit=5000": 10, "": 1, "&limit=-1": 0, "&limit=x": 0,
	} {
		used := s.used(t, "user-enterprise")
		a := s.get(t, access.Enterprise, "/v1/filings?cursor=*&polygon=28.4,-82;28.6,-82;28.6,-81"+query)
		if got := s.used(t, "user-enterprise") - used; got != want || a.status != 200 && got != 0 {
			t.Errorf("%s: %d, costs %d, want %d", query, a.status, got, want)
		}
	}
}

// TestOpenAPI_PathsRepeated: a path that is wanted a thousand times is there once.
func TestOpenAPI_PathsRepeated(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	once := s.get(t, "", "/openapi.json?paths=/v1/filings")
	a := s.get(t, "", "/openapi.json?paths="+strings.Repeat("/v1/filings,", 1200))
	if a.status != 200 || a.body != once.body {
		t.Errorf("%d, %d bytes, want %d", a.status, len(a.body), len(once.body))
	}
}

// TestX64_ArraysAsText: a list that comes as the text of a JSON array is that array, in each tool,
// in sums too. What only looks like one is refused where it would exclude nothing; what is searched
// is a text.
func TestX64_ArraysAsText(t *testing.T) {
	t.Parallel()
	s := newSite(t, grown(fixture(t)), withTools)
	var since struct {
		Since []string `json:"changes_since"`
	}
	if err := json.Unmarshal([]byte(s.tool(t, access.Pro, "describe_data", nil).Text), &since); err != nil {
		t.Fatal(err)
	}
	for tool, needed := range map[string]string{
		"search_filings": `"limit":50`, "summarize_filings": `"by":"[\"county\",\"year\"]"`, "list_changes": `"since":"` + since.Since[0] + `"`,
	} {
		for name, value := range map[string]string{
			"filing_types": `["Tax Lien","Municipal Lien"]`, "exclude_filing_types": `["Tax Lien"]`, "categories": `["residential"]`,
			"exclude_categories": `["residential"]`, "exclude_counties": `["Orange, FL","Lee, FL"]`, "exclude_holders": `["County"]`,
			"ids": `[1, 2.0]`, "county": `["Orange, FL"]`, "filing_type": ` [ "Tax Lien" ] `, "min_amount": `[5]`, "exclude_filing_types ": `[]`,
		} {
			name = strings.TrimSpace(name)
			text, _ := json.Marshal(value)
			asArray := json.RawMessage(fmt.Sprintf(`{%s,%q:%s}`, needed, name, value))
			asText := json.RawMessage(fmt.Sprintf(`{%s,%q:%s}`, needed, name, text))
			want, got := s.tool(t, access.Pro, tool, asArray), s.tool(t, access.Pro, tool, asText)
			if want.IsError || got.IsError || rawData(t, got.Text) != rawData(t, want.Text) {
				t.Errorf("%s %s: %s, want %s", tool, asText, got.Text, want.Text)
			}
		}
		for _, value := range []string{`"[Tax Lien]"`, `"['Tax Lien']"`, `["[\"Tax Lien\"]"]`, `"[[\"Tax Lien\"]]"`, `"[null]"`} {
			for _, name := range []string{"exclude_filing_types", "filing_types", "exclude_holders"} {
				r := s.tool(t, access.Pro, tool, json.RawMessage(fmt.Sprintf(`{%s,%q:%s}`, needed, name, value)))
				if !r.IsError || !strings.HasPrefix(r.Text, `"`+name+`" must be `) {
					t.Errorf("%s %s %s: %s", tool, name, value, r.Text)
				}
			}
		}
	}
	brackets := s.tool(t, access.Pro, "search_filings", map[string]any{"exclude_filing_types": []string{"[Tax Lien]"}, "q": `["a"]`})
	if d := brackets.document(t); d.Pagination.Total != 0 || !strings.Contains(d.Hint, "nothing here matches") {
		t.Errorf("%s", brackets.Text)
	}
	if r := s.tool(t, access.Pro, "get_filing", map[string]any{"id": 1, "fields": `["owner"]`}); r.IsError || strings.Contains(r.Text, "county") {
		t.Errorf("%s", r.Text)
	}
	for _, ids := range []any{[]int{1, 2}, "[1,2]", []int{2, 1}} {
		want := "id must be one: call the tool for each of several, or search_filings with ids"
		if r := s.tool(t, access.Pro, "get_filing", map[string]any{"id": ids}); !r.IsError || r.Text != want {
			t.Errorf("%v: %s", ids, r.Text)
		}
	}
	for _, arguments := range []string{`{"id":null}`, `{}`, `{"id":[]}`, `{"id":"[]"}`} {
		if r := s.tool(t, access.Pro, "get_filing", json.RawMessage(arguments)); !r.IsError || !strings.HasPrefix(r.Text, "id must be an integer") {
			t.Errorf("%s: %s", arguments, r.Text)
		}
	}
}

// TestX51_CountiesOfAState: a cursor holds the state and the generation of a list of counties.
func TestX51_CountiesOfAState(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 300 {
		state := []string{"FL", "GA"}[i%2]
		names = append(names, fmt.Sprintf("County %c%c, %s", 'A'+i%26, 'a'+i/26, state))
	}
	s := newSite(t, oracle(ofCounties(t, names...)), withTools)
	var got []string
	for arguments := map[string]any{"state": "fl", "limit": nil}; arguments != nil; {
		d := s.tool(t, access.Enterprise, "list_counties", arguments).document(t)
		for _, row := range d.Data {
			got = append(got, string(row))
		}
		if arguments = nil; d.Pagination.More {
			arguments = map[string]any{"cursor": *d.Pagination.Next}
			other := map[string]any{"cursor": *d.Pagination.Next, "state": "GA"}
			r := s.tool(t, access.Enterprise, "list_counties", other)
			if !r.IsError || r.Text != `state must be omitted, or be "fl" as on the first page` {
				t.Errorf("%+v", r)
			}
		}
	}
	if a := s.get(t, access.Enterprise, "/v1/coverage?state=FL"); "["+strings.Join(got, ",")+"]" != rawData(t, a.body) {
		t.Errorf("%d counties: %v", len(got), got)
	}
	r := s.tool(t, access.Pro, "list_counties", map[string]any{"cursor": "Orange, FL"})
	if !r.IsError || r.Text != "cursor must be *, or the next_cursor of a page: this one is damaged" {
		t.Errorf("%+v", r)
	}
}

// TestX51_DescribeInLittle: fields that do not fit into a result are left out, and that is said.
func TestX51_DescribeInLittle(t *testing.T) {
	t.Parallel()
	for _, most := range []int{5_000, 6_000, 24_000} {
		s := newSite(t, oracle(fixture(t)), withTools, func(c *service.Config) { c.MCPResult = most })
		r := s.tool(t, access.Enterprise, "describe_data", nil)
		d := r.document(t)
		if r.Bytes > most || len(d.Data) < 5 || (d.Hint != "") != strings.Contains(r.Text, "only the first") || most == 5_000 && d.Hint == "" {
			t.Errorf("%d: %d bytes, %d fields: %s", most, r.Bytes, len(d.Data), d.Hint)
		}
	}
}

// TestX50_UnknownMethod: a method that there is not is an error of JSON-RPC with the request's id,
// in each revision.
func TestX50_UnknownMethod(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	const want = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"there is no method \"tools\\\"x\""}}`
	for _, revision := range []string{"", "2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, id := range []string{"7", `"a\u0062"`} {
			a := s.post(t, access.Pro, ` {"jsonrpc":"2.0","method":"tools\"x","id":`+id+`}`, "Mcp-Protocol-Version", revision)
			if a.status != 200 || a.body != fmt.Sprintf(want, id) || a.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %d %v %s", revision, a.status, a.header, a.body)
			}
		}
	}
	if a := s.post(t, access.Pro, `{"jsonrpc":"2.0","method":"x"}`); a.status != http.StatusBadRequest {
		t.Errorf("a notification: %d %s", a.status, a.body)
	}
}

// TestX50_EncodedName: the name of a tool in a header may be in base64.
func TestX50_EncodedName(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_filing","arguments":{"id":1},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
	for name, want := range map[string]int{
		"get_filing": 200, "=?base64?Z2V0X2ZpbGluZw==?=": 200, "=?base64?Z2V0?=": 400, "=?base64?%?=": 400, "Z2V0X2ZpbGluZw==": 400,
	} {
		a := s.post(t, access.Pro, message, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
		if a.status != want || (want == 200) != strings.Contains(a.body, `"text":"{\"success\":true`) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}
