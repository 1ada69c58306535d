package apitest

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

const (
	exportGeneration = "20261122-051422.061847"
	generationName   = "filings-" + exportGeneration + "-v1"
)

// lines returns the rows of NDJSON.
func lines(body string) []string {
	if body == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(body, "\n"), "\n")
}

// listed returns the records that pages of the list show a tier.
func (s *site) listed(t *testing.T, tier access.Tier, query string) (all []string) {
	t.Helper()
	path := "/v1/filings?"
	if strings.Contains(query, "q=") {
		path = "/v1/filings/search?"
	}
	for {
		d := s.get(t, tier, fmt.Sprintf("%s%s&limit=100&offset=%d", path, query, len(all))).document(t)
		var rows []json.RawMessage
		if err := json.Unmarshal(d.Data, &rows); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			all = append(all, string(r))
		}
		if len(rows) == 0 {
			return all
		}
	}
}

// TestX5_Rows: each row of an export is, byte for byte, what the list shows that tier, in the list's order; the headers
// before it say how many there are.
func TestX5_Rows(t *testing.T) {
	t.Parallel()
	for _, d := range []dataset{handmade, plenty} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			eachEngine(t, d, func(t *testing.T, s *site) {
				queries := []string{"", "county=Orange", "min_amount=1&categories=land,residential", "q=oak", "q=oak&filing_type=tax+lien", "city=nowhere",
					"fields=owner,filingAmount,categories", "fields=id", "ids=3,1,2", "exclude_counties=Orange,+FL&fields=county"}
				if d == handmade { // of the others no filing has a type
					queries = append(queries, "exclude_filing_types=tax+lien&exclude_counties=Orange,+FL&fields=county")
				}
				for _, tier := range access.Tiers {
					for _, query := range queries {
						want := s.listed(t, tier, query)
						a := s.get(t, tier, "/v1/filings/export?"+query)
						if diff := cmp.Diff(want, lines(a.body)); a.status != http.StatusOK || diff != "" {
							t.Errorf("%s, %q: %d (-want +got)\n%s", tier, query, a.status, diff)
						}
						id := a.header.Get("X-Generation")
						for name, want := range map[string]string{
							"Content-Type": "application/x-ndjson", "X-Total-Count": strconv.Itoa(len(want)),
							"Content-Disposition": `attachment; filename="` + strings.TrimSuffix("filings-"+id, "-") + `.ndjson"`,
						} {
							if got := a.header.Get(name); got != want {
								t.Errorf("%s, %q: %s is %q, want %q", tier, query, name, got, want)
							}
						}
					}
				}
				table, err := csv.NewReader(strings.NewReader(s.get(t, access.Pro, "/v1/filings/export?format=csv").body)).ReadAll()
				if err != nil || len(table) != 1+len(s.listed(t, access.Pro, "")) || table[0][0] != "id" {
					t.Errorf("CSV of %d lines, %v", len(table), err)
				}
				table, err = csv.NewReader(strings.NewReader(s.get(t, access.Pro, "/v1/filings/export?format=csv&fields=owner,county").body)).ReadAll()
				if err != nil || len(table) != 1+len(s.listed(t, access.Pro, "")) || strings.Join(table[0], ",") != "id,county,owner" {
					t.Errorf("CSV of %d lines with %v, %v", len(table), table[0], err)
				}
				if body := s.get(t, access.Pro, "/v1/filings/export?format=parquet").body; len(body) < 8 || body[:4]+body[len(body)-4:] != "PAR1PAR1" {
					t.Errorf("Parquet of %d bytes", len(body))
				}
			})
		})
	}
}

// TestX5_HEAD: the headers of GET, nothing else, for one request.
func TestX5_HEAD(t *testing.T) {
	t.Parallel()
	s := newSite(t, servicetest.Still{Reader: indextest.NewOracle(generationName, edges.Fuzzed(500, 3))})
	get := s.get(t, access.Free, "/v1/filings/export")
	before := s.used(t, "user-free")
	head := s.do(t, http.MethodHead, access.Free, "/v1/filings/export")
	for _, h := range []http.Header{get.header, head.header} {
		for _, name := range []string{"Date", "X-Request-Id", "X-Ratelimit-Remaining", "Ratelimit"} {
			h.Del(name)
		}
	}
	if diff := cmp.Diff(get.header, head.header); diff != "" || head.body != "" || s.used(t, "user-free") != before+1 {
		t.Errorf("%d more, body %q (-get +head)\n%s", s.used(t, "user-free")-before, head.body, diff)
	}

	d := listenTLS(t, s.App)
	conn, err := tls.Dial("tcp", d.Address, d.Trust)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "HEAD /v1/filings/export HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-API-Key: "+s.Keys[access.Free]+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	sent, err := io.ReadAll(conn)
	if _, after, ended := strings.Cut(string(sent), "\r\n\r\n"); err != nil || !ended || after != "" || !strings.HasPrefix(string(sent), "HTTP/1.1 200") {
		t.Errorf("%q after the headers, where the next response of the connection begins (%v)", after, err)
	}
}

// TestX39_Price: HEAD says how many rows an export has and what it costs, for one request, whatever other exports there are.
func TestX39_Price(t *testing.T) {
	t.Parallel()
	onOracle(t, plenty, func(t *testing.T, s *site) {
		if left, err := s.Store.AcquireLease(t.Context(), "user-pro", "another"); err != nil || left != 0 {
			t.Fatal(left, err)
		}
		for query, want := range map[string]string{"": "45 1", "ids=1,2": "2 1", "q=owner+4&format=parquet": "6 1", "city=nowhere&format=csv": "0 1"} {
			before := s.used(t, "user-pro")
			a := s.do(t, http.MethodHead, access.Pro, "/v1/filings/export?"+query)
			if got := a.header.Get("X-Total-Count") + " " + a.header.Get("X-Export-Price"); got != want || a.status != http.StatusOK || a.body != "" {
				t.Errorf("%s: %d %q %q", query, a.status, got, a.body)
			}
			if used := s.used(t, "user-pro") - before; used != 1 {
				t.Errorf("%s costs %d", query, used)
			}
		}
		for query, status := range map[string]int{"format=xml": 400, "generation=20200101-000000.000000": 410, "after=7": 400} {
			if a := s.do(t, http.MethodHead, access.Pro, "/v1/filings/export?"+query); a.status != status || a.header.Get("X-Export-Price") != "" {
				t.Errorf("%s: %d %v", query, a.status, a.header)
			}
		}
	})
}

// TestX39_TooDear: the price is said to who cannot pay it, and is that of the 429 that GET is.
func TestX39_TooDear(t *testing.T) {
	t.Parallel()
	l := servicetest.Limits()
	l[access.Starter] = access.Limit{Quota: 3, Burst: 100}
	s := newSiteWith(t, oracle(many(t, 450)), l)
	for _, want := range []int{http.StatusOK, http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		a := s.do(t, http.MethodHead, access.Starter, "/v1/filings/export")
		if a.status != want || want == http.StatusOK && a.header.Get("X-Export-Price") != "5" {
			t.Errorf("%d %v, want %d", a.status, a.header, want)
		}
		if want == http.StatusOK {
			if get := s.get(t, access.Starter, "/v1/filings/export"); get.status != http.StatusTooManyRequests {
				t.Errorf("GET: %d", get.status)
			}
		}
	}
	if used := s.used(t, "user-starter"); used != 3 {
		t.Errorf("%d used", used)
	}
}

// TestX5_Invalid: what is wrong with a request is said, and costs what any wrong request costs.
func TestX5_Invalid(t *testing.T) {
	t.Parallel()
	filings := edges.Fuzzed(300, 3)
	filings[0].SetText(index.FilingType, "The One")
	s := newSite(t, servicetest.Still{Reader: indextest.NewOracle(generationName, filings)})
	pinned := "generation=" + exportGeneration
	for _, tt := range []struct {
		query, want string
		counted     int64 // with those before: what needed no search does not (rule X60)
	}{
		{"format=xml", `format must be one of ndjson, csv, parquet`, 0},
		{"after=0&" + pinned, "after must be an integer, 1 or more", 0},
		{"after=7", "after requires generation", 0},
		{"format=parquet&after=7&" + pinned, "after cannot be used with format=parquet", 0},
		{"after=999999999999&" + pinned, "is not in this export; send the id of its last complete row", 1},
		{fmt.Sprintf("after=%d&filing_type=the+one&%s", filings[1].ID, pinned), "is not in this export; send the id of its last complete row", 2},
		{"q=", "q must be 1 to 200 characters", 2},
	} {
		a := s.get(t, access.Pro, "/v1/filings/export?"+tt.query)
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, tt.want) {
			t.Errorf("%s: %d %s, want %q", tt.query, a.status, a.body, tt.want)
		}
		if got := s.used(t, "user-pro"); got != tt.counted {
			t.Errorf("%s: %d requests counted, want %d", tt.query, got, tt.counted)
		}
	}
	if a := s.get(t, access.Free, "/v1/filings/export?generation=20200101-000000.000000"); a.status != http.StatusGone || s.used(t, "user-free") != 1 {
		t.Errorf("a generation that is not kept: %d, %d counted", a.status, s.used(t, "user-free"))
	}
	if a := s.get(t, access.Starter, "/v1/filings/export?formt=csv", "Prefer", "handling=strict"); a.status != http.StatusBadRequest || !strings.Contains(a.body, "format") {
		t.Errorf("strict: %d %s", a.status, a.body)
	}
}

// TestX6_Resume: cut anywhere, the two parts are the whole, byte for byte.
func TestX6_Resume(t *testing.T) {
	t.Parallel()
	s := newSite(t, servicetest.Still{Reader: indextest.NewOracle(generationName, edges.Fuzzed(2500, 9))})
	for _, format := range []string{"ndjson", "csv"} {
		for _, filter := range []string{"", "&min_amount=10"} {
			target := "/v1/filings/export?generation=" + exportGeneration + filter + "&format=" + format
			whole := s.get(t, access.Pro, target).body
			rows := lines(s.get(t, access.Pro, strings.Replace(target, "csv", "ndjson", 1)).body)
			r := rand.New(rand.NewPCG(1, 2))
			for range 25 {
				at := r.IntN(len(rows))
				var f struct{ ID int64 }
				if err := json.Unmarshal([]byte(rows[at]), &f); err != nil {
					t.Fatal(err)
				}
				a := s.get(t, access.Pro, fmt.Sprintf("%s&after=%d", target, f.ID))
				if a.status != http.StatusOK || !strings.HasSuffix(whole, a.body) || a.header.Get("X-Total-Count") != strconv.Itoa(len(rows)-at-1) {
					t.Fatalf("%s behind row %d: %d, %s rows, a body of %d", format, at, a.status, a.header.Get("X-Total-Count"), len(a.body))
				}
				first := whole[:len(whole)-len(a.body)]
				if format == "ndjson" && strings.Count(first, "\n") != at+1 || format == "csv" && !strings.HasSuffix(first, "\r\n") {
					t.Fatalf("%s behind row %d: %d lines before it", format, at, strings.Count(first, "\n"))
				}
			}
		}
	}
}

// repeating is an engine of so many rows, all alike. Pages are as large as they may be.
type repeating struct {
	index.Reader
	index.History // of which no test reads
	total         int64
	turn          func(ctx context.Context, from int64) error // called for each page; may be nil
}

func repeated(total int64, turn func(context.Context, int64) error) repeating {
	return repeating{Reader: indextest.NewOracle(generationName, nil), total: total, turn: turn}
}

var repeatedRecord = func() index.Record {
	f := edges.Filing(7, edges.Values{index.Owner: strings.Repeat("owner ", 50), index.FilingDate: "2026-01-02"})
	return index.AppendRecord(nil, f)
}()

func (r repeating) Live(context.Context) (index.Reader, error)      { return r, nil }
func (r repeating) Withdrawn(context.Context, string) (bool, error) { return false, nil }

func (r repeating) Kept(context.Context, string) ([]index.Generation, error) {
	return nil, nil
}
func (r repeating) Pin(context.Context, string) (index.Reader, error)      { return r, nil }
func (r repeating) Count(_ context.Context, w index.Filter) (int64, error) { return r.of(w), nil }

// of is how many filings a filter finds: all without a condition, else at most 200.
func (r repeating) of(w index.Filter) int64 {
	if w.String() == (index.Filter{}).String() {
		return r.total
	}
	return min(r.total, 200)
}

func (r repeating) Rows(ctx context.Context, q index.Query) (p index.Page, err error) {
	from, _ := strconv.ParseInt(q.Start, 10, 64)
	if r.turn != nil {
		if err := r.turn(ctx, from); err != nil {
			return p, err
		}
	}
	to := min(from+int64(q.Limit), r.of(q.Where))
	for range to - from {
		p.Records = append(p.Records, repeatedRecord)
	}
	p.End = strconv.FormatInt(to, 10)
	return p, nil
}

// begin sends a request on a connection of its own, and returns what comes back.
func (s *site) begin(t *testing.T, l *servicetest.Listener, tier access.Tier, target string) (*tls.Conn, *http.Response) {
	t.Helper()
	c, err := tls.Dial("tcp", l.Address, l.Trust)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", target, l.Address, s.Keys[tier])
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, res
}

// ended waits until no export is in progress and all is refunded, and returns what counts for user.
func (s *site) ended(t *testing.T, user string) int64 {
	t.Helper()
	servicetest.Until(t, "no export is in progress", func() bool {
		return strings.Contains(send(t, s.Service.Operations(), http.MethodGet, "/metrics").body, "filings_exports_in_progress 0")
	})
	return s.used(t, user)
}

// sent returns how many rows the log's last record of an export says were sent, and how it ended.
func (s *site) sent(t *testing.T) (rows int64, outcome string) {
	t.Helper()
	for _, line := range lines(s.Log.String()) {
		var r struct {
			Rows    *int64
			Outcome string
		}
		if json.Unmarshal([]byte(line), &r) == nil && r.Rows != nil {
			rows, outcome = *r.Rows, r.Outcome
		}
	}
	return rows, outcome
}

// checkPaid expects that the account paid what was sent, in hundreds of rows.
func (s *site) checkPaid(t *testing.T, user string, total, before int64, want string) {
	t.Helper()
	paid := s.ended(t, user) - before
	rows, outcome := s.sent(t)
	if price := max(1, (total+99)/100-(total-rows)/100); paid != price || outcome != want {
		t.Errorf("%s: %d rows of %d were sent, %d requests paid, want %d (%s)", outcome, rows, total, paid, price, want)
	}
}

var errEngine = errors.New("the engine failed")

// TestX6_EngineFails: a file that an engine does not finish reaches no client as a whole one, and is paid as far as it went.
func TestX6_EngineFails(t *testing.T) {
	t.Parallel()
	const total = 10_000
	fails := func(_ context.Context, from int64) error {
		if from > 3000 {
			return fmt.Errorf("searching 10.0.0.7: %w", errEngine)
		}
		return nil
	}
	for _, format := range []string{"ndjson", "csv", "parquet"} {
		for _, coding := range []string{"identity", "gzip", "zstd"} {
			t.Run(format+" "+coding, func(t *testing.T) {
				t.Parallel()
				s := newSite(t, repeated(total, fails))
				l := servicetest.ListenTLS(t, s.App)
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Address+"/v1/filings/export?format="+format, http.NoBody)
				req.Header.Set("X-API-Key", s.Keys[access.Pro])
				req.Header.Set("Accept-Encoding", coding)
				res, err := l.Client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				body, err := io.ReadAll(res.Body)
				if !errors.Is(err, io.ErrUnexpectedEOF) || res.StatusCode != http.StatusOK {
					t.Errorf("%d bytes, %v", len(body), err)
				}
				s.checkPaid(t, "user-pro", total, 0, "failed")
				if strings.Contains(string(body), "10.0.0.7") || !strings.Contains(s.Log.String(), errEngine.Error()) {
					t.Error("the error is in the file, or not in the log")
				}
			})
		}
	}
}

// TestX6_Curl: curl says that the file is partial (exit code 18), and nothing of the kind where it is whole.
func TestX6_Curl(t *testing.T) {
	t.Parallel()
	for want, total := range map[int]int64{0: 2000, 18: 9000} {
		s := newSite(t, repeated(total, func(_ context.Context, from int64) error {
			if from > 3000 {
				return errEngine
			}
			return nil
		}))
		l := servicetest.ListenTLS(t, s.App)
		curl := exec.CommandContext(t.Context(), servers.Program(t, "curl"), "-sS", "--cacert", l.Certificate, "-o", "/dev/null", "-H", "X-API-Key: "+s.Keys[access.Pro],
			"https://"+l.Address+"/v1/filings/export")
		out, _ := curl.CombinedOutput()
		if got := curl.ProcessState.ExitCode(); got != want {
			t.Errorf("of %d rows: exit code %d, want %d: %s", total, got, want, out)
		}
	}
}

// TestX6_HTTP10: HTTP/1.0 has no last chunk, so there is no export in it.
func TestX6_HTTP10(t *testing.T) {
	t.Parallel()
	s := newSite(t, repeated(10, nil))
	l := servicetest.ListenTLS(t, s.App)
	c, err := tls.Dial("tcp", l.Address, l.Trust)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /v1/filings/export HTTP/1.0\r\nX-API-Key: %s\r\n\r\n", s.Keys[access.Pro])
	answer, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(answer), " 400 ") || !strings.Contains(string(answer), "require HTTP/1.1") {
		t.Errorf("%s, %v", answer, err)
	}
}

// TestX7_Price: an export costs one request per 100 rows, rounded up; where less remains nothing is taken, and the message
// says what it costs and what remains.
func TestX7_Price(t *testing.T) {
	t.Parallel()
	for total, price := range map[int64]int64{0: 1, 1: 1, 99: 1, 100: 1, 101: 2, 5000: 50, 5001: 51} {
		limits := servicetest.Limits()
		limits[access.Pro] = access.Limit{Quota: price, Burst: 100}
		limits[access.Free] = access.Limit{Quota: price, Burst: 100}
		s := newSiteWith(t, repeated(total, nil), limits)
		a := s.get(t, access.Pro, "/v1/filings/export")
		if a.status != http.StatusOK || len(lines(a.body)) != int(total) || a.header.Get("X-RateLimit-Remaining") != "0" || s.used(t, "user-pro") != price {
			t.Errorf("%d rows: %d, %d rows, %s remain, %d paid, want %d", total, a.status, len(lines(a.body)),
				a.header.Get("X-RateLimit-Remaining"), s.used(t, "user-pro"), price)
		}
		if price == 1 {
			continue
		}
		for tier, code := range map[access.Tier]string{access.Pro: "rate_limit_exceeded", access.Free: "lifetime_limit_exceeded"} {
			limits[tier] = access.Limit{Quota: price - 1, Burst: 100}
			s = newSiteWith(t, repeated(total, nil), limits)
			a = s.get(t, tier, "/v1/filings/export")
			want := fmt.Sprintf("this export of %d rows costs %d requests, one per 100 rows, rounded up, and %d remain of the quota: nothing was taken", total, price, price-1)
			if a.status != http.StatusTooManyRequests || !strings.Contains(a.body, want) || !strings.Contains(a.body, code) ||
				(a.header.Get("Retry-After") == "") != (tier == access.Free) || s.used(t, "user-"+string(tier)) != 0 {
				t.Errorf("%d rows, too little quota: %d %s, Retry-After %q, %d paid", total, a.status, a.body, a.header.Get("Retry-After"), s.used(t, "user-"+string(tier)))
			}
		}
	}
}

// TestX7_HangUp: who hangs up pays for the hundreds of rows that were begun.
func TestX7_HangUp(t *testing.T) {
	t.Parallel()
	const total = 200_000
	s := newSite(t, repeated(total, nil))
	l := servicetest.ListenTLS(t, s.App)
	for i := range int64(5) {
		before := s.used(t, "user-pro")
		c, res := s.begin(t, l, access.Pro, "/v1/filings/export")
		if _, err := io.CopyN(io.Discard, res.Body, i*300_000+1); err != nil {
			t.Fatal(err)
		}
		_ = c.NetConn().Close()
		s.checkPaid(t, "user-pro", total, before, "client")
	}
}

// TestX7_AtLeastOne: an export that is cut before its first row costs one request.
func TestX7_AtLeastOne(t *testing.T) {
	t.Parallel()
	for _, total := range []int64{100, 150, 200_000} {
		s := newSite(t, repeated(total, func(ctx context.Context, _ int64) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		s.begin(t, servicetest.ListenTLS(t, s.App), access.Pro, "/v1/filings/export")
		s.Service.CutExports()
		if paid := s.ended(t, "user-pro"); paid != 1 {
			t.Errorf("of %d rows: %d requests paid, want 1", total, paid)
		}
	}
}

// TestX8_OneForAnAccount: a second export of an account waits for the first one's end, and begins at once behind it.
func TestX8_OneForAnAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t, repeated(200_000, nil))
	l := servicetest.ListenTLS(t, s.App)
	c, _ := s.begin(t, l, access.Pro, "/v1/filings/export")
	before := s.used(t, "user-pro")
	a := s.get(t, access.Pro, "/v1/filings/export")
	if a.status != http.StatusTooManyRequests || !strings.Contains(a.body, "another export of this account") || a.header.Get("Retry-After") != "60" || s.used(t, "user-pro") != before {
		t.Errorf("a second export: %d %s", a.status, a.body)
	}
	if a := s.get(t, access.Starter, "/v1/filings/export?city=few"); a.status != http.StatusOK {
		t.Errorf("another account: %d", a.status)
	}
	_ = c.NetConn().Close()
	s.ended(t, "user-pro")
	for range 3 {
		if a := s.get(t, access.Pro, "/v1/filings/export?city=few"); a.status != http.StatusOK {
			t.Errorf("after the first one's end: %d %s", a.status, a.body)
		}
	}
}

// TestX8_OfAProcess: a process sends so many exports at a time. Exports that wait for the engine give way to nobody.
func TestX8_OfAProcess(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newSite(t, repeated(200_000, func(context.Context, int64) error {
		<-release
		return nil
	}), func(c *service.Config) { c.Exports, c.ExportWait = 2, time.Millisecond })
	l := servicetest.ListenTLS(t, s.App)
	s.begin(t, l, access.Pro, "/v1/filings/export")
	c, _ := s.begin(t, l, access.Starter, "/v1/filings/export")
	a := s.get(t, access.Free, "/v1/filings/export")
	if a.status != http.StatusTooManyRequests || !strings.Contains(a.body, "this server sends as many exports as it may") || a.header.Get("Retry-After") != "10" || s.used(t, "user-free") != 0 {
		t.Errorf("a third export: %d %s", a.status, a.body)
	}
	_ = c.NetConn().Close()
	close(release)
	servicetest.Until(t, "a slot is free", func() bool { return s.get(t, access.Free, "/v1/filings/export?city=few").status == http.StatusOK })
}

// TestX8_Cut: a client that takes nothing, an export whose time is over, and one whose service stops are cut, within that
// time, and pay for what was sent.
func TestX8_Cut(t *testing.T) {
	t.Parallel()
	const total = 200_000
	slow := func(ctx context.Context, from int64) error {
		if from == 0 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	for name, tt := range map[string]struct {
		turn    func(context.Context, int64) error
		config  func(*service.Config)
		stop    bool
		outcome string
	}{
		"stalls":                  {nil, func(c *service.Config) { c.ExportStall = 50 * time.Millisecond }, false, "client"},
		"its time, client stalls": {nil, func(c *service.Config) { c.ExportTimeout = 50 * time.Millisecond }, false, "timeout"},
		"its time, engine stalls": {slow, func(c *service.Config) { c.ExportTimeout = 50 * time.Millisecond }, false, "timeout"},
		"stop, client stalls":     {nil, func(*service.Config) {}, true, "stopped"},
		"stop, engine stalls":     {slow, func(*service.Config) {}, true, "stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, repeated(total, tt.turn), tt.config)
			l := servicetest.ListenTLS(t, s.App)
			_, res := s.begin(t, l, access.Pro, "/v1/filings/export")
			if tt.stop {
				s.Service.CutExports()
			}
			s.checkPaid(t, "user-pro", total, 0, tt.outcome)
			if n, err := io.Copy(io.Discard, res.Body); !errors.Is(err, io.ErrUnexpectedEOF) && err == nil {
				t.Errorf("%d bytes, and no error", n)
			}
			if tt.stop {
				if a := s.get(t, access.Pro, "/v1/filings/1"); a.status != http.StatusNotFound {
					t.Errorf("another request meanwhile: %d", a.status)
				}
			}
		})
	}
}
