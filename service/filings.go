package service

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/params"
)

// list handles GET /v1/filings and GET /v1/filings/search: a page.
func list(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	rows, total, err := r.Page(ctx, q.Query)
	return Result{Data: rows, Total: total}, err
}

// filing handles GET /v1/filings/{id}.
func filing(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	record, err := r.Filing(ctx, q.ID)
	if errors.Is(err, index.ErrNotFound) {
		err = refuse(index.ErrNotFound, fmt.Sprintf("there is no filing with the id %d", q.ID))
	}
	return Result{Data: record}, err
}

// identity is the identity object.
type identity struct {
	UserID string      `json:"userId" help:"Unique id of the user."`
	Tier   access.Tier `json:"tier"`
}

// me handles GET /v1/me: the caller's identity.
func me(_ context.Context, _ *serving.Reader, q params.Request) (Result, error) {
	return Result{Data: identity{q.Caller.User, access.Tier(q.Caller.Tier)}}, nil
}
