package generation

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"filings/index"
)

// Name names a generation of prefix that is begun at t: `filings-20260131-235959.123456-v1`. Names of one
// prefix sort by time.
func Name(prefix string, t time.Time, version int) string {
	return fmt.Sprintf("%s-%s-v%d", prefix, t.UTC().Format(index.GenerationLayout), version)
}

// VersionOf returns the version of the data in the name of a generation, 0 for any other name.
func VersionOf(name string) int {
	version, _ := strconv.Atoi(name[strings.LastIndexByte(name, 'v')+1:])
	return version
}

// ParseName returns when the generation of prefix with that name was begun; false for any other name.
func ParseName(prefix, name string) (time.Time, bool) {
	rest, _ := strings.CutPrefix(name, prefix+"-")
	created, version, _ := strings.Cut(rest, "-v")
	v, err := strconv.ParseUint(version, 10, 31)
	if err != nil {
		return time.Time{}, false
	}
	t, err := time.Parse(index.GenerationLayout, created)
	if err != nil || name != Name(prefix, t, int(v)) { // both take more than is written
		return time.Time{}, false
	}
	return t, true
}
