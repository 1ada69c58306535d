package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// regionKinds are the kinds of regions, each as parameters of one of so many degrees of latitude and longitude around a point. All have the
// same area, and so about as many filings.
var regionKinds = []struct {
	name  string
	query func(lat, lon, high, wide float64) string
}{
	{"box", func(lat, lon, high, wide float64) string {
		half := math.Sqrt(math.Pi) / 2
		return fmt.Sprintf("bounds_north=%f&bounds_south=%f&bounds_east=%f&bounds_west=%f", lat+half*high, lat-half*high, lon+half*wide, lon-half*wide)
	}},
	{"circle", func(lat, lon, high, _ float64) string {
		return fmt.Sprintf("near=%f,%f&radius=%f", lat, lon, high*math.Pi/180*6_371_008.8)
	}},
	{"polygon of 100 corners", func(lat, lon, high, wide float64) string {
		corners := make([]string, 100)
		for i := range corners {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(corners)))
			corners[i] = fmt.Sprintf("%f,%f", lat+high*sin, lon+wide*cos)
		}
		return "polygon=" + strings.Join(corners, "%3B")
	}},
}

// manyRegions is how many of each kind are requested. Their radii are from 300 m to 30 km.
const manyRegions = 400

// measureRegions measures pages of regions of both engines: each new, and once more with another filter.
func (b *bench) measureRegions(ctx context.Context) error {
	var points [][2]float64
	err := eachLine(b.data, func(line []byte) error {
		var f struct{ GeocodedLatitude, GeocodedLongitude *float64 }
		err := json.Unmarshal(line, &f)
		if err == nil && f.GeocodedLatitude != nil && f.GeocodedLongitude != nil {
			points = append(points, [2]float64{*f.GeocodedLatitude, *f.GeocodedLongitude})
		}
		return err
	})
	if err != nil {
		return err
	}
	fmt.Print("\n| page of 20 | a new region: ms, median and p99 | p99, of the box's | with another filter: median and p99 | p99, of the box's |\n|---|---|---|---|---|\n")
	return b.onBoth(ctx, "regions", func(engine string, s *served) error {
		random := rand.New(rand.NewPCG(1, 34)) //nolint:gosec // the same in each run
		took := make([][2][]time.Duration, len(regionKinds))
		for i := range warmUp + manyRegions {
			at, high := points[random.IntN(len(points))], 0.003*math.Pow(100, random.Float64())
			for _, kind := range random.Perm(len(regionKinds)) { // in turns
				query := regionKinds[kind].query(at[0], at[1], high, high/math.Cos(at[0]*math.Pi/180))
				for again, filter := range []string{"", "&max_amount=1000000000"} {
					one, err := s.timed(ctx, "/v1/filings?limit=20&"+query+filter)
					if err != nil {
						return err
					}
					if i >= warmUp {
						took[kind][again] = append(took[kind][again], one)
					}
				}
			}
		}
		for i, kind := range regionKinds {
			fmt.Printf("| %s, %s", engine, kind.name)
			for again := range 2 {
				p99 := quantile(took[i][again], .99)
				fmt.Printf(" | %s, %s | %.2f", ms(quantile(took[i][again], .5)), ms(p99), p99.Seconds()/quantile(took[0][again], .99).Seconds())
			}
			fmt.Println(" |")
		}
		return nil
	})
}
