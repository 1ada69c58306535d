package mapping

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

const coordinate = `(-?\d+(?:\.\d+)?)`

// pointForms are the texts of points. Some have the longitude first, and some follow an address.
var pointForms = []struct {
	text           *regexp.Regexp
	longitudeFirst bool
}{
	{regexp.MustCompile(`^\(?\s*` + coordinate + `°?\s*[,;]\s*` + coordinate + `°?\s*\)?$`), false},
	{regexp.MustCompile(`\n\s*\(` + coordinate + `°?,\s*` + coordinate + `°?\)$`), false},
	{regexp.MustCompile(`^(?i:(?:SRID=(?:4326|4269);)?\s*POINT\s*Z?M?)\s*\(\s*` +
		coordinate + `\s+` + coordinate + `(?:\s+[-+.\deE]+){0,2}\s*\)$`), true},
	{regexp.MustCompile(`^\{(?:[^{}]*,)?\s*['"]coordinates['"]\s*:\s*` +
		`\[\s*` + coordinate + `\s*,\s*` + coordinate + `\s*(?:,[^\]]*)?\](?:\s*,[^{}]*)?\}$`), true},
}

// point reads "(42.39, -82.98)", latitude first, alone or below the lines of an address; "POINT
// (-82.98 42.39)", which has the longitude first; and a point of GeoJSON, as an object or the text
// of one, as JSON and Python write it.
func point(v any) any {
	s, ok := v.(string)
	switch object, isObject := v.(map[string]any); {
	case Blank(v):
		return nil
	case isObject && object["type"] == "Point":
		text, _ := gojq.Marshal(v) // a value that a program has
		s = string(text)
	case !ok:
		return cannotRead("point", v)
	}
	s = strings.TrimSpace(s)
	for _, form := range pointForms {
		m := form.text.FindStringSubmatch(s)
		if m == nil || strings.HasPrefix(s, "{") && !strings.Contains(s, "Point") {
			continue
		}
		lat, err1 := strconv.ParseFloat(m[1], 64)
		lon, err2 := strconv.ParseFloat(m[2], 64)
		if err1 != nil || err2 != nil {
			return fail("point cannot read %s: its numbers are too long", quoted(s))
		}
		if form.longitudeFirst {
			lat, lon = lon, lat
		}
		return map[string]any{"latitude": lat, "longitude": lon}
	}
	return fail(`point cannot read %s; it reads texts such as "(42.39, -82.98)" and "POINT (-82.98 42.39)"`, quoted(s))
}
