package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"filings/index"
	"filings/index/indextest/edges"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// withTools lets assistants call tools.
func withTools(c *service.Config) { c.MCP = true }

// agentResult is what a client gets of a call: its text, and how many bytes the result has as it is sent.
type agentResult struct {
	Text    string
	IsError bool
	Bytes   int
	header  http.Header
}

// post sends a message to /mcp with the key of tier; more headers follow.
func (s *site) post(t testing.TB, tier access.Tier, message string, headers ...string) response {
	t.Helper()
	usual := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	return s.raw(t, tier, message, append(usual, headers...)...)
}

// raw is post without any header but these.
func (s *site) raw(t testing.TB, tier access.Tier, message string, headers ...string) response {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
	if tier != "" {
		headers = append(headers, "X-API-Key", s.Keys[tier])
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := s.App.Test(req, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, string(body)}
}

// messageOf is the message of a call.
func messageOf(tool string, arguments any) string {
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	if err != nil {
		panic(err)
	}
	return string(message)
}

// tool calls a tool.
func (s *site) tool(t testing.TB, tier access.Tier, name string, arguments any) agentResult {
	t.Helper()
	a := s.post(t, tier, messageOf(name, arguments))
	var m struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || a.status != http.StatusOK || m.Result == nil {
		t.Fatalf("%s %v: %d %s: %v", name, arguments, a.status, a.body, err)
	}
	var r struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(m.Result, &r); err != nil || len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("%s: %v", m.Result, err)
	}
	got := agentResult{r.Content[0].Text, r.IsError, len(m.Result), a.header}
	if r.StructuredContent != nil { // which some clients show in place of the text
		t.Fatalf("%s", m.Result)
	}
	return got
}

// agentDocument is what tests look at of a result.
type agentDocument struct {
	Data       []json.RawMessage
	Pagination struct {
		Total, Limit int64
		Next         *string `json:"next_cursor"`
		More         bool    `json:"has_more"`
	}
	Rest *struct {
		Groups, Filings int64
		FilingAmount    struct {
			Count int64
			Sum   float64
		}
	}
	Hint string
}

func (r agentResult) document(t testing.TB) (d agentDocument) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.Text), &d); err != nil || r.IsError {
		t.Fatalf("%s: %v", r.Text, err)
	}
	return d
}

// client connects the official client to s, as a program elsewhere does.
func (s *site) client(t *testing.T, tier access.Tier) *sdk.ClientSession {
	t.Helper()
	l := servicetest.ListenTLS(t, s.App)
	send := *l.Client
	send.Transport = bearer{l.Client.Transport, s.Keys[tier]}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: "https://" + l.Address + "/mcp", HTTPClient: &send}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

type bearer struct {
	next http.RoundTripper
	key  string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(context.WithoutCancel(r.Context()))
	r.Header.Set("Authorization", "Bearer "+b.key)
	return b.next.RoundTrip(r)
}

// TestX50_OfficialClient: the SDK's own client connects by HTTPS, lists seven tools, all read-only, and calls one.
func TestX50_OfficialClient(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, plain *site) {
		s := newSite(t, plain.engine, withTools)
		session := s.client(t, access.Free)
		listed, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range listed.Tools {
			names = append(names, tool.Name)
			if !tool.Annotations.ReadOnlyHint || tool.Description == "" {
				t.Errorf("%s: %+v", tool.Name, tool.Annotations)
			}
		}
		if got := strings.Join(names, " "); got != "describe_data find_owners get_filing list_changes list_counties search_filings summarize_filings" {
			t.Error(got)
		}
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "search_filings", Arguments: map[string]any{"county": "Orange, FL", "min_amount": 10}})
		if err != nil || result.IsError {
			t.Fatal(err, result)
		}
		text := result.Content[0].(*sdk.TextContent).Text
		if a := s.get(t, access.Free, "/v1/filings?cursor=*&county=Orange,+FL&min_amount=10&fields="+agentFields); rawData(t, text) != rawData(t, a.body) {
			t.Errorf("%s is not %s", text, a.body)
		}
	})
}

const agentFields = "id,county,owner,propertyAddress,filingType,filingAmount,filingDate"

// rawData returns the data of a body as it stands there.
func rawData(t testing.TB, body string) string {
	t.Helper()
	var d struct{ Data json.RawMessage }
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return string(d.Data)
}

// TestX50_Refused: who may not call tools, and what is no message, by status; none of it counts against the quota.
func TestX50_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools, func(c *service.Config) { c.CORSOrigins = []string{"https://good.example"} })
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tt := range []struct {
		tier    access.Tier
		message string
		headers []string
		status  int
	}{
		{access.Free, ping, nil, 200},
		{"", ping, nil, 401},
		{"", ping, []string{"Authorization", "Bearer " + s.Keys[access.Free]}, 200},
		{"", ping, []string{"Authorization", "Bearer no"}, 401},
		{"", messageOf("list_counties", nil), []string{"X-API-Key", "no"}, 401},
		{access.Free, ping, []string{"Origin", "https://good.example"}, 200},
		{access.Free, ping, []string{"Origin", "https://bad.example"}, 403},
		{access.Free, "[" + ping + "]", nil, 400},
		{access.Free, " \n[" + messageOf("list_counties", nil) + "]", nil, 400},
		{access.Free, "{", nil, 400},
		{access.Free, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202},
		{access.Free, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`, nil, 200},
	} {
		if a := s.post(t, tt.tier, tt.message, tt.headers...); a.status != tt.status {
			t.Errorf("%.80s %v: %d %s", tt.message, tt.headers, a.status, a.body)
		}
	}
	if a := s.get(t, access.Free, "/mcp"); a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", a.status, a.header)
	}
	if used := s.used(t, "user-free"); used != 0 {
		t.Errorf("%d requests count", used)
	}
	off := newSite(t, oracle(fixture(t)))
	if a := off.post(t, access.Free, ping); a.status != http.StatusNotFound {
		t.Errorf("off: %d %s", a.status, a.body)
	}
	l := servicetest.ListenTLS(t, s.App)
	for _, tt := range []struct {
		host, body string
		status     int
	}{
		{"localhost", ping, 200}, {"127.0.0.1:1", ping, 200}, {"[::1]:8443", ping, 200},
		{"evil.example", ping, 403}, {"localhost.evil.example", ping, 403},
		{"localhost", ping + strings.Repeat(" ", 64<<10-len(ping)), 200}, {"localhost", ping + strings.Repeat(" ", 64<<10+1-len(ping)), 413},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+l.Address+"/mcp", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "X-Api-Key": {s.Keys[access.Free]}}
		res, err := l.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != tt.status {
			t.Errorf("%s, %d bytes: %d, want %d", tt.host, len(tt.body), res.StatusCode, tt.status)
		}
	}
}

// TestX51_ArgumentsAsWritten: an argument that is there twice, or would be ignored, is refused by name, and 10.0 is an integer.
func TestX51_ArgumentsAsWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	for _, tt := range []struct{ tool, arguments, refusal string }{
		{"search_filings", `{"county":"Lee, FL","limit":1,"county":"Orange, FL"}`, "county must be given only once"},
		{"search_filings", `{"county":null,"c\u006funty":"Orange, FL"}`, "county must be given only once"},
		{"search_filings", `{"limit":1,"token":"x"}`, "unknown parameter token"},
		{"search_filings", `[]`, "arguments must be an object"},
		{"search_filings", `{"limit":1.5}`, "limit must be between 1 and 100"},
		{"list_changes", `{"since":"20260314-000000.000000","limit":"0"}`, "limit must be between 1 and 100"},
		{"summarize_filings", `{"by":"county","limit":"+5"}`, "limit must be between 1 and 100"},
		{"search_filings", `{"limit":" "}`, ""},
		{"search_filings", `{"q":"\ud800"}`, "q must be whole characters: half of a surrogate pair is none"},
		{"search_filings", `{"exclude_counties":["Lee, FL","\uD83C\uD83C\uDF1E"]}`, "exclude_counties must be whole characters: half of a surrogate pair is none"},
		{"search_filings", `{"q":"\\ud800"}`, ""},
		{"search_filings", `{"q":"\uFFFD \ud83c\udf1e"}`, ""},
		{"get_filing", `{"id":1,"limit":0}`, "unknown parameter limit; this endpoint has fields, generation"},
		{"search_filings", `{"limit":1.0,"ids":[1.0,2.00],"date_range":36500.0}`, ""},
		{"get_filing", `{"id":1.0}`, ""},
		{"get_filing", `{"id":"1.0"}`, "id must be an integer from 1 to 9223372036854775807"},
		{"list_counties", `null`, ""},
	} {
		r := s.tool(t, access.Pro, tt.tool, json.RawMessage(tt.arguments))
		if r.IsError != (tt.refusal != "") || r.IsError && r.Text != tt.refusal {
			t.Errorf("%s %s: %s", tt.tool, tt.arguments, r.Text)
		}
	}
}

// TestX50_Messages: what is no message is a 400 that says what would be right, an id comes back as it was, and no response names a type
// of the program.
func TestX50_Messages(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`
	for _, tt := range []struct {
		message string
		status  int
		want    string
	}{
		{``, 400, "must have one message"},
		{`5`, 400, "must have one message"},
		{`null`, 400, "must have one message"},
		{"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 400, "must have one message"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, 400, "must have one message"},
		{call + `{"name":"search_filings","arguments":{"q":"a` + "\xff" + `"}}}`, 400, "UTF-8"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, "id must be a text, or an integer below 2^53"},
		{`{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}`, 400, "id must be a text, or an integer below 2^53"},
		{`{"jsonrpc":"2.0","id": {} ,"method":"ping"}`, 400, "id must be a text, or an integer below 2^53"},
		{`{"jsonrpc":"2.0","id": 9007199254740992 ,"method":"ping"}`, 400, "id must be a text, or an integer below 2^53"},
		{`{"jsonrpc":"2.0","id": -9007199254740991 ,"method":"ping"}`, 200, `"id":-9007199254740991,`},
		{`{"jsonrpc":"2.0","id":"\"error\":{\"code\":","method":"ping"}`, 200, `"result":{}`},
		{call + `["get_filing"]}`, 400, "params must be an object"},
		{call + `{"name":5}}`, 200, `"error":{"code":-32602`},
		{call + `{"name":"get_filing","arguments":{"id":1},"_meta":5}}`, 200, `"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`, 200, `"message":"handling 'initialize'"`},
		{call + `{"name":"search_filings","arguments":{"q":"x\": unmarshaling \"error\":{\"code\":"}}}`, 200, "describe_data and list_counties say what there is"},
	} {
		a := s.post(t, access.Pro, tt.message)
		if a.status != tt.status || !strings.Contains(a.body, tt.want) || strings.Contains(a.body, "marshal") && !strings.Contains(tt.message, "marshal") || strings.Contains(a.body, "interface {}") {
			t.Errorf("%.100s: %d %s", tt.message, a.status, a.body)
		}
	}
}

// TestX52_Price: a call costs one request, is logged as the request that it stands for, and its failures are results with the
// sentence of the API.
func TestX52_Price(t *testing.T) {
	t.Parallel()
	counted := []int64{1, 2, 3, 4, 4, 4, 4, 5, 6, 6} // with those before: wrong arguments do not (rule X60)
	s := newSiteWith(t, oracle(fixture(t)), access.Limits{access.Free: {Quota: 6, Burst: 100}, access.Starter: {Quota: 9, Burst: 9}, access.Pro: {Quota: 9, Burst: 9}, access.Enterprise: {Quota: 9, Burst: 9}}, withTools)
	for i, tt := range []struct {
		tool, arguments, target, log string
		isError                      bool
	}{
		{"search_filings", `{"county":"Orange, FL"}`, "/v1/filings?county=Orange,+FL&cursor=*&fields=" + agentFields, `"route":"/v1/filings","status":200`, false},
		{"search_filings", `{"q":"oak","limit":1000}`, "/v1/filings/search?q=oak&limit=100&cursor=*&fields=" + agentFields, `"route":"/v1/filings/search","status":200`, false},
		{"get_filing", `{"id":77}`, "/v1/filings/77", `"route":"/v1/filings/:id","status":404`, true},
		{"get_filing", `{"id":1,"fields":["owner"]}`, "/v1/filings/1?fields=owner", `"route":"/v1/filings/:id","status":200`, false},
		{"search_filings", `{"countty":"x"}`, "/v1/filings?countty=x", `"route":"/v1/filings","status":400`, true},
		{"search_filings", `{"limit":0}`, "/v1/filings?limit=0&cursor=*", `"route":"/v1/filings","status":400`, true},
		{"search_filings", `{"county":{}}`, "", `"route":"/v1/filings","status":400`, true},
		{"summarize_filings", `{"by":["county"],"limit":7}`, "/v1/filings/groups?by=county&limit=7", `"route":"/v1/filings/groups","status":200`, false},
		{"list_counties", `{"state":"FL"}`, "/v1/coverage?state=FL", `"route":"/v1/coverage","status":200`, false},
		{"list_counties", `{"state":"FL"}`, "", `"route":"/v1/coverage","status":429`, true},
	} {
		r := s.tool(t, access.Free, tt.tool, json.RawMessage(tt.arguments))
		if r.IsError != tt.isError || !strings.Contains(s.Log.String(), tt.log) {
			t.Errorf("%s %s: %+v", tt.tool, tt.arguments, r)
		}
		if used := s.used(t, "user-free"); used != counted[i] {
			t.Errorf("%s %s: %d count, want %d", tt.tool, tt.arguments, used, counted[i])
		}
		if tt.target == "" {
			continue
		}
		plain := newSite(t, oracle(fixture(t))).get(t, access.Free, tt.target, "Prefer", "handling=strict")
		if tt.isError && r.Text != highestLimit.ReplaceAllString(plain.document(t).Error.Message, "limit must be between 1 and 100") || !tt.isError && rawData(t, r.Text) != rawData(t, plain.body) {
			t.Errorf("%s %s: %s, and the API says %s", tt.tool, tt.arguments, r.Text, plain.body)
		}
	}
	if n := strings.Count(s.Log.String(), `"msg":"request"`); n != 10 {
		t.Errorf("%d records", n)
	}
	// The quota is used up, but what costs nothing of it goes on, so that a client connects and is told that sentence.
	for _, method := range []string{"ping", "tools/list"} {
		a := s.post(t, access.Free, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`)
		if a.status != http.StatusOK || !strings.Contains(a.body, `"result":`) || a.header.Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("%s: %d %s", method, a.status, a.body)
		}
	}
}

// TestX51_LargeRow: the refusal of a row that is too large alone has the cursor that goes on after it, so that a crawl does not end there; a
// result that was cut says to go on.
func TestX51_LargeRow(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{
		450:  "one row alone is too large, since a result has at most 450 bytes: name fewer fields, or filter more; to leave it out, go on with cursor \"",
		2000: "since a result has at most 2000 bytes: go on with cursor set to next_cursor, or name fewer fields, or filter more",
	} {
		s := newSite(t, oracle(fixture(t)), withTools, func(c *service.Config) { c.MCPResult = most })
		if r := s.tool(t, access.Pro, "search_filings", map[string]any{}); !strings.Contains(r.Text, want) || r.IsError != (most == 450) {
			t.Errorf("%s", r.Text)
		}
		if most != 450 {
			continue
		}
		passed, cursor := 0, "*"
		for cursor != "" {
			r := s.tool(t, access.Pro, "search_filings", map[string]any{"cursor": cursor})
			_, rest, _ := strings.Cut(r.Text, `cursor "`)
			cursor, _, _ = strings.Cut(rest, `"`)
			passed++
		}
		if want := len(s.get(t, access.Pro, "/v1/filings?limit=100").ids(t)); passed != want {
			t.Errorf("a crawl of rows that are too large ends after %d of %d", passed, want)
		}
	}
}

// TestX51_MarkAsID: a message whose id is what stands in the place of a result's text is responded to as any other.
func TestX51_MarkAsID(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	const id = `"id":"the response of the endpoint"`
	want := s.post(t, access.Pro, messageOf("get_filing", map[string]any{"id": 1})).body
	message := strings.Replace(messageOf("get_filing", map[string]any{"id": 1}), `"id":1,"jsonrpc"`, id+`,"jsonrpc"`, 1)
	got := s.post(t, access.Pro, message).body
	withoutRequest := regexp.MustCompile(`req_[0-9a-f]{32}|remaining\W+[0-9]+`)
	want = withoutRequest.ReplaceAllString(strings.Replace(want, `"id":1,"result"`, id+`,"result"`, 1), "")
	if got = withoutRequest.ReplaceAllString(got, ""); !strings.Contains(message, id) || !strings.Contains(want, id) || got != want {
		t.Errorf("%s\nis not\n%s", got, want)
	}
}

// TestX52_Refund: a call that fails because of the service costs nothing.
func TestX52_Refund(t *testing.T) {
	t.Parallel()
	s := newSite(t, engineless{oracle(fixture(t))}, withTools)
	if r := s.tool(t, access.Free, "search_filings", nil); !r.IsError || strings.Contains(r.Text, "secret") {
		t.Errorf("%+v", r)
	}
	if used := s.used(t, "user-free"); used != 0 {
		t.Errorf("%d count", used)
	}
}

// engineless is an engine that does not respond.
type engineless struct{ index.Engine }

func (engineless) Live(context.Context) (index.Reader, error) {
	return nil, fmt.Errorf("secret: %w", index.ErrUnavailable)
}

// TestX51_Crawl: following the cursors of results shows each filing that a filter selects once, whatever fits into a result.
func TestX51_Crawl(t *testing.T) {
	t.Parallel()
	filings := many(t, 5000)
	s := newSite(t, caching{oracle(filings)}, withTools)
	seen, arguments := map[string]bool{}, map[string]any{"limit": 100}
	for {
		r := s.tool(t, access.Enterprise, "search_filings", arguments)
		d := r.document(t)
		if r.Bytes > 24_000 || d.Pagination.Total != 5000 || d.Pagination.Limit != 100 || (len(d.Data) < 100) != (d.Hint != "") && d.Pagination.More {
			t.Fatalf("%d bytes, %d rows, %+v %q", r.Bytes, len(d.Data), d.Pagination, d.Hint)
		}
		for _, row := range d.Data {
			if seen[string(row)] {
				t.Fatalf("%s comes again", row)
			}
			seen[string(row)] = true
		}
		if d.Pagination.Next == nil {
			break
		}
		arguments = map[string]any{"cursor": *d.Pagination.Next}
	}
	if len(seen) != len(filings) {
		t.Errorf("%d of %d", len(seen), len(filings))
	}
}

// highestLimit is what an endpoint says of a limit: that of a tool is another one.
var highestLimit = regexp.MustCompile(`^limit must be between 1 and \d+$`)

// TestX51_RandomCalls: no result is above the cap, none costs more than one request, and rows are those of the API, byte for byte,
// on every engine. TEST_TOOL_CALLS sets how many calls there are.
func TestX51_RandomCalls(t *testing.T) {
	t.Parallel()
	calls, _ := strconv.Atoi(cmp.Or(os.Getenv("TEST_TOOL_CALLS"), "60"))
	eachEngineNightly(t, plenty, func(t *testing.T, plain *site) {
		s := newSite(t, plain.engine, withTools, func(c *service.Config) { c.MCPResult = 10_000 })
		dice := rand.New(rand.NewPCG(1, 2))
		some := func(from ...any) any { return from[dice.IntN(len(from))] }
		for i := range calls {
			arguments := map[string]any{}
			for name, values := range map[string][]any{
				"county": {"Orange, FL", "orange", "no"}, "min_amount": {1, 10.5, "100", -3}, "limit": {1, 7, 100, 500, 0, "x"}, "filing_types": {[]string{"Tax Lien", "HOA"}, "Judgment"},
				"date_range": {30, 400}, "month": {"2026-01"}, "sort_order": {"ASC"}, "city": {nil, ""}, "foreclosure_filter": {"show", "never"}, "ids": {[]int{1, 2, 3}}, "nme": {1},
			} {
				if dice.IntN(8) == 0 {
					arguments[name] = some(values...)
				}
			}
			tool, path, cap := "search_filings", "/v1/filings", "100"
			query := url.Values{}
			switch dice.IntN(4) {
			case 0:
				tool, path = "summarize_filings", "/v1/filings/groups"
				arguments["by"] = some("county", []string{"month", "filing_type"}, "category", "owner")
			case 1:
				arguments["q"], path = some("a", "owner"), "/v1/filings/search"
			case 2:
				arguments["fields"] = some("id", "owner,county", []string{"id", "caseNumber", "aiSummary"})
			}
			for name, value := range arguments {
				text, _ := json.Marshal(value)
				var list []any
				if json.Unmarshal(text, &list) != nil {
					list = []any{value}
				}
				for _, item := range list {
					if item != nil {
						query.Add(name, fmt.Sprint(item))
					}
				}
			}
			if n, err := strconv.Atoi(query.Get("limit")); err == nil && n > 100 {
				query.Set("limit", cap)
			}
			if tool == "search_filings" {
				query.Set("cursor", "*")
				if !query.Has("fields") {
					query.Set("fields", agentFields)
				}
			} else if !query.Has("limit") {
				query.Set("limit", "20")
			}
			before, plainly := s.used(t, "user-enterprise"), plain.used(t, "user-enterprise")
			r := s.tool(t, access.Enterprise, tool, arguments)
			a := plain.get(t, access.Enterprise, path+"?"+query.Encode(), "Prefer", "handling=strict")
			if used := s.used(t, "user-enterprise") - before; used != plain.used(t, "user-enterprise")-plainly || a.status == 200 && used != 1 || r.Bytes > 10_000 || r.IsError != (a.status != 200) {
				t.Fatalf("%d: %s %v costs %d, %d bytes: %s; %d %s", i, tool, arguments, used, r.Bytes, r.Text, a.status, a.body)
			}
			if r.IsError {
				if r.Text != highestLimit.ReplaceAllString(a.document(t).Error.Message, "limit must be between 1 and 100") {
					t.Fatalf("%s %v: %s, not %s", tool, arguments, r.Text, a.body)
				}
				continue
			}
			var want agentDocument
			if err := json.Unmarshal([]byte(a.body), &want); err != nil {
				t.Fatal(err)
			}
			got := r.document(t)
			if arguments["by"] == "owner" { // filings without one are no group of a tool
				want.Data = slices.DeleteFunc(want.Data, func(row json.RawMessage) bool { return strings.Contains(string(row), `"owner":null`) })
			}
			if len(got.Data) > len(want.Data) || len(got.Data) < len(want.Data) && got.Hint == "" {
				t.Fatalf("%s %v: %d rows of %d", tool, arguments, len(got.Data), len(want.Data))
			}
			for j := range got.Data {
				if string(got.Data[j]) != string(want.Data[j]) {
					t.Fatalf("%s %v: %s, not %s", tool, arguments, got.Data[j], want.Data[j])
				}
			}
			checkRest(t, plain, query, got)
		}
	})
}

// checkRest compares what is added up with all groups.
func checkRest(t *testing.T, plain *site, query url.Values, got agentDocument) {
	t.Helper()
	if got.Rest == nil {
		return
	}
	query.Del("limit")
	var all struct {
		Data []struct {
			Filings      int64
			FilingAmount struct {
				Count int64
				Sum   float64
			}
		}
	}
	if err := json.Unmarshal([]byte(plain.get(t, access.Enterprise, "/v1/filings/groups?"+query.Encode()).body), &all); err != nil {
		t.Fatal(err)
	}
	rows, _ := json.Marshal(map[string]any{"data": got.Data})
	shown := all
	if shown.Data = nil; json.Unmarshal(rows, &shown) != nil {
		t.Fatalf("%s", rows)
	}
	var filings, count, cents int64
	for _, g := range all.Data {
		filings, count, cents = filings+g.Filings, count+g.FilingAmount.Count, cents+int64(math.Round(g.FilingAmount.Sum*100))
	}
	for _, g := range shown.Data {
		filings, count, cents = filings-g.Filings, count-g.FilingAmount.Count, cents-int64(math.Round(g.FilingAmount.Sum*100))
	}
	if r := got.Rest; r.Groups != int64(len(all.Data)-len(got.Data)) || r.Filings != filings || r.FilingAmount.Count != count || int64(math.Round(r.FilingAmount.Sum*100)) != cents {
		t.Fatalf("%v: %+v, want %d filings, %d amounts, %d cents", query, r, filings, count, cents)
	}
}

// TestX51_Counties: a list of counties that does not fit goes on behind the last one sent.
func TestX51_Counties(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprintf("County %c%c, %s", 'A'+i%26, 'a'+i/26, []string{"FL", "GA"}[i%2]))
	}
	s := newSite(t, oracle(ofCounties(t, names...)), withTools, func(c *service.Config) { c.MCPResult = 12_000 })
	var got []string
	for arguments := map[string]any{}; arguments != nil; {
		r := s.tool(t, access.Enterprise, "list_counties", arguments)
		d := r.document(t)
		for _, row := range d.Data {
			got = append(got, string(row))
		}
		if arguments = nil; r.Bytes > 12_000 || d.Pagination.More != (d.Pagination.Next != nil) || (d.Hint != "") != d.Pagination.More {
			t.Fatalf("%d bytes, %+v %q", r.Bytes, d.Pagination, d.Hint)
		}
		if d.Pagination.More {
			arguments = map[string]any{"cursor": *d.Pagination.Next}
		}
	}
	if a := s.get(t, access.Enterprise, "/v1/coverage"); len(got) != 300 || "["+strings.Join(got, ",")+"]" != rawData(t, a.body) {
		t.Errorf("%d counties: %v", len(got), got)
	}
}

// TestX52_CursorOfEndpoint: a cursor of the API, whose pages may be larger, costs a call what any call costs.
func TestX52_CursorOfEndpoint(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(ofCounties(t, slices.Repeat([]string{"Orange, FL"}, 400)...)), withTools)
	var page struct {
		Pagination struct {
			Next string `json:"next_cursor"`
		}
	}
	a := s.get(t, access.Enterprise, "/v1/filings?cursor=*&limit=200&fields=id")
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || page.Pagination.Next == "" {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	before, _ := strconv.Atoi(a.header.Get("X-RateLimit-Remaining"))
	r := s.tool(t, access.Enterprise, "search_filings", map[string]any{"cursor": page.Pagination.Next})
	if after, _ := strconv.Atoi(r.header.Get("X-RateLimit-Remaining")); after != before-1 || len(r.document(t).Data) != 100 {
		t.Errorf("%d remained, then %d, for %d rows", before, after, len(r.document(t).Data))
	}
}

// TestX51_Examples: the calls of docs/api/agents.md have results.
func TestX51_Examples(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/api/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, grown(fixture(t)), withTools)
	var described struct {
		Since []string `json:"changes_since"`
	}
	if err := json.Unmarshal([]byte(s.tool(t, access.Pro, "describe_data", nil).Text), &described); err != nil || len(described.Since) != 1 {
		t.Fatal(err, described)
	}
	words := strings.NewReplacer("SINCE", described.Since[0], "MONTH_AGO", "2026-02-15")
	calls := regexp.MustCompile("(?m)^\\| .* \\| `([a-z_]+) (\\{.*\\})` \\|$").FindAllStringSubmatch(string(text), -1)
	if len(calls) != 13 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, call := range calls {
		if r := s.tool(t, access.Pro, call[1], json.RawMessage(words.Replace(call[2]))); r.IsError {
			t.Errorf("%s: %s", call[0], r.Text)
		}
	}
}

// TestOpenAPI_Paths: the document has only the paths that are wanted, with all that they refer to.
func TestOpenAPI_Paths(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	a := s.get(t, "", "/openapi.json?paths=/v1/filings/groups,/v1/me")
	d, err := openapi3.NewLoader().LoadFromData([]byte(a.body)) // resolves every reference
	if err != nil || a.status != 200 || d.Paths.Len() != 2 || d.Components.Schemas["OwnerList"] != nil || len(a.body) > 60_000 {
		t.Errorf("%d %d bytes %v", a.status, len(a.body), err)
	}
	whole := s.get(t, "", "/openapi.json").body
	for query, want := range map[string]string{"paths=": whole, "paths=,": whole, "paths=/v1/me,%20,/v1/filings/groups,": a.body} { // empty items count as not given
		if a := s.get(t, "", "/openapi.json?"+query); a.status != 200 || a.body != want {
			t.Errorf("%s: %d, %d bytes, want %d", query, a.status, len(a.body), len(want))
		}
	}
	for _, query := range []string{"paths=%zz", "paths=/v1/me&x=%zz", "paths=/v1/me;"} {
		if a := s.get(t, "", "/openapi.json?"+query); a.status != 400 || !strings.Contains(a.body, "query must be percent-encoded UTF-8") {
			t.Errorf("%s: %d %.200s", query, a.status, a.body)
		}
	}
	if a := s.get(t, "", "/openapi.json?paths=/v1/group"); a.status != 400 || !strings.Contains(a.body, "/v1/filings/{id}") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestX51_More: rare filters are members of more, which may come as its text, and are read as if they were arguments; one that is there
// in both is refused.
func TestX51_More(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	const more = "more must be an object of filters, as in {\"city\": \"Ocala\"}"
	for _, tt := range []struct{ tool, arguments, refusal string }{
		{"search_filings", `{"more":{"ids":[1,2],"max_amount":1000}}`, ""},
		{"search_filings", `{"more":"{\"ids\":[1,2],\"max_amount\":1000}"}`, ""},
		{"search_filings", `{"max_amount":1000,"more":{"ids":"1,2","city":null}}`, ""},
		{"search_filings", `{"ids":[1,2],"max_amount":1000,"more":null}`, ""},
		{"search_filings", `{"county":"Orange","more":{"county":"Lee"}}`, "county must be given only once"},
		{"search_filings", `{"more":{"city":"a","city":"b"}}`, "city must be given only once"},
		{"search_filings", `{"more":{"city":"\ud800"}}`, "city must be whole characters: half of a surrogate pair is none"},
		{"search_filings", `{"more":["ids"]}`, more},
		{"search_filings", `{"more":"ids=1"}`, more},
		{"search_filings", `{"more":{"more":5}}`, more},
		{"get_filing", `{"id":1,"more":{}}`, `"more" must be a text, a number, true, false, or a list of these`},
	} {
		r := s.tool(t, access.Pro, tt.tool, json.RawMessage(tt.arguments))
		if r.IsError != (tt.refusal != "") || r.IsError && r.Text != tt.refusal {
			t.Errorf("%s %s: %s", tt.tool, tt.arguments, r.Text)
		}
		if want := rawData(t, s.get(t, access.Pro, "/v1/filings?ids=1,2&max_amount=1000&fields="+agentFields).body); !r.IsError && rawData(t, r.Text) != want {
			t.Errorf("%s: %s, not %s", tt.arguments, r.Text, want)
		}
	}
}

// TestX51_Owners: find_owners lists the owners of the API; an owner who has no filings brings those whose name is near, as typed or
// misspelled, and filings without an owner are no group of one, but in rest.
func TestX51_Owners(t *testing.T) {
	t.Parallel()
	var filings []*index.Filing
	for i, name := range []string{"", "", "", "THISTLEBANK REALTY LLC", "Thistlebank Realty, L.L.C.", "THISTLEBANK HOMES INC", "Oak Ann"} {
		f := edges.Filing(int64(i+1), edges.Values{index.County: "Orange, FL", index.FilingAmount: 100 * (i + 1), index.FilingDate: "2026-01-02"})
		if name != "" {
			f.SetText(index.Owner, name)
		}
		filings = append(filings, f)
	}
	s := newSite(t, oracle(filings), withTools)
	for _, arguments := range []string{`{"q":"thistle"}`, `{"q":"thistle","sort_by":"amount","limit":1}`} {
		var query map[string]any
		_ = json.Unmarshal([]byte(arguments), &query)
		target := "/v1/owners?cursor=*"
		for name, value := range query {
			target += fmt.Sprintf("&%s=%v", name, value)
		}
		if r := s.tool(t, access.Pro, "find_owners", query); rawData(t, r.Text) != rawData(t, s.get(t, access.Pro, target).body) || r.document(t).Pagination.Total != 2 {
			t.Errorf("%s: %s", arguments, r.Text)
		}
	}
	for arguments, want := range map[string]string{
		`{"owner":"Thistlebank"}`:                           `no owner is "Thistlebank", but some are THISTLEBANK REALTY LLC; THISTLEBANK HOMES INC (find_owners lists them): nothing here`,
		`{"owner":"thisslebank real"}`:                      `no owner is "thisslebank real", but some are THISTLEBANK REALTY LLC (find_owners lists them): nothing here`,
		`{"owner":"Nobody At All"}`:                         "nothing here matches",
		`{"owner":"Thistlebank Realty LLC","max_amount":1}`: "nothing here matches",
		`{"owner":"ANN, OAK","max_amount":1}`:               "nothing here matches",
	} {
		for _, tool := range []string{"search_filings", "summarize_filings"} {
			given := json.RawMessage(arguments)
			if tool == "summarize_filings" {
				given = json.RawMessage(strings.Replace(arguments, "{", `{"by":"owner",`, 1))
			}
			if hint := s.tool(t, access.Pro, tool, given).document(t).Hint; !strings.HasPrefix(hint, want) {
				t.Errorf("%s %s: %s", tool, given, hint)
			}
		}
	}
	d := s.tool(t, access.Pro, "summarize_filings", json.RawMessage(`{"by":"owner","limit":2}`)).document(t)
	if len(d.Data) != 2 || strings.Contains(string(d.Data[0])+string(d.Data[1]), "null") || d.Rest.Groups != 2 || d.Rest.Filings != 4 || d.Rest.FilingAmount.Sum != 1200 {
		t.Errorf("%s %+v", d.Data, d.Rest)
	}
}

// TestX51_OwnersNear: owners whose name is near are looked for if nothing is there to send and
// the owner has no filing, and for a name as long as one of an owner.
func TestX51_OwnersNear(t *testing.T) {
	t.Parallel()
	var filings []*index.Filing
	for i, name := range []string{"Larch", "Larch Ann", "Larch Ann", "Larch Bo", "Larch Bo", "Larch Cy", "Larch Cy"} {
		f := edges.Filing(int64(i+1), edges.Values{index.County: "Orange, FL", index.FilingAmount: 100})
		f.SetText(index.Owner, name)
		filings = append(filings, f)
	}
	e := &lineage{}
	e.promote(filings[:1])
	e.promote(filings)
	engine := &counted{Engine: e}
	s := newSite(t, engine, withTools)
	long := strings.TrimSpace(strings.Repeat("larchwood ", 5000))
	for _, tt := range []struct {
		tool, arguments, hint string
		owners, words         int64
	}{
		{"list_changes", `{"since":"20260301-000000.000000","owner":"Larch Ann"}`, "", 0, 0},
		{"list_changes", `{"since":"20260301-000000.000000","owner":"Larch"}`, "nothing here", 0, 0},
		{"search_filings", `{"owner":"Larch","max_amount":1}`, "nothing here", 0, 0},
		{"search_filings", `{"owner":"Bo Larck"}`, `no owner is "Bo Larck", but some are Larch Bo`, 2, 2},
		{"summarize_filings", `{"by":"county","owner":"` + long + `"}`, "nothing here", 0, 0},
	} {
		engine.owners.Store(0)
		engine.words.Store(0)
		s.clock.Advance(time.Second)
		d := s.tool(t, access.Pro, tt.tool, json.RawMessage(tt.arguments)).document(t)
		if owners, words := engine.owners.Load(), engine.words.Load(); owners != tt.owners || words != tt.words {
			t.Errorf("%s %.60s: %d calls for owners, and %d words", tt.tool, tt.arguments, owners, words)
		}
		if !strings.HasPrefix(d.Hint, tt.hint) || tt.hint == "" && (d.Hint != "" || len(d.Data) == 0) {
			t.Errorf("%s %.60s: %q, %d rows", tt.tool, tt.arguments, d.Hint, len(d.Data))
		}
	}
}
