package reindexer

// idSet is a set of ids: 64 neighbours share an entry of a map, one bit each. Half a million ids without large gaps
// need 200 KB; ids at random over all 63 bits some 30 bytes each. (A roaring64 bitmap needs less for the former and a
// time that grows with the square of their number for the latter.)
type idSet map[int64]uint64

// add adds id and reports whether it was not there before.
func (s idSet) add(id int64) bool {
	word, bit := s[id>>6], uint64(1)<<(id&63)
	if word&bit != 0 {
		return false
	}
	s[id>>6] = word | bit
	return true
}
