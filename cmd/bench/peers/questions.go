package peers

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
)

// Question is the same for all peers.
type Question struct {
	Name string
	Path func(i int) string // of the i-th request, another one each time unless the name says otherwise
	New  bool               // it asks for filings that no request asked for before
}

// material has values of the data that requests can name.
type material struct {
	ids    []int64
	points [][2]float64 // latitude, longitude
	terms  []string     // words of owners
	known  map[any]bool // points and terms: each is there once
}

// word finds a term that a person might search for.
var word = regexp.MustCompile(`[a-z]{4,}`)

func (m *material) add(line []byte) error {
	var f struct {
		ID                                  int64
		Owner                               string
		GeocodedLatitude, GeocodedLongitude *float64
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return err
	}
	m.ids = append(m.ids, f.ID)
	if f.GeocodedLatitude != nil && f.GeocodedLongitude != nil {
		m.points = once(m.known, m.points, [2]float64{*f.GeocodedLatitude, *f.GeocodedLongitude})
	}
	for _, term := range word.FindAllString(strings.ToLower(f.Owner), -1) {
		m.terms = once(m.known, m.terms, term)
	}
	return nil
}

func once[T any](known map[any]bool, all []T, one T) []T {
	if known[one] {
		return all
	}
	known[one] = true
	return append(all, one)
}

// fewest is how many filings leave enough different pages.
const fewest = 60_000

// Questions returns the questions about so many filings, of which county has the most, with values
// of those that each hands over as lines of NDJSON. Values come in an order that does not depend on
// how common they are.
func Questions(each func(do func(line []byte) error) error, total int, county string) ([]Question, error) {
	m := material{known: map[any]bool{}}
	if err := each(m.add); err != nil {
		return nil, err
	}
	if len(m.points) == 0 || len(m.terms) == 0 || total < fewest {
		return nil, fmt.Errorf("peers are measured with %d filings or more, which have owners and coordinates", fewest)
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in each run
	random.Shuffle(len(m.ids), func(i, j int) { m.ids[i], m.ids[j] = m.ids[j], m.ids[i] })
	random.Shuffle(len(m.points), func(i, j int) { m.points[i], m.points[j] = m.points[j], m.points[i] })
	random.Shuffle(len(m.terms), func(i, j int) { m.terms[i], m.terms[j] = m.terms[j], m.terms[i] })
	county = url.QueryEscape(county)
	return []Question{
		{"a name", m.name, true},
		{"a box of 10 km", m.box, true},
		{"the largest county, from an amount on", func(i int) string {
			return fmt.Sprintf("/v1/filings?limit=20&county=%s&min_amount=%.2f", county, 1000+float64(i)/100)
		}, true},
		{"one filing", func(i int) string { return fmt.Sprintf("/v1/filings/%d", m.ids[i%len(m.ids)]) }, false},
		{"a page near the beginning", func(i int) string { return fmt.Sprintf("/v1/filings?limit=20&offset=%d", i*7919%50_000) }, false},
		{"a page deep in all", func(i int) string {
			return fmt.Sprintf("/v1/filings?limit=20&offset=%d", total*9/10+i*40_503%(total/10-20))
		}, false},
		{"the same page again and again", func(int) string { return "/v1/filings?limit=20" }, false},
	}, nil
}

// name searches for a term. Once all were, the filter makes it another request.
func (m *material) name(i int) string {
	path := "/v1/filings/search?limit=20&q=" + m.terms[i%len(m.terms)]
	if again := i / len(m.terms); again > 0 {
		path += fmt.Sprintf("&min_amount=%.2f", float64(again)/100)
	}
	return path
}

// box is around a filing. No point lies on an edge, where engines that round coordinates differ.
func (m *material) box(i int) string {
	p, moved := m.points[i%len(m.points)], float64(i/len(m.points))/1e6+.0000005
	return fmt.Sprintf("/v1/filings?limit=20&bounds_north=%.7f&bounds_south=%.7f&bounds_east=%.7f&bounds_west=%.7f",
		min(p[0]+.05+moved, 90), max(p[0]-.05+moved, -90), min(p[1]+.05+moved, 180), max(p[1]-.05+moved, -180))
}
