package negotiate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestP5_Handling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		prefer []string
		want   string
	}{
		{nil, ""}, {[]string{""}, ""}, {[]string{"handling=strict"}, "strict"}, {[]string{"HANDLING = Strict"}, "strict"},
		{[]string{`handling="strict"`}, "strict"}, {[]string{"a, handling=strict;b=c"}, "strict"}, {[]string{"wait=10", "handling=strict"}, "strict"},
		{[]string{"handling=lenient, handling=strict"}, "lenient"}, {[]string{"handling"}, ""}, {[]string{"handling=other"}, ""},
		{[]string{"xhandling=strict"}, ""}, {[]string{"a;handling=strict"}, ""},
	} {
		if got := Handling(strings.Join(tt.prefer, ",")); got != tt.want {
			t.Errorf("handling(%q) = %q, want %q", tt.prefer, got, tt.want)
		}
	}
}

// wellFormedTags is If-None-Match as RFC 9110 has it, section 13.1.2, and tagsIn finds its opaque tags. Blanks and empty
// items may stand between tags, but the list does not begin with an empty one.
var (
	wellFormedTags = regexp.MustCompile(`^[ \t]*(W/)?"[^"]*"([ \t]*,[ \t,]*(W/)?"[^"]*")*[ \t,]*$`)
	tagsIn         = regexp.MustCompile(`"[^"]*"`)
)

// FuzzMatchTag compares MatchTag with a reading by regular expressions: in a well-formed list a tag matches if it is an
// item, weak or not; elsewhere it matches only if it is there at all. And a tag that is put into a list is found in it.
func FuzzMatchTag(f *testing.F) {
	for _, seed := range []string{"*", `W/"a"`, `"a", "b"`, `"`, `W/`, `"a`, `,,`, `W/"0123", *`, ` "a" ,,	W/"b"`, `"a" "b"`, `""`, `w/"a"`} {
		f.Add(seed, "a")
		f.Add(seed, `a", "b`)
	}
	f.Fuzz(func(t *testing.T, header, text string) {
		opaque := `"` + strings.ReplaceAll(text, `"`, "") + `"`
		got := MatchTag(header, "W/"+opaque)
		listed := slices.Contains(tagsIn.FindAllString(header, -1), opaque)
		switch {
		case strings.Trim(header, " \t") == "*":
			if got != MatchAny {
				t.Fatalf("%q: %v", header, got)
			}
		case got == MatchAny, got == Matches && !strings.Contains(header, opaque), wellFormedTags.MatchString(header) && (got == Matches) != listed:
			t.Fatalf("%q and %q: %v", header, opaque, got)
		}
		if !wellFormedTags.MatchString(header) {
			return
		}
		for _, list := range []string{opaque + "," + header, "W/" + opaque + " , " + header, header + ", W/" + opaque, header + ",\t" + opaque + " "} {
			if MatchTag(list, "W/"+opaque) != Matches {
				t.Fatalf("%q is not found in %q", opaque, list)
			}
		}
	})
}

// FuzzNegotiate puts an Accept-Encoding together from qualities in thousandths, of which any may be missing: the coding that
// is chosen is one of the best, and not one with quality 0. Whatever else a header says, nothing but these two is chosen.
func FuzzNegotiate(f *testing.F) {
	for _, seed := range []string{"gzip", "br;q=0.5,gzip;q=0.1", "*;q=0", ";;,", "gzip;q=NaN"} {
		f.Add(seed, uint16(1000), uint16(0), uint16(500))
		f.Add(seed, uint16(100), uint16(2000), uint16(0))
		f.Add(seed, uint16(2000), uint16(2000), uint16(1000))
	}
	f.Fuzz(func(t *testing.T, header string, gzip, br, others uint16) {
		if got := Coding(header, "gzip", "br"); got != "" && got != "gzip" && got != "br" {
			t.Fatalf("%q: %q", header, got)
		}
		quality := map[string]int{}
		var items []string
		for name, q := range map[string]uint16{"gzip": gzip, "br": br, "*": others, "identity": gzip ^ br} {
			if q <= 1000 {
				quality[name] = int(q)
				items = append(items, fmt.Sprintf(" %s ; q=%d.%03d", strings.ToUpper(name), q/1000, q%1000))
			}
		}
		of := func(name string) int {
			if q, ok := quality[name]; ok {
				return q
			}
			return quality["*"]
		}
		want := "" // the best one; gzip of two alike
		switch {
		case of("gzip") > 0 && of("gzip") >= of("br"):
			want = "gzip"
		case of("br") > 0:
			want = "br"
		}
		if accept := strings.Join(items, ","); Coding(accept, "gzip", "br") != want {
			t.Fatalf("%q: %q, want %q", accept, Coding(accept, "gzip", "br"), want)
		}
	})
}

// FuzzIgnoredHeader: whatever a client calls its parameters, X-Ignored-Parameters can be sent, and says all short names.
func FuzzIgnoredHeader(f *testing.F) {
	for _, seed := range []string{"a", "a\r\nX: y", "é,b", "%", strings.Repeat("n", 100), ""} {
		f.Add(seed, "other")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		header := Tokens([]string{a, b})
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r >= 0x7f }) || len(header) > 1024+len(", ...") {
			t.Fatalf("%q, %q: %q cannot be sent", a, b, header)
		}
		for i, item := range strings.Split(header, ", ") {
			if name := []string{a, b}[i]; tokenOf(name) == name && len(name) <= 64 && item != name {
				t.Fatalf("%q is %q", name, item)
			}
		}
	})
}
