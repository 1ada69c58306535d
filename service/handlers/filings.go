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
func List(ctx context.Context, r *serving.Reader, q params.Request) (result Result, err error) {
	var corrections []Correction
	if q.Typos {
		if q.Query.Where, corrections, err = corrected(ctx, r, q.Query.Where); err != nil {
			return Result{}, err
		}
	}
	if q.Cursor != nil {
		result, err = crawl(ctx, r, q.Query, *q.Cursor)
	} else {
		page, total, failed := r.Page(ctx, q.Query)
		result, err = Result{Data: Page(page), Rows: len(page.Records), Total: total}, failed
	}
	result.Corrected = corrections
	return result, err
}

// FilingFeatureCollection is a page in GeoJSON as documents have it.
type FilingFeatureCollection struct {
	Type       string          `json:"type" const:"FeatureCollection" help:"What it is in GeoJSON."`
	Features   []filingFeature `json:"features" help:"The filings of the page."`
	Pagination Pagination      `json:"pagination"`
	Meta       Meta            `json:"meta"`
}

// Pagination and Meta are schemas that the document has.
type (
	Pagination struct{}
	Meta       struct{}
)

type filingFeature struct {
	Type       string       `json:"type" const:"Feature" help:"What it is in GeoJSON."`
	ID         int64        `json:"id" help:"Id of the filing."`
	Geometry   *filingPoint `json:"geometry"`
	Properties index.Record `json:"properties"`
}

type filingPoint struct {
	Type        string     `json:"type" const:"Point" help:"What it is in GeoJSON."`
	Coordinates [2]float64 `json:"coordinates" help:"Longitude and latitude of the property."`
}

// pageBytes is how many bytes the records of a page may have together whose limit is above that of
// pages by offset. It is several times the size that a thousand records mostly have.
const pageBytes = 4 << 20

// crawl reads the page at a cursor. The first one counts; the others have it from the cursor.
func crawl(ctx context.Context, r *serving.Reader, q index.Query, position cursor.Cursor) (result Result, err error) {
	if q.Limit > params.MaxLimit {
		q.Bytes = pageBytes
	}
	var page index.Page
	if q.Start == "" {
		position.Generation = index.GenerationID(r.Generation())
		page, position.Total, err = r.Page(ctx, q)
	} else {
		page, err = r.Rows(ctx, q)
	}
	if err != nil {
		return Result{}, err
	}
	position.After = page.End
	position.Seen += int64(len(page.Records))
	result = Result{Data: Page(page), Total: position.Total}
	if position.After != "" && position.Seen < position.Total {
		result.Next = position.String()
	}
	return result, nil
}

// Filing handles GET /v1/filings/{id}.
func Filing(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	record, err := filing(ctx, r, q)
	if errors.Is(err, index.ErrNotFound) {
		err = Refuse(index.ErrNotFound, fmt.Sprintf("there is no filing with the id %d", q.ID))
	}
	return Result{Data: One(record)}, err
}

// filing reads one filing. A token may be for others, and only pages have keys.
func filing(ctx context.Context, r *serving.Reader, q params.Request) (index.Record, error) {
	if len(q.Query.Where.Predicates()) == 0 && !q.Query.Keys {
		return index.OneFiling(ctx, r, q.ID)
	}
	page, err := r.Rows(ctx, index.Query{Where: q.Query.Where.And(index.IDs{IDs: []int64{q.ID}}),
		Sort: index.DefaultSort, Limit: 1, Keys: q.Query.Keys})
	if err == nil && len(page.Records) == 0 {
		err = index.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return page.Records[0], nil
}

// Identity is the identity object.
type Identity struct {
	UserID string      `json:"userId" help:"Unique id of the user."`
	Tier   access.Tier `json:"tier"`
}

// Me handles GET /v1/me: the caller's identity.
func Me(_ context.Context, _ *serving.Reader, q params.Request) (Result, error) {
	return Result{Data: JSON{Identity{q.Caller.User, access.Tier(q.Caller.Tier)}}}, nil
}
