package index

import (
	"fmt"
	"strings"
	"time"
)

const generationTime = "20060102-150405.000000"

// GenerationName names a generation of prefix that is begun at t: `filings-20260131-235959.123456-v1`. Names of one
// prefix sort by time.
func GenerationName(prefix string, t time.Time, version int) string {
	return fmt.Sprintf("%s-%s-v%d", prefix, t.UTC().Format(generationTime), version)
}

// GenerationTime returns when the generation of prefix with that name was begun; false for any other name.
func GenerationTime(prefix, name string) (time.Time, bool) {
	rest, ok := strings.CutPrefix(name, prefix+"-")
	stamp, version, ok2 := strings.Cut(rest, "-v")
	if !ok || !ok2 || strings.Trim(version, "0123456789") != "" || version == "" {
		return time.Time{}, false
	}
	t, err := time.Parse(generationTime, stamp)
	return t, err == nil
}
