"""Writes polygons, points around each, and which of these GEOS has inside or on the outline, for TestX34_PolygonsAsGEOS.

    pip install shapely==2.2.0
    python regions.py 40 >regions.ndjson                              # the file in this folder: made-up points
    python regions.py 5000 filings.ndjson.gz >/tmp/regions.ndjson     # around the points of filings
    TEST_GEOS=/tmp/regions.ndjson go test -count=1 -v -run TestX34_PolygonsAsGEOS ./index

A polygon has 3 to 100 corners, is 10 m to 300 km wide, and mostly crosses itself. Some corners are points, some edges run along a parallel
or a meridian through one.
"""

import bisect
import gzip
import json
import math
import random
import sys

import shapely

MOST = 400 if len(sys.argv) > 2 else 80  # points tried of a polygon


def points_of(path):
    with gzip.open(path, "rt") as lines:
        for line in lines:
            f = json.loads(line)
            lat, lon = f.get("geocodedLatitude"), f.get("geocodedLongitude")
            if lat is not None and lon is not None and -90 <= lat <= 90 and -180 <= lon <= 180:
                yield lat, lon


def made():
    for _ in range(20000):
        decimals = random.randrange(2, 8)
        lat, lon = random.choice([(28.5, -81.4), (51.9, 179.9), (0, 0)])
        yield round(lat + random.gauss(0, 0.05), decimals), max(-180, min(180, round(lon + random.gauss(0, 0.05), decimals)))


def corners_around(points, at, size):
    center = random.choice(points)
    regular = random.random() < 0.3  # as people draw them: around the middle
    corners = []
    for i in range(random.choice([3, 4, 5, 8, 20, 100])):
        angle = 2 * math.pi * i / 100 if regular else random.uniform(0, 2 * math.pi)
        reach = size * random.uniform(0.5, 1)
        lat, lon = center[0] + reach * math.sin(angle), center[1] + reach * math.cos(angle)
        lat, lon = max(-90, min(90, round(lat, 6))), max(-180, min(180, round(lon, 6)))
        match random.randrange(8):
            case 0:
                lat, lon = random.choice(near(points, at, center, size) or [center])
            case 1:
                lat = center[0]
            case 2:
                lon = center[1]
        corners.append((lat, lon))
    return corners


def near(points, at, center, size):
    low, high = bisect.bisect_left(at, center[0] - size), bisect.bisect_right(at, center[0] + size)
    some = points[low:high]
    if len(some) > 20 * MOST:
        some = random.sample(some, 20 * MOST)
    return [p for p in some if abs(p[1] - center[1]) <= size]


def main():
    random.seed(34)
    points = sorted(set(points_of(sys.argv[2]) if len(sys.argv) > 2 else made()))
    at = [lat for lat, _ in points]
    for _ in range(int(sys.argv[1])):
        size = 0.0001 * 10 ** random.uniform(0, 4.2)
        corners = corners_around(points, at, size)
        tried = near(points, at, corners[0], 2.5 * size)
        if len(tried) > MOST:
            tried = random.sample(tried, MOST)
        tried += corners
        outline = shapely.Polygon([(lon, lat) for lat, lon in corners])
        shapely.prepare(outline)  # points are located by counting crossings: the even-odd rule, also where the outline crosses itself
        inside = shapely.intersects_xy(outline, [lon for _, lon in tried], [lat for lat, _ in tried])
        print(json.dumps({"corners": corners, "points": tried, "inside": [bool(i) for i in inside]}, separators=(",", ":")))


main()
