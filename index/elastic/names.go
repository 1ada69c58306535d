package elastic

import (
	"strings"

	"filings/index/generation"
	"filings/index/sidecar"
)

// catalogIndex has one document, the catalog of generations.
func (s *storage) catalogIndex() string { return s.alias + "-catalog" }

// catalogAlias is the alias that the catalog is written through. A write that demands an alias
// cannot create an index.
func (s *storage) catalogAlias() string { return s.catalogIndex() + "-write" }

// buildAlias is the alias that a generation is written through. A write that demands an alias
// cannot create an index.
func buildAlias(generation string) string { return generation + "-build" }

// sidecars are the kinds of hidden indices NAME-KIND beside a generation, those that former
// versions made included. The catalog decides on them.
var sidecars = []string{sidecar.Kept, sidecar.Changeset, "stamps", "counties", "owners"}

// part returns the part that an index is; false for one that is none of this store's.
func (s *storage) part(name string) (p generation.Part, ok bool) {
	for _, kind := range sidecars {
		if base, cut := strings.CutSuffix(name, "-"+kind); cut {
			name, p.Kind = base, kind
			break
		}
	}
	_, ok = generation.ParseName(s.alias, name)
	p.Generation = name
	return p, ok
}

// indexOf names the index of a part.
func indexOf(p generation.Part) string {
	if p.Kind == generation.FilingsPart {
		return p.Generation
	}
	return p.Generation + "-" + p.Kind
}

// changesetIndex names the sidecar that holds a changeset.
func changesetIndex(name string) string {
	return indexOf(generation.Part{Generation: name, Kind: generation.ChangesPart})
}
