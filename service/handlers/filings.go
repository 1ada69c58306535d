package handlers

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/cursor"
	"filings/service/params"
)

// List handles GET /v1/filings and GET /v1/filings/search: a page.
func List(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	if q.Cursor != nil {
		return crawl(ctx, r, q.Query, *q.Cursor)
	}
	page, total, err := r.Page(ctx, q.Query)
	return Result{Data: page, Total: total}, err
}

// pageBytes is how many bytes the records of a page may have together whose limit is above that of pages by offset. It is
// several times what a thousand records mostly have.
const pageBytes = 4 << 20

// crawl reads the page at a cursor. The first one counts; the others have it from the cursor.
func crawl(ctx context.Context, r *serving.Reader, q index.Query, at cursor.Cursor) (result Result, err error) {
	if q.Limit > params.MaxLimit {
		q.Bytes = pageBytes
	}
	var page index.Page
	if q.After == "" {
		at.Generation = index.GenerationID(r.Generation())
		page, at.Total, err = r.Page(ctx, q)
	} else {
		page, err = r.Rows(ctx, q)
	}
	if err != nil {
		return Result{}, err
	}
	at.After = page.End
	at.Seen += int64(len(page.Records))
	result = Result{Data: page, Total: at.Total}
	if at.After != "" && at.Seen < at.Total {
		result.Next = at.String()
	}
	return result, nil
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
