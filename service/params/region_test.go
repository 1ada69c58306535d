package params

import (
	"strings"
	"testing"

	"filings/index"
)

func TestX34_Parameters(t *testing.T) {
	t.Parallel()
	circle := index.Circle{Center: index.Point{Latitude: 28.54, Longitude: -81.38}, Radius: 1500}
	triangle := index.Polygon{Corners: []index.Point{{Latitude: 28.5, Longitude: -81.4}, {Latitude: 28.6, Longitude: -81.4}, {Latitude: 28.55, Longitude: -81.3}}}
	for query, want := range map[string]index.Filter{
		"near=28.54,-81.38&radius=1500":                                           index.Where(circle),
		"radius=1500.0&near=%2028.540+,+-81.380+":                                 index.Where(circle),
		"polygon=28.5,-81.4;28.6,-81.4;28.55,-81.3":                               index.Where(triangle),
		"polygon=28.5,-81.4%3B28.6,+-81.4%3B+28.55%2C-81.3;":                      index.Where(triangle),
		"near=28.54,-81.38&radius=1500&polygon=28.5,-81.4;28.6,-81.4;28.55,-81.3": index.Where(circle, triangle),
		"near=&radius=&polygon=":                                                  index.Where(),
	} {
		for _, on := range []Endpoints{List, Groups, Export, Changes, TileSets} {
			full := query
			switch on {
			case Groups:
				full += "&by=county"
			case Changes:
				full += "&since=20261122-051422.061847"
			}
			q, _, err := newTable().parse(on, full)
			if err != nil || q.Query.Where.String() != want.String() {
				t.Errorf("%s: %v, %v, want %v", full, q.Query.Where, err, want)
			}
		}
	}
}

func TestX34_Parameters_Refused(t *testing.T) {
	t.Parallel()
	const point = "a latitude from -90 to 90 and a longitude from -180 to 180, as in 28.54,-81.38"
	const corners = "3 to 100 corners separated by semicolons, each a latitude from -90 to 90 and a longitude from -180 to 180, as in 28.5,-81.4;28.6,-81.4;28.55,-81.3"
	for query, want := range map[string]string{
		"near=28,-81":                               "near requires radius, the distance in meters",
		"radius=5":                                  "radius requires near, the center of the circle as LAT,LON",
		"near=28&radius=5":                          `near must be ` + point + `, not "28"`,
		"near=28,-81,3&radius=5":                    `near must be ` + point + `, not "28,-81,3"`,
		"near=91,0&radius=5":                        `near must be ` + point + `, not "91,0"`,
		"near=0,180.1&radius=5":                     `near must be ` + point + `, not "0,180.1"`,
		"near=2e2,0&radius=5":                       `near must be ` + point + `, not "2e2,0"`,
		"near=1e-99,0&radius=5":                     `near must be ` + point + `, not "1e-99,0"`,
		"near=1,1&near=1,1&radius=5":                "near must be given only once",
		"near=1,1&radius=0":                         `radius must be a plain decimal number between 1 and 100000, not "0"`,
		"near=1,1&radius=100000.1":                  `radius must be a plain decimal number between 1 and 100000, not "100000.1"`,
		"near=1,1&radius=NaN":                       `radius must be a plain decimal number between 1 and 100000, not "NaN"`,
		"polygon=1,1;2,2":                           "polygon must be " + corners + ", not 2 of them",
		"polygon=;":                                 "polygon must be " + corners + ", not 0 of them",
		"polygon=1,1;2,x;3,3":                       `polygon must be ` + corners + `, not "2,x"`,
		"polygon=1,1;2,2;3,3":                       "polygon must have an area",
		"polygon=0,0;0,180;1,1":                     "polygon must not have an edge of 180 degrees or more, as from 0,0 to 0,180",
		"polygon=0,0;0,1;1,1&polygon=2,2":           "polygon must be given only once",
		"polygon=1,1" + strings.Repeat(";2,2", 100): "polygon must be " + corners + ", not 101 of them",
	} {
		if got := fails(t, List, query, index.Free); got != want {
			t.Errorf("%s: %s\nwant %s", query, got, want)
		}
	}
}
