package service

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// invalid is the refusal of a parameter: its name, and what must be.
func invalid(name, must string, args ...any) error {
	return refuse(errInvalid, name+" "+fmt.Sprintf(must, args...))
}

// mistaken is the refusal of a value that p does not take. The message for limit is the specification's, to the letter.
func (p *parameter) mistaken(name, text string) error {
	if p.op == opLimit {
		return invalid(name, "must be %s", p.form())
	}
	return invalid(name, "must be %s, not %s", p.form(), strconv.Quote(shorten(text)))
}

// shorten cuts a text of the client, so that a message stays readable.
func shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// unknown is the refusal of a name that the endpoint does not know, in strict handling. It names the nearest one.
func (t *table) unknown(on endpoints, name string) error {
	if len(t.names[on]) == 0 {
		return invalid(shorten(name), "is not a parameter here: this endpoint has none")
	}
	return invalid(shorten(name), "is not a parameter here; the nearest one is %s", t.nearest(on, name))
}

// nearest returns the current name of the endpoint's parameter that name, which may resemble an old one, is nearest to.
func (t *table) nearest(on endpoints, name string) string {
	best, least := "", 0
	for i := range t.rows {
		p := &t.rows[i]
		if p.on&on == 0 {
			continue
		}
		for _, candidate := range []string{p.name, p.legacy} {
			if d := distance(shorten(name), candidate); candidate != "" && (best == "" || d < least) {
				best, least = p.name, d
			}
		}
	}
	return best
}

// distance is the number of characters to insert, delete or replace to turn a into b.
func distance(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range []rune(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			substitute := diagonal
			if r != to[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}

// strict reports what the Prefer headers of a request say about handling (RFC 7240): "strict", "lenient", or "". The
// first one counts.
func handling(prefer []string) string {
	for preference := range strings.SplitSeq(strings.Join(prefer, ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, v, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "handling") {
			continue
		}
		v = strings.ToLower(strings.Trim(strings.TrimSpace(v), `"`))
		if v == "strict" || v == "lenient" {
			return v
		}
		return ""
	}
	return ""
}

// ignoredHeader writes names for X-Ignored-Parameters: what is not a token of HTTP is percent-encoded, and what is long
// is cut, since the names are the client's.
func ignoredHeader(names []string) string {
	const most, mostOfOne = 1024, 64
	var b strings.Builder
	for i, name := range names {
		token := tokenOf(name)
		if len(token) > mostOfOne {
			token = token[:mostOfOne-3] + "..."
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len()+len(token) > most {
			b.WriteString("...")
			break
		}
		b.WriteString(token)
	}
	return b.String()
}

func tokenOf(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		alphanumeric := '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if alphanumeric || slices.Contains([]byte("!#$&'*+-.^_`|~"), c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
