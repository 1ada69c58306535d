package handlers

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/params"
)

// List handles GET /v1/filings and GET /v1/filings/search: a page.
func List(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	page, total, err := r.Page(ctx, q.Query)
	return Result{Data: page.Records, Total: total}, err
}

// Filing handles GET /v1/filings/{id}.
func Filing(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	record, err := r.Filing(ctx, q.ID)
	if errors.Is(err, index.ErrNotFound) {
		err = Refuse(index.ErrNotFound, fmt.Sprintf("there is no filing with the id %d", q.ID))
	}
	return Result{Data: record}, err
}

// Identity is the identity object.
type Identity struct {
	UserID string      `json:"userId" help:"Unique id of the user."`
	Tier   access.Tier `json:"tier"`
}

// Me handles GET /v1/me: the caller's identity.
func Me(_ context.Context, _ *serving.Reader, q params.Request) (Result, error) {
	return Result{Data: Identity{q.Caller.User, access.Tier(q.Caller.Tier)}}, nil
}
