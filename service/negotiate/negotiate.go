// Package negotiate reads the headers of a request that concern the form of its response: Accept,
// Accept-Encoding, Prefer and If-None-Match.
package negotiate

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Coding returns the one of codings that an Accept-Encoding prefers, "" for none. Of those that it
// likes alike it is the first.
func Coding(accept string, codings ...string) (best string) {
	quality, most := qualities(accept), 0.0
	for _, coding := range codings {
		q, ok := quality[coding]
		if !ok {
			q = quality["*"]
		}
		if q > most {
			best, most = coding, q
		}
	}
	return best
}

// qualities reads an Accept or an Accept-Encoding: how much each name in it is wanted, 1 where that is not said. Other
// parameters than q make no difference.
func qualities(accept string) map[string]float64 {
	quality := map[string]float64{}
	for item := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		q := 1.0
		for parameter := range strings.SplitSeq(parameters, ";") {
			if key, v, ok := strings.Cut(strings.TrimSpace(parameter), "="); ok && strings.EqualFold(key, "q") {
				q, _ = strconv.ParseFloat(v, 64) // a text that is no number is 0: not wanted
			}
		}
		quality[strings.ToLower(strings.TrimSpace(name))] = q
	}
	return quality
}

// preferences yields the preferences of a Prefer, and their values (RFC 7240).
func preferences(prefer string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for preference := range strings.SplitSeq(prefer, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if !yield(strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `"`)) {
				return
			}
		}
	}
}

// Handling returns the handling that the Prefer of a request names: "strict", "lenient", or "". The
// first preference of that name counts.
func Handling(prefer string) string {
	for name, value := range preferences(prefer) {
		if strings.EqualFold(name, "handling") {
			if value = strings.ToLower(value); value == "strict" || value == "lenient" {
				return value
			}
			return ""
		}
	}
	return ""
}

// Prefers reports whether the Prefer of a request has a preference without a value.
func Prefers(prefer, wanted string) bool {
	for name, value := range preferences(prefer) {
		if strings.EqualFold(name, wanted) {
			return value == "" // which is the same as none
		}
	}
	return false
}

// Tokens writes names as the value of a header: a character that no token of HTTP has is
// percent-encoded, and a long name is cut, since the names are the client's.
func Tokens(names []string) string {
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

// WantsGeoJSON reports whether an Accept prefers GeoJSON to JSON. Of two that it likes alike JSON is
// sent, unless GeoJSON is named and JSON is not. A client that accepts neither gets JSON.
func WantsGeoJSON(accept string) bool {
	quality := qualities(accept)
	qualityOf := func(mediaType string) (q float64, named bool) {
		if q, named = quality[mediaType]; named {
			return q, true
		}
		if q, ok := quality["application/*"]; ok {
			return q, false
		}
		return quality["*/*"], false
	}
	geo, geoNamed := qualityOf("application/geo+json")
	if older, named := qualityOf("application/vnd.geo+json"); named && older > geo || !geoNamed && named {
		geo, geoNamed = older, true
	}
	plain, plainNamed := qualityOf("application/json")
	return geo > plain || geo == plain && geo > 0 && geoNamed && !plainNamed
}
