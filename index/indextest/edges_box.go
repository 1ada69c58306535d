package indextest

import (
	"math"

	"filings/index"
)

func point(id int64, lat, lon float64) *index.Filing {
	return made(id, values{index.Latitude: lat, index.Longitude: lon})
}

func box(north, south, east, west float64) index.Filter {
	return index.Where(index.Box{North: north, South: south, East: east, West: west})
}

// boxGroup holds points at, and 1e-9 degrees beside, the edges of a box: less than a quantised point can tell.
func boxGroup() group {
	const n, s, e, w = 28.6543217, 28.1234567, -81.1234567, -81.7654321
	const little = 1e-9
	return group{"P15 edges", []*index.Filing{
		point(1, n, e),
		point(2, n, w),
		point(3, s, e),
		point(4, s, w),
		point(5, 28.4, -81.4),
		point(6, n+little, -81.4),
		point(7, s-little, -81.4),
		point(8, 28.4, e+little),
		point(9, 28.4, w-little),
		point(10, math.Nextafter(n, 90), -81.4),
		point(11, math.Nextafter(s, -90), -81.4),
		point(12, 28.4, math.Nextafter(e, 180)),
		point(13, 28.4, math.Nextafter(w, -180)),
		point(14, math.Nextafter(n, -90), math.Nextafter(e, -180)),
		made(15, nil),
	}, []edgeCase{
		{"edges are inside, exactly", box(n, s, e, w), []int64{1, 2, 3, 4, 5, 14}},
		{"a point", box(n, n, e, e), []int64{1}},
		{"a line along a meridian", box(90, -90, w, w), []int64{2, 4}},
		{"a line along a parallel", box(s, s, 180, -180), []int64{3, 4}},
		{"the world", box(90, -90, 180, -180), []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}},
		{"beside them all", box(-28, -29, -81, -82), nil},
		{"south of the equator only", box(negativeZero, -90, 180, -180), nil},
	}}
}

// antimeridianGroup holds points around 180 degrees, the poles and zero.
func antimeridianGroup() group {
	return group{"P15 antimeridian", []*index.Filing{
		point(1, 52, 180),
		point(2, 52, -180),
		point(3, 52, 179.5),
		point(4, 52, -179.5),
		point(5, 52, 178.9),
		point(6, 52, -178.9),
		point(7, 52, 0),
		point(8, 90, 10),
		point(9, -90, 10),
		point(10, 0, 0),
		point(11, math.Nextafter(52, 90), 180),
	}, []edgeCase{
		{"west > east crosses it", box(53, 51, -179, 179), []int64{1, 2, 3, 4, 11}},
		{"edges are inside when crossing", box(52, 52, -179.5, 179.5), []int64{1, 2, 3, 4}},
		{"180 is not -180", box(53, 51, 180, 179), []int64{1, 3, 11}},
		{"-180 is not 180", box(53, 51, -179, -180), []int64{2, 4}},
		{"the line of 180", box(53, 51, 180, 180), []int64{1, 11}},
		{"the line of -180", box(53, 51, -180, -180), []int64{2}},
		{"from 180 to -180 crosses", box(53, 51, -180, 180), []int64{1, 2, 11}},
		{"nearly all around", box(53, 51, 178.9, 179.5), []int64{1, 2, 3, 4, 5, 6, 7, 11}},
		{"crossing, by a gap of one bit", box(90, -90, math.Nextafter(0, -1), 0),
			[]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{"the poles", both(box(90, -90, 10, 10), box(90, 90, 180, -180)), []int64{8}},
		{"zero by its negative", box(negativeZero, negativeZero, negativeZero, negativeZero), []int64{10}},
		{"zero by itself", box(0, 0, 0, 0), []int64{10}},
	}}
}
