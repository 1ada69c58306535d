package index

import "context"

// Empty is the Reader of a service that has no filings yet.
type Empty struct{}

var _ Reader = Empty{}

func (Empty) Generation() string                            { return "" }
func (Empty) Rows(context.Context, Query) ([]Record, error) { return nil, nil }
func (Empty) Count(context.Context, Filter) (int64, error)  { return 0, nil }
func (Empty) Filing(context.Context, int64) (Record, error) { return nil, ErrNotFound }
func (Empty) Filings(_ context.Context, ids []int64) ([]Record, error) {
	return make([]Record, len(ids)), nil
}
func (Empty) Stats(context.Context) (Stats, error)                      { return Stats{}, nil }
func (Empty) Counties(context.Context) ([]CountyStats, error)           { return nil, nil }
func (Empty) Distinct(context.Context, Filter, Field) ([]string, error) { return nil, nil }
func (Empty) Cells(context.Context, Filter, Grid) ([]Cell, error)       { return nil, nil }
