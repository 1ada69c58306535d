package changes

import (
	"slices"

	"filings/index"
)

// Path leads from one generation to another.
type Path []Hop

// Hop is a changeset on a path.
type Hop struct {
	Generation string // that the changeset leads to
	Back       bool   // it is gone from the generation to its parent
}

// Find returns the path between the generations with these public ids; false where changesets do
// not lead from one to the other, or know neither.
func Find(changesets []index.Changeset, since, until string) (Path, bool) {
	origin := make(map[string]index.Changeset, len(changesets))
	known := false
	for _, s := range changesets {
		origin[index.GenerationID(s.Generation)] = s
		known = known || index.GenerationID(s.Generation) == since || index.GenerationID(s.Parent) == since
	}
	if since == until {
		return nil, known
	}
	up, down := toRoot(origin, since), toRoot(origin, until)
	// Both end at the same changesets if they have a root in common; what is left of them is the path.
	for len(up) > 0 && len(down) > 0 && up[len(up)-1] == down[len(down)-1] {
		up, down = up[:len(up)-1], down[:len(down)-1]
	}
	if end(up, since) != end(down, until) {
		return nil, false
	}
	var path Path
	for _, s := range up {
		path = append(path, Hop{s.Generation, true})
	}
	for _, s := range slices.Backward(down) {
		path = append(path, Hop{s.Generation, false})
	}
	return path, true
}

// toRoot returns the changesets from a generation back to the first one that is known. Each parent
// is older, so it ends.
func toRoot(origin map[string]index.Changeset, id string) (changesets []index.Changeset) {
	for {
		s, ok := origin[id]
		parent := index.GenerationID(s.Parent)
		if !ok || parent >= id {
			return changesets
		}
		changesets, id = append(changesets, s), parent
	}
}

// end returns the id of the generation that the changesets back from id lead to.
func end(changesets []index.Changeset, id string) string {
	if len(changesets) == 0 {
		return id
	}
	return index.GenerationID(changesets[len(changesets)-1].Parent)
}
