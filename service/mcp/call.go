package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/params"
)

// Call is one call of a tool: the request that it stands for, and then its result.
type Call struct {
	Path      string            // of the endpoint, as the table of endpoints has it
	Query     string            // its query string
	InPath    map[string]string // the parameters in the path
	Taken     bool              // the SDK has read it as a call, too, and refuses nothing of it
	Admission access.Admission  // of the caller

	tool      *tool
	arguments jsontext.Value
	owner     string // that the client filters by
	nearest   string // owners in place of one that has no filings
	rows      int    // of the result, at the most
	most      int    // bytes of it
	cut       int    // how many rows there were before some were left out; 0: none was
	extra     []byte // members of the result after those of the response
	text      []byte // of the result, for mark
	failed    bool   // text is why there is no result
}

// Handler returns the handler of the endpoint as c needs it.
func (c *Call) Handler(h handlers.Handler) handlers.Handler {
	if c.tool.handle == nil {
		return h
	}
	return func(ctx context.Context, r *serving.Reader, q params.Request) (handlers.Result, error) {
		return c.tool.handle(ctx, c, h, r, q)
	}
}

// add adds a member to the result.
func (c *Call) add(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // only numbers and texts: they always encode
	}
	c.extra = append(fmt.Appendf(c.extra, ",%q:", name), text...)
}

// limited reads at most c.rows. The cursor after them holds the limit that the client wants.
func limited(
	ctx context.Context, c *Call, h handlers.Handler, r *serving.Reader, q params.Request,
) (handlers.Result, error) {
	q.Query.Limit = min(q.Query.Limit, c.rows)
	result, err := h(ctx, r, q)
	changes, _ := result.Data.(handlers.Changes) // which are not counted
	if err != nil || result.Total > 0 || len(changes) > 0 {
		return result, err
	}
	return result, c.nameNear(ctx, r)
}

// nameNear looks for owners whose name has the words of the one that the client filters by, or words
// near them. That takes time for each word: nothing is near a name that is longer than one to search.
func (c *Call) nameNear(ctx context.Context, r *serving.Reader) error {
	words, key := index.NameTokens(c.owner), index.Fold(index.OwnerKeyOf(c.owner))
	if len(words) == 0 || utf8.RuneCountInString(c.owner) > params.MaxTerm {
		return nil
	}
	known, err := r.Count(ctx, index.Where(index.AnyOf{Fields: []index.Field{index.OwnerKey}, Values: []string{key}}))
	if err != nil || known > 0 { // the other arguments leave it out
		return err
	}
	found, err := r.Owners(ctx, index.OwnerQuery{Tokens: words, Limit: 3})
	if err == nil && found.Total == 0 {
		var nearest [][]string
		if nearest, err = r.Nearest(ctx, words); err != nil {
			return err
		}
		for i := range words {
			words[i] = slices.Concat(nearest[i], words[i:i+1])[0]
		}
		found, err = r.Owners(ctx, index.OwnerQuery{Tokens: words, Limit: 3})
	}
	var names []string
	for _, owner := range found.List {
		names = append(names, owner.Name)
	}
	if len(names) > 0 {
		c.nearest = fmt.Sprintf("no owner is %q, but some are %s (find_owners lists them)",
			params.Shorten(c.owner), strings.Join(names, "; "))
	}
	return err
}

// rest is the sum of all other groups.
type rest struct {
	Groups       int64 `json:"groups"`
	Filings      int64 `json:"filings"`
	FilingAmount struct {
		Count int64   `json:"count"`
		Sum   float64 `json:"sum"`
	} `json:"filingAmount"`
}

// grouped adds up the groups that are left out: all, less those returned. All are added up by a
// dimension of few groups, in which each filing counts as often as in those of the client.
func grouped(
	ctx context.Context, c *Call, h handlers.Handler, r *serving.Reader, q params.Request,
) (handlers.Result, error) {
	most := min(q.Groups.Limit, c.rows)
	if q.Groups.Limit = most; slices.Contains(q.Groups.Dimensions, index.ByOwner) {
		q.Groups.Limit += maxRows // since filings without an owner are no group of an owner
	}
	result, err := h(ctx, r, q)
	if err != nil {
		return result, err
	}
	if result.Total == 0 {
		return result, c.nameNear(ctx, r)
	}
	first := result.Data.(handlers.Groups).WithKey(index.ByOwner, most)
	result.Data = first
	few := index.ByYear
	if slices.Contains(q.Groups.Dimensions, index.ByCategory) {
		few = index.ByCategory
	}
	groups, err := r.Groups(ctx, q.Query.Where, index.GroupQuery{Dimensions: []index.Dimension{few}})
	if err != nil {
		return result, err
	}
	total, shown := handlers.Total(groups.List), first.Total()
	remainder := rest{Groups: result.Total - int64(first.Len()), Filings: total.Filings - shown.Filings}
	remainder.FilingAmount.Count = total.Amounts - shown.Amounts
	remainder.FilingAmount.Sum = index.Dollars(total.SumCents - shown.SumCents)
	c.add("rest", remainder)
	return result, nil
}

// described adds the parts that are no field: today, generations and limits.
func described(
	ctx context.Context, c *Call, h handlers.Handler, r *serving.Reader, q params.Request,
) (handlers.Result, error) {
	result, err := h(ctx, r, q)
	if err != nil {
		return result, err
	}
	earlier, err := r.Earlier(ctx)
	if err != nil {
		return result, err
	}
	if fields := result.Data.(handlers.JSON).Value.([]handlers.FieldStats); len(fields) > c.rows {
		result.Data = handlers.JSON{Value: fields[:c.rows]}
	}
	c.add("today", q.Now.UTC().Format(time.DateOnly))
	c.add("generation", index.GenerationID(r.Generation()))
	c.add("changes_since", earlier)
	a := c.Admission
	quota := map[string]any{"name": a.Tier.QuotaName(), "limit": a.Limit, "remaining": a.Remaining}
	if a.Tier != access.Free {
		quota["resets_at"] = a.Reset
	}
	c.add("limits", map[string]any{
		"quota": quota, "calls_a_second": a.Burst.Limit, "rows_of_a_result": maxRows, "bytes_of_a_result": c.most,
	})
	return result, nil
}

// Fit makes body, the endpoint's response, the result of c. It returns false where that would be
// too large, after it has lowered the number of rows: the handler is to be called again.
func (c *Call) Fit(body []byte) bool {
	text := slices.Concat(bytes.TrimSuffix(body, []byte{'}'}), c.extra)
	c.extra = nil
	if hint := c.hint(body); hint != "" {
		text = index.AppendString(append(text, `,"hint":`...), hint)
	}
	text = append(text, '}')
	size := sentSize(text)
	if size <= c.most-overhead {
		c.text = text
		return true
	}
	var rows struct {
		Data       []json.RawMessage
		Pagination struct {
			Next string `json:"next_cursor"`
		}
	}
	if json.Unmarshal(body, &rows) != nil || len(rows.Data) < 2 {
		onward := ""
		if rows.Pagination.Next != "" {
			onward = fmt.Sprintf("; to leave it out, go on with cursor %q", rows.Pagination.Next)
		}
		c.Refuse(fmt.Sprintf("one row alone is too large, since a result has at most %d bytes: %s%s", c.most,
			c.tool.narrow, onward))
		return true
	}
	c.cut = cmp.Or(c.cut, len(rows.Data))
	for _, row := range rows.Data {
		size -= sentSize(row) + 2
	}
	if c.rows = 0; size < c.most-overhead-hintSize {
		for _, row := range rows.Data[1:] { // the last ones become fewer
			if size += sentSize(row) + 2; size > c.most-overhead-hintSize {
				break
			}
			c.rows++
		}
	}
	c.rows = min(max(1, c.rows), len(rows.Data)-1)
	return false
}

// mark stands in a result for the text of c, which the SDK would encode several times over.
const mark = "the response of the endpoint"

// Insert puts the text of c into message, the result as the SDK sends it: the last mark is its own,
// with any id of the client.
func (c *Call) Insert(message []byte) []byte {
	const quoted = `"` + mark + `"}]`
	place := bytes.LastIndex(message, []byte(quoted))
	whole := append(make([]byte, 0, len(message)+c.most), message[:place]...)
	whole = append(index.AppendString(whole, string(c.text)), "}]"...)
	if c.failed {
		whole = append(whole, `,"isError":true`...)
	}
	return append(whole, message[place+len(quoted):]...)
}

const (
	overhead = 256 // bytes of a result around its text
	hintSize = 512 // bytes that a hint takes
)

// sentSize is how many bytes a text of JSON takes in a result, at the most, as a string.
func sentSize(text []byte) int {
	n := len(text)
	for _, b := range text {
		switch b {
		case '"', '\\':
			n++
		case 0xE2: // begins U+2028, which is escaped in a string
			n += 3
		}
	}
	return n
}

// hint names the remedy for left-out rows, for a value that no filing has, or for no rows.
func (c *Call) hint(body []byte) string {
	var response struct {
		Meta struct{ Unmatched []handlers.Unmatched }
	}
	unmatched := ""
	if bytes.Contains(body, []byte(`"unmatched":[`)) && json.Unmarshal(body, &response) == nil &&
		len(response.Meta.Unmatched) > 0 {
		unmatched = response.Meta.Unmatched[0].String()
	}
	switch {
	case c.cut > 0:
		onward := ""
		if bytes.Contains(body, []byte(`"next_cursor":"`)) {
			onward = "go on with cursor set to next_cursor, or "
		}
		return fmt.Sprintf("only the first %d of %d rows are here, since a result has at most %d bytes: %s%s", c.rows,
			c.cut, c.most, onward, c.tool.narrow)
	case bytes.Contains(body[:min(len(body), 40)], []byte(`"data":[]`)):
		return strings.TrimPrefix(cmp.Or(c.nearest, unmatched)+": ", ": ") +
			"nothing here matches these arguments, though other filings may be there: " +
			"describe_data and list_counties say what there is"
	}
	return unmatched
}

// Refuse makes message the result of c, which fails. An endpoint's highest limit is not a tool's.
func (c *Call) Refuse(message string) {
	const limit = "limit must be between 1 and "
	if strings.HasPrefix(message, limit) {
		message = limit + strconv.Itoa(maxRows)
	}
	c.text, c.failed = []byte(message), true
}
