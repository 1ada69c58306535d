package service

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"filings/index"
	"filings/index/serving"
)

// list answers GET /v1/filings: a page without success (rule E1).
func (s *Service) list(k *call, q question) error {
	return s.sendPage(k, "/v1/filings", `{"data":`, q.query)
}

// search answers GET /v1/filings/search: a page in the full envelope.
func (s *Service) search(k *call, q question) error {
	return s.sendPage(k, "/v1/filings/search", `{"success":true,"data":`, q.query)
}

func (s *Service) sendPage(k *call, endpoint, opening string, q index.Query) error {
	return s.send(k, answer{
		endpoint:  endpoint,
		canonical: q.String(),
		body: func(ctx context.Context, r *serving.Reader, dst []byte) ([]byte, error) {
			p := page{limit: q.Limit, offset: q.Offset}
			var err error
			if p.rows, p.total, err = r.Page(ctx, q); err != nil {
				return nil, err
			}
			dst = appendRecords(append(dst, opening...), p.rows, recordTier(k.admission.Tier))
			return append(k.appendMeta(appendPagination(dst, p)), '}'), nil
		},
	})
}

// filing answers GET /v1/filings/{id}.
func (s *Service) filing(k *call, _ question) error {
	text := k.http.Params("id")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || !digits(text) {
		return invalid("id", "must be a whole number from 1 to 9223372036854775807")
	}
	return s.send(k, answer{
		endpoint:  "/v1/filings/:id",
		canonical: strconv.FormatInt(id, 10),
		mayMiss:   true,
		body: func(ctx context.Context, r *serving.Reader, dst []byte) ([]byte, error) {
			record, err := r.Filing(ctx, id)
			if errors.Is(err, index.ErrNotFound) {
				return nil, refuse(index.ErrNotFound, fmt.Sprintf("there is no filing with the id %d", id))
			}
			if err != nil {
				return nil, err
			}
			dst = record.AppendFor(append(dst, `{"success":true,"data":`...), recordTier(k.admission.Tier))
			return append(k.appendMeta(dst), '}'), nil
		},
	})
}

// identity is the identity object.
type identity struct {
	UserID string `json:"userId" help:"Unique id of the user."`
	Tier   string `json:"tier" help:"Tier of the account: free, starter, pro or enterprise."`
}

// me answers GET /v1/me: the caller's identity. It has no tag, since nothing of it comes from filings.
func (s *Service) me(k *call, _ question) error {
	body := appendJSON([]byte(`{"success":true,"data":`), identity{k.admission.User, string(k.admission.Tier)})
	k.write(append(k.appendMeta(body), '}'))
	return nil
}
