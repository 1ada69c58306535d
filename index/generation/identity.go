package generation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Identity are facts of a sealed generation, by their subjects (rule X24): they are other ones as
// soon as it holds something else, or cannot be queried as it could be. An engine reads them in
// milliseconds, whatever the generation holds; it keeps those of the sealing with the generation.
type Identity map[string]string

// Differs says in which facts the generation is no longer the one that was sealed, now being its
// facts as they are; "" where it is. A fact that is not in both is not compared: an engine leaves out
// facts that it cannot read at the moment, and older versions of the program kept none.
func (sealed Identity) Differs(now Identity) string {
	var all []string
	for _, subject := range slices.Sorted(maps.Keys(sealed)) {
		if fact, known := now[subject]; known && fact != sealed[subject] {
			all = append(all, fmt.Sprintf("%s: sealed with %s, has %s", subject, sealed[subject], fact))
		}
	}
	if len(all) > mostDifferences {
		all = append(all[:mostDifferences], fmt.Sprintf("and %d more", len(all)-mostDifferences))
	}
	return strings.Join(all, "; ")
}

// mostDifferences is how many facts an error names: an index may have a thousand shards.
const mostDifferences = 5
