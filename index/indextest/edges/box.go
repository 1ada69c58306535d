package edges

import (
	"math"

	"filings/index"
)

// boxGroup holds points at, and 1e-9 degrees beside, the edges of a box: less than a quantised point can tell.
func boxGroup() Group {
	const n, s, e, w = 28.6543217, 28.1234567, -81.1234567, -81.7654321
	const little = 1e-9
	return Group{"P15 edges", []*index.Filing{
		Point(1, n, e),
		Point(2, n, w),
		Point(3, s, e),
		Point(4, s, w),
		Point(5, 28.4, -81.4),
		Point(6, n+little, -81.4),
		Point(7, s-little, -81.4),
		Point(8, 28.4, e+little),
		Point(9, 28.4, w-little),
		Point(10, math.Nextafter(n, 90), -81.4),
		Point(11, math.Nextafter(s, -90), -81.4),
		Point(12, 28.4, math.Nextafter(e, 180)),
		Point(13, 28.4, math.Nextafter(w, -180)),
		Point(14, math.Nextafter(n, -90), math.Nextafter(e, -180)),
		Filing(15, nil),
	}, []Case{
		{"edges are inside, exactly", InBox(n, s, e, w), []int64{1, 2, 3, 4, 5, 14}},
		{"a point", InBox(n, n, e, e), []int64{1}},
		{"a line along a meridian", InBox(90, -90, w, w), []int64{2, 4}},
		{"a line along a parallel", InBox(s, s, 180, -180), []int64{3, 4}},
		{"the world", InBox(90, -90, 180, -180), []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}},
		{"beside them all", InBox(-28, -29, -81, -82), nil},
		{"south of the equator only", InBox(negativeZero, -90, 180, -180), nil},
	}}
}

// antimeridianGroup holds points around 180 degrees, the poles and zero.
func antimeridianGroup() Group {
	return Group{"P15 antimeridian", []*index.Filing{
		Point(1, 52, 180),
		Point(2, 52, -180),
		Point(3, 52, 179.5),
		Point(4, 52, -179.5),
		Point(5, 52, 178.9),
		Point(6, 52, -178.9),
		Point(7, 52, 0),
		Point(8, 90, 10),
		Point(9, -90, 10),
		Point(10, 0, 0),
		Point(11, math.Nextafter(52, 90), 180),
	}, []Case{
		{"west > east crosses it", InBox(53, 51, -179, 179), []int64{1, 2, 3, 4, 11}},
		{"edges are inside when crossing", InBox(52, 52, -179.5, 179.5), []int64{1, 2, 3, 4}},
		{"180 is not -180", InBox(53, 51, 180, 179), []int64{1, 3, 11}},
		{"-180 is not 180", InBox(53, 51, -179, -180), []int64{2, 4}},
		{"the line of 180", InBox(53, 51, 180, 180), []int64{1, 11}},
		{"the line of -180", InBox(53, 51, -180, -180), []int64{2}},
		{"from 180 to -180 crosses", InBox(53, 51, -180, 180), []int64{1, 2, 11}},
		{"nearly all around", InBox(53, 51, 178.9, 179.5), []int64{1, 2, 3, 4, 5, 6, 7, 11}},
		{"crossing, by a gap of one bit", InBox(90, -90, math.Nextafter(0, -1), 0),
			[]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{"the poles", Both(InBox(90, -90, 10, 10), InBox(90, 90, 180, -180)), []int64{8}},
		{"zero by its negative", InBox(negativeZero, negativeZero, negativeZero, negativeZero), []int64{10}},
		{"zero by itself", InBox(0, 0, 0, 0), []int64{10}},
	}}
}
