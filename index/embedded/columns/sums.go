package columns

import (
	"context"
	"math"

	"filings/index"
)

// sum holds the totals of one group: one value on each of the two axes.
type sum struct {
	first, second    uint32
	filings, amounts int64
	cents            float64
	least, most      float64
}

func (s *sum) add(amount float64) {
	s.filings++
	if math.IsNaN(amount) {
		return
	}
	if s.amounts == 0 {
		s.least, s.most = amount, amount
	}
	s.amounts++
	s.cents += index.Cents(amount)
	s.least, s.most = min(s.least, amount), max(s.most, amount)
}

// sums are the sums of all places at which there are filings.
type sums struct {
	all    []sum
	second int               // places on the second axis
	dense  []uint32          // by place: its position in all, counted from 1
	sparse map[uint64]uint32 // the same, where there may be too many places for a list
}

// densest is how many places are kept as a list, of 4 MB.
const densest = 1 << 20

func newSums(first, second int) *sums {
	if first*second <= densest {
		return &sums{second: second, dense: make([]uint32, first*second)}
	}
	return &sums{second: second, sparse: map[uint64]uint32{}}
}

// at returns the sum at a place, valid until the next call.
func (s *sums) at(first, second uint32) *sum {
	place := uint64(first)*uint64(s.second) + uint64(second)
	var position uint32
	if s.dense != nil {
		position = s.dense[place]
	} else {
		position = s.sparse[place]
	}
	if position == 0 {
		s.all = append(s.all, sum{first: first, second: second})
		position = uint32(len(s.all))
		if s.dense != nil {
			s.dense[place] = position
		} else {
			s.sparse[place] = position
		}
	}
	return &s.all[position-1]
}

// groups makes groups of the sums by the keys that places on the two axes have.
func (s *sums) groups(ctx context.Context, q index.GroupQuery, first, second [][]string) (index.Groups, error) {
	g := index.NewGrouping(q)
	for i, one := range s.all {
		if err := ended(ctx, i); err != nil {
			return index.Groups{}, err
		}
		part := index.Group{
			Filings: one.filings, Amounts: one.amounts, SumCents: one.cents,
			MinAmount: one.least, MaxAmount: one.most,
		}
		for _, a := range first[one.first] {
			for _, b := range second[one.second] {
				part.Keys = [2]string{a, b}
				g.Add(part)
			}
		}
	}
	return g.Groups(), ctx.Err()
}
