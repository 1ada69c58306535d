package peers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// turns is how often each side is measured, and long how long each time, after warmUp: a JVM compiles for seconds.
	turns  = 5
	long   = time.Second
	warmUp = 5 * time.Second
	// checks is how many answers to each question are compared, and neverMeasured the number of the first of these requests.
	checks        = 5
	neverMeasured = 10_000_000
)

// connections are how many clients ask at a time.
var connections = []int{1, 8}

// Compare asks all and prints the table: the answers a second of each of the service's engines, and how many times those of
// the others that is.
func Compare(ctx context.Context, own, others []*Peer, asked []Question) error {
	all := slices.Concat(own, others)
	fmt.Print("\n| answers a second, at 1 and 8 connections")
	for _, p := range own {
		fmt.Printf(" | %s", p.Name)
		for _, other := range others {
			fmt.Printf(" | / %s", other.Name)
		}
	}
	fmt.Printf(" |\n|%s\n", strings.Repeat("---|", 1+len(own)*(1+len(others))))
	for _, q := range asked {
		rates := map[*Peer][][]float64{} // at each number of connections, in each turn
		for _, p := range all {
			if err := p.compare(own[0], q); err != nil {
				return err
			}
			if _, err := p.rate(ctx, q, 8, warmUp); err != nil {
				return err
			}
			rates[p] = make([][]float64, len(connections))
		}
		for i, n := range connections {
			for range turns {
				for _, p := range all {
					one, err := p.rate(ctx, q, n, long)
					if err != nil {
						return err
					}
					rates[p][i] = append(rates[p][i], one)
				}
			}
		}
		fmt.Printf("| %s", q.Name)
		for _, p := range own {
			fmt.Printf(" | %s", eachMedian("%.0f", rates[p], nil))
			for _, other := range others {
				fmt.Printf(" | %s", eachMedian("%.2f", rates[p], rates[other]))
			}
		}
		fmt.Println(" |")
	}
	for _, p := range all[1:] {
		fmt.Printf("\n%d of %d answers of %s compared were those of the service on %s: total, and ids in order.\n", p.equal, p.compared, p.Name, own[0].Name)
	}
	return nil
}

// eachMedian prints the median of each series, or of its ratio to the other one, turn by turn.
func eachMedian(form string, series, other [][]float64) string {
	var texts []string
	for i, values := range series {
		values = slices.Clone(values)
		for turn := range values {
			if other != nil {
				values[turn] /= other[i][turn]
			}
		}
		slices.Sort(values)
		texts = append(texts, fmt.Sprintf(form, values[len(values)/2]))
	}
	return strings.Join(texts, ", ")
}
