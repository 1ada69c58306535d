package search

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"filings/index"
)

// Reach is how far the page after another one is expected to reach: a crawl reads neighbouring pages, which are about as
// dense in their order. It decides what is searched first, never what is found.
type Reach struct {
	ties  int             // keys in which all filings of the page before are equal
	until json.RawMessage // a value of the key after these; nil: unknown
}

// reachFactor is how many times the width of the page before is searched first. A range of a few hundred filings is
// found as fast as one of a hundred, and fewer pages need a second search.
const reachFactor = 4

// ReachOf returns the reach after a page, from the positions of its first and its last filing.
func ReachOf(first, last Position) (r Reach) {
	if string(first[len(first)-1]) == string(last[len(last)-1]) {
		return Reach{} // one filing
	}
	for r.ties < len(last)-1 && string(first[r.ties]) == string(last[r.ties]) {
		r.ties++
	}
	r.until = past(first[r.ties], last[r.ties])
	return r
}

// past returns the value that lies reachFactor times as far after last as last lies after first, in the direction from
// first to last; nil where there is none.
func past(first, last json.RawMessage) json.RawMessage {
	from, to := string(first), string(last)
	if from == to || from == string(missing) || to == string(missing) {
		return nil
	}
	if first[0] == '"' {
		return pastText(first, last)
	}
	a, err1 := strconv.ParseInt(from, 10, 64)
	b, err2 := strconv.ParseInt(to, 10, 64)
	if err1 == nil && err2 == nil {
		width := b - a
		end := b + reachFactor*width
		if width > math.MaxInt64/reachFactor || width < math.MinInt64/reachFactor || (end > b) != (b > a) {
			return nil
		}
		return strconv.AppendInt(nil, end, 10)
	}
	x, err1 := strconv.ParseFloat(from, 64)
	y, err2 := strconv.ParseFloat(to, 64)
	end := y + reachFactor*(y-x)
	if err1 != nil || err2 != nil || math.IsInf(end, 0) {
		return nil
	}
	return strconv.AppendFloat(nil, end, 'g', -1, 64)
}

// pastText is past for folded texts. They are compared as numbers, the digits of which are the characters from two before
// the first that differs.
func pastText(first, last json.RawMessage) json.RawMessage {
	var text [2]string
	if json.Unmarshal(first, &text[0]) != nil || json.Unmarshal(last, &text[1]) != nil {
		return nil
	}
	from, to := []rune(text[0]), []rune(text[1])
	n := 0
	for n < len(from) && n < len(to) && from[n] == to[n] {
		n++
	}
	n = max(0, n-2)
	a, b := numberOf(from[n:]), numberOf(to[n:])
	end := b + reachFactor*(b-a)
	if end < 0 || end >= numbers {
		return nil
	}
	return index.AppendString(nil, string(to[:n])+textOf(end))
}

// Characters of folded texts are mostly these; others count as the next one here.
const (
	characters = " 0123456789:abcdefghijklmnopqrstuvwxyz{"
	digits     = 6
	base       = int64(len(characters))
	numbers    = base * base * base * base * base * base
)

// numberOf returns the number that a text begins with.
func numberOf(text []rune) (v int64) {
	for i := range digits {
		v *= base
		if i < len(text) {
			c := strings.IndexFunc(characters, func(c rune) bool { return c >= text[i] })
			if c < 0 {
				c = len(characters) - 1
			}
			v += int64(c)
		}
	}
	return v
}

// textOf is the inverse of numberOf.
func textOf(v int64) string {
	var text [digits]byte
	for i := range text {
		text[digits-1-i] = characters[v%base]
		v /= base
	}
	return strings.TrimRight(string(text[:]), characters[:1])
}

// fits reports whether r can be the reach in an order.
func (r Reach) fits(o Order) bool {
	return r.ties < len(o) && (r.until == nil || isOf(o[r.ties].field, r.until))
}
