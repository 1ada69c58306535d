package handlers

import (
	"context"
	"time"

	"filings/index/serving"
	"filings/service/params"
)

// Generation is the object of a generation.
type Generation struct {
	ID        string    `json:"id" help:"Id of the generation, for the parameter generation. Ids sort by time."`
	CreatedAt time.Time `json:"createdAt" help:"When the load that made it began."`
	Filings   int64     `json:"filings" help:"Filings in it."`
	Live      bool      `json:"live" help:"Whether it is the one that requests are answered from that name none."`
}

// Generations handles GET /v1/generations: those that a client can pin.
func Generations(ctx context.Context, r *serving.Reader, _ params.Request) (Result, error) {
	kept, err := r.Kept(ctx)
	data := make([]Generation, len(kept))
	for i, g := range kept {
		data[i] = Generation{g.ID(), g.CreatedAt.UTC(), g.Filings, g.Live}
	}
	return Result{Data: JSON{data}}, err
}
