package negotiate

import "strings"

// Whether an If-None-Match names a tag.
type Match uint8

const (
	NoMatch  Match = iota
	Matches        // the tag is listed
	MatchAny       // "*": any response
)

// MatchTag compares the If-None-Match of a request with tag, weakly, as RFC 9110 says for it. A
// header that is not well-formed matches nothing.
func MatchTag(ifNoneMatch, tag string) Match {
	rest := strings.Trim(ifNoneMatch, " \t")
	if rest == "*" {
		return MatchAny
	}
	opaque := strings.TrimPrefix(tag, "W/")
	for rest != "" {
		rest = strings.TrimPrefix(rest, "W/")
		if !strings.HasPrefix(rest, `"`) {
			return NoMatch
		}
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			return NoMatch
		}
		if rest[:end+2] == opaque {
			return Matches
		}
		rest = strings.TrimLeft(rest[end+2:], " \t,")
	}
	return NoMatch
}
