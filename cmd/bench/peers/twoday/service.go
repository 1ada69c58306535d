package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// engine stores and finds filings.
type engine interface {
	load(ctx context.Context, file string) error
	page(ctx context.Context, q question) (page, error)
	one(ctx context.Context, id int64) (json.RawMessage, error) // nil: there is none
	end(ctx context.Context) error                              // deletes the filings
}

// question is a parsed request.
type question struct {
	term, county  string
	minAmount     *float64
	box           *box
	limit, offset int
}

// all says whether every filing is asked for.
func (q question) all() bool {
	return q.term == "" && q.county == "" && q.minAmount == nil && q.box == nil
}

type box struct{ north, south, east, west float64 }

type page struct {
	total   int
	filings []json.RawMessage
}

type service struct {
	engine engine
	redis  *redis.Client
}

const (
	// apiKey is the account's that the bench uses.
	apiKey = "ak_live_00000000000000000000000000000000"
	quota  = 1_000_000_000
	// kept is how long Redis keeps the values of this program.
	kept = 24 * time.Hour
)

func keyName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "filings-bench-peer:key:" + hex.EncodeToString(sum[:])
}

func (s *service) createKey(ctx context.Context) error {
	return s.redis.Set(ctx, keyName(apiKey), "enterprise", kept).Err()
}

func (s *service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/filings", s.allowed(s.list))
	mux.HandleFunc("GET /v1/filings/search", s.allowed(s.list))
	mux.HandleFunc("GET /v1/filings/{id}", s.allowed(s.one))
	return mux
}

// allowed looks up the key and counts the request, in one round trip.
func (s *service) allowed(next func(w http.ResponseWriter, r *http.Request, meta map[string]any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := keyName(r.Header.Get("X-API-Key"))
		pipe := s.redis.Pipeline()
		tier := pipe.Get(r.Context(), name)
		day := name + ":" + time.Now().UTC().Format(time.DateOnly)
		used := pipe.Incr(r.Context(), day)
		pipe.Expire(r.Context(), day, kept)
		_, err := pipe.Exec(r.Context())
		switch {
		case tier.Err() == redis.Nil:
			http.Error(w, `{"error":"invalid_api_key"}`, http.StatusUnauthorized)
		case err != nil:
			http.Error(w, `{"error":"internal_error"}`, http.StatusInternalServerError)
		case used.Val() > quota:
			http.Error(w, `{"error":"rate_limit_exceeded"}`, http.StatusTooManyRequests)
		default:
			id := make([]byte, 8)
			_, _ = rand.Read(id) // never fails
			next(w, r, map[string]any{"request_id": "req_" + hex.EncodeToString(id), "tier": tier.Val(), "rate_limit_remaining": quota - used.Val()})
		}
	}
}

func (s *service) list(w http.ResponseWriter, r *http.Request, meta map[string]any) {
	q := parse(r.URL.Query())
	p, err := s.engine.page(r.Context(), q)
	respond(w, err, map[string]any{
		"data": p.filings, "meta": meta,
		"pagination": map[string]any{"total": p.total, "limit": q.limit, "offset": q.offset, "has_more": q.offset+len(p.filings) < p.total},
	})
}

func (s *service) one(w http.ResponseWriter, r *http.Request, meta map[string]any) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.Error(w, `{"error":"invalid_parameter"}`, http.StatusBadRequest)
		return
	}
	filing, err := s.engine.one(r.Context(), id)
	if err == nil && filing == nil {
		http.Error(w, `{"error":"not_found"}`, http.StatusNotFound)
		return
	}
	respond(w, err, map[string]any{"success": true, "data": filing, "meta": meta})
}

func respond(w http.ResponseWriter, err error, body map[string]any) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // an error: the client has left
}

// parse reads the parameters that the bench sends. It trusts them.
func parse(values url.Values) question {
	number := func(name string) *float64 {
		v, err := strconv.ParseFloat(values.Get(name), 64)
		if err != nil {
			return nil
		}
		return &v
	}
	q := question{term: strings.ToLower(values.Get("q")), county: values.Get("county"), minAmount: number("min_amount"), limit: 20}
	if v := number("limit"); v != nil {
		q.limit = int(*v)
	}
	if v := number("offset"); v != nil {
		q.offset = int(*v)
	}
	n, s, e, w := number("bounds_north"), number("bounds_south"), number("bounds_east"), number("bounds_west")
	if n != nil && s != nil && e != nil && w != nil {
		q.box = &box{*n, *s, *e, *w}
	}
	return q
}
