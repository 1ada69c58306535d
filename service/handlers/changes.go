package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"filings/index"
	"filings/index/changes"
	"filings/index/serving"
	"filings/service/params"
)

// ChangesSince handles GET /v1/filings/changes: the changes from one generation to another.
func ChangesSince(ctx context.Context, r *serving.Reader, q params.Request) (Result, error) {
	position := *q.Cursor
	position.Generation = cmp.Or(q.Generation, index.GenerationID(r.Generation()))
	query := changes.Query{Where: q.Query.Where, Tier: q.Caller.Fields, Fields: q.Fields, Limit: q.Query.Limit}
	if position.After != "" {
		id, err := strconv.ParseInt(position.After, 10, 64)
		if err != nil || id < 1 {
			return Result{}, index.ErrPosition
		}
		query.LastID = id
	}
	page, err := r.Changes(ctx, q.Since, position.Generation, query)
	if errors.Is(err, index.ErrGone) {
		return Result{}, Refuse(ErrNotKept, NoChangesets(q.Since, position.Generation))
	}
	result := Result{Data: Changes(page.Changes)}
	if page.End != 0 {
		position.After = strconv.FormatInt(page.End, 10)
		result.Next = position.String()
	}
	return result, err
}

// NoChangesets is the message where the changes between two generations are not known.
func NoChangesets(start, end string) string {
	if end == "" {
		return "there is no live generation yet, and so nothing that changed since " + start
	}
	return fmt.Sprintf("no changes are kept from %s to %s; export again (/v1/filings/export) and continue from its "+
		"X-Generation", start, end)
}

// Change is a change as documents have it.
type Change struct {
	Op     ChangeOp     `json:"op"`
	ID     int64        `json:"id" help:"Id of the filing."`
	Filing index.Record `json:"filing,omitempty" help:"The later record; not there where the filing was removed."`
}

// ChangeOp is added, changed or removed.
type ChangeOp changes.Op

// Changes is the data of a response.
type Changes []changes.Change

// AppendJSON appends the changes as an array of Change. Their records are of the caller's tier already.
func (list Changes) AppendJSON(dst []byte, _ View) ([]byte, error) {
	dst = append(dst, '[')
	for i, c := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"op":"`...), c.Op...), `","id":`...)
		dst = strconv.AppendInt(dst, c.ID, 10)
		if c.Filing != nil {
			dst = append(append(dst, `,"filing":`...), c.Filing...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}
