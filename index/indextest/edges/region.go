package edges

import (
	"math"

	"filings/index"
)

// Near selects the filings in a circle.
func Near(lat, lon, radius float64) index.Filter {
	return index.Where(index.Circle{Center: index.Point{Latitude: lat, Longitude: lon}, Radius: radius})
}

// Polygon selects the filings inside corners: a latitude and a longitude each.
func Polygon(corners ...float64) index.Filter {
	var p index.Polygon
	for i := 0; i < len(corners); i += 2 {
		p.Corners = append(p.Corners, index.Point{Latitude: corners[i], Longitude: corners[i+1]})
	}
	return index.Where(p)
}

// circleGroup holds points whose distances were computed in Python.
func circleGroup() Group {
	return Group{"X34 circle", []*index.Filing{
		Point(1, 28.5, -81.4),
		Point(2, 28.6, -81.4),      // 11,119.508023 m north of the first
		Point(3, 28.5, -81.3),      // 9,772.013653 m east of it
		Point(4, 28.6, -81.3),      // 14,800.172992 m
		Point(5, 28.5, -81.400009), // 0.879481 m west
		Point(6, 28.5, 98.6),
		Filing(7, nil),
		Point(8, 52, 180), // 34.229264 m east of 52, 179.9995
		Point(9, 52, -180),
		Point(10, 52, -179.9998), // 47.920969 m
		Point(11, 89.9999, 180),  // 22.239016 m from 89.9999, 0, behind the pole
		Point(12, 90, 77),        // 11.119508 m
		Filing(13, Values{index.Latitude: 28.5}),
	}, []Case{
		{"a meter", Near(28.5, -81.4, 1), []int64{1, 5}},
		{"the sphere, inside", Near(28.5, -81.4, 11119.51), []int64{1, 2, 3, 5}},
		{"the sphere, outside", Near(28.5, -81.4, 11119.5), []int64{1, 3, 5}},
		{"degrees of longitude are shorter, inside", Near(28.5, -81.4, 9772.02), []int64{1, 3, 5}},
		{"degrees of longitude are shorter, outside", Near(28.5, -81.4, 9772), []int64{1, 5}},
		{"no square", Near(28.5, -81.4, 14800), []int64{1, 2, 3, 5}},
		{"a millimetre beyond", Near(28.5, -81.4, 14800.173993), []int64{1, 2, 3, 4, 5}},
		{"the largest", Near(28.5, -81.4, index.MaxRadius), []int64{1, 2, 3, 4, 5}},
		{"across the antimeridian", Near(52, 179.9995, 40), []int64{8, 9}},
		{"across it, further", Near(52, 179.9995, 48), []int64{8, 9, 10}},
		{"from 180", Near(52, 180, 1), []int64{8, 9}},
		{"from -180", Near(52, -180, 1), []int64{8, 9}},
		{"over the pole", Near(89.9999, 0, 22.24), []int64{11, 12}},
		{"to the pole", Near(89.9999, 0, 22.23), []int64{12}},
		{"around the pole", Near(90, 0, 12), []int64{11, 12}},
		{"two circles", Both(Near(28.5, -81.4, 10000), Near(28.6, -81.3, 12000)), []int64{3}},
		{"a circle and a box", Both(Near(28.5, -81.4, 10000), InBox(29, 28, -81.35, -82)), []int64{1, 5}},
	}}
}

// polygonGroup holds points at, and less than a quantised point can tell beside, the outlines of polygons.
func polygonGroup() Group {
	const little = 1e-9
	return Group{"X34 polygon", []*index.Filing{
		Point(1, 10, 10),
		Point(2, 20, 20),
		Point(3, 15, 15),
		Point(4, 15, 10),
		Point(5, 15, 10-little),
		Point(6, 20+little, 15),
		Point(7, math.Nextafter(15, 20), 20),
		Point(8, 15, math.Nextafter(20, 30)),
		Point(9, 12, 18),
		Point(10, 18, 12),
		Filing(11, nil),
		Point(12, 0.1, 0.3), // on the line from 0, 0 to 0.3, 0.9, in decimals, not in floats
		Point(13, 0.1, math.Nextafter(0.3, 0)),
		Point(14, 0.1, math.Nextafter(0.3, 1)),
		Point(15, 15, 25),
		Point(16, 52, 180),
		Point(17, 52, -180),
		Point(18, 90, 0),
		Point(19, 51, 180-little),
	}, []Case{
		{"edges and corners are inside, exactly", Polygon(10, 10, 10, 20, 20, 20, 20, 10), []int64{1, 2, 3, 4, 7, 9, 10}},
		{"wound the other way", Polygon(20, 10, 20, 20, 10, 20, 10, 10), []int64{1, 2, 3, 4, 7, 9, 10}},
		{"closed by hand", Polygon(10, 10, 10, 20, 20, 20, 20, 10, 10, 10), []int64{1, 2, 3, 4, 7, 9, 10}},
		{"a corner again and again", Polygon(10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20, 20, 20, 10), []int64{1, 2, 3, 4, 7, 9, 10}},
		{"a diagonal", Polygon(10, 10, 20, 20, 10, 20), []int64{1, 2, 3, 7, 9}},
		{"a bow", Polygon(10, 10, 20, 20, 10, 20, 20, 10), []int64{1, 2, 3, 4, 7, 9, 10}},
		{"a bow on its side", Polygon(10, 10, 20, 20, 20, 10, 10, 20), []int64{1, 2, 3, 9, 10}},
		{"twice around is outside", Polygon(10, 10, 10, 20, 20, 20, 20, 10, 10, 10, 10, 20, 20, 20, 20, 12, 10, 12), []int64{1, 2, 4, 7, 10}},
		{"spikes are edges", Polygon(10, 10, 20, 10, 15, 10, 15, 25, 15, 10), []int64{1, 3, 4, 8, 15}},
		{"the line, in decimals", Polygon(0, 0, 0.3, 0.9, 0, 0.9), []int64{12, 14}},
		{"the other side of the line", Polygon(0, 0, 0.3, 0.9, 0.3, 0), []int64{12, 13}},
		{"to the antimeridian", Polygon(50, 170, 53, 180, 51, 180), []int64{16, 19}},
		{"along it", Polygon(53, 180, 50, 180, 50, 179), []int64{16, 19}},
		{"along the other side of it", Polygon(53, -180, 50, -180, 50, -179), []int64{17}},
		{"to the pole", Polygon(90, -50, 90, 50, 80, 0), []int64{18}},
		{"no point", Polygon(30, 30, 30, 31, 31, 30), nil},
		{"a polygon and a circle", Both(Polygon(10, 10, 10, 20, 20, 20, 20, 10), Near(15, 15, 1000)), []int64{3}},
		{"a polygon and a box", Both(Polygon(10, 10, 10, 20, 20, 20, 20, 10), InBox(16, 14, 15, 5)), []int64{3, 4}},
	}}
}
