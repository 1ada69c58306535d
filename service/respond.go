package service

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/negotiate"
	"filings/service/openapi"
	"filings/service/params"
)

// serve parses a request of e and responds to it.
func (s *Service) serve(e *endpoint) fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := callOf(c)
		if k.route == noRoute {
			k.route = e.Path
		}
		q, err := s.parse(k, e)
		if err != nil {
			return err
		}
		return s.onGeneration(k, q.Generation, func() error { return s.respond(k, e, q) })
	}
}

// onGeneration has respond respond from the generation with that id, "" for the live one. That may
// be deleted meanwhile: that is no error of the client's, nor ours, and the next one responds, unless
// the client wants that one and no other (rule X2).
func (s *Service) onGeneration(k *call, id string, respond func() error) error {
	err := respond()
	switch {
	case errors.Is(err, errNotKept):
		k.http.Response().Header.Del(headerGeneration)
	case !errors.Is(err, index.ErrGone):
	case id != "":
		return s.refuseGone(k, id)
	default:
		return respond()
	}
	return err
}

// parse reads the parameters of e, and names in headers the unused ones (rule P5).
func (s *Service) parse(k *call, e *endpoint) (params.Request, error) {
	c := k.http
	if k.token != nil && !k.forToken(e) {
		return params.Request{}, handlers.Refuse(errForbidden,
			"this token does not allow this endpoint; it allows: "+strings.Join(k.token.Endpoints, ", "))
	}
	if k.query == nil { // else its price was in it
		k.query, k.unread = s.params.Split(&e.Endpoint, string(c.Request().URI().QueryString()))
	}
	if k.unread != nil {
		return params.Request{}, k.unread
	}
	if !k.tallied { // a tool's request may be handled more than once
		k.tallied = true
		s.metrics.sent(e, k.query)
	}
	strictness := negotiate.Handling(headerLines(c, headerPrefer))
	if strictness != "" {
		k.applied("handling=" + strictness)
	}
	if strictness == "strict" {
		if err := k.query.Strictly(); err != nil {
			return params.Request{}, err
		}
	}
	if ignored := len(k.query.Unknown) + len(k.query.Partial); ignored > 0 {
		c.Set(headerIgnored, negotiate.Tokens(slices.Concat(k.query.Unknown, k.query.Partial)))
	}
	tiers := params.Tiers{Fields: recordTier(k.admission.Tier), Filters: index.Enterprise}
	if s.config.FiltersByTier {
		tiers.Filters = tiers.Fields
	}
	var err error
	if k.token != nil {
		if tiers.Scope, err = s.scopeOf(k.token, tiers); err != nil {
			return params.Request{}, handlers.Refuse(errForbidden,
				"the token's filter is not one of this service any more: "+err.Error())
		}
	}
	if e.Takes == params.Tokens {
		tiers.Fields, tiers.Scope = min(tiers.Fields, index.Pro), &params.Scope{}
	}
	q, err := s.params.Read(k.query, k.param, tiers, s.now())
	if err != nil {
		return q, err
	}
	q.Bearer = k.bearer
	if q.Address = s.config.PublicURL; q.Address == "" {
		q.Address = "https://" + string(c.Request().Host())
	}
	q.Caller = params.Caller{User: k.admission.User, Tier: string(k.admission.Tier), Fields: tiers.Fields}
	if e.Takes == params.Tokens {
		key, _ := keyOf(c) // it was admitted
		q.Caller.KeyHash = access.HashKey(key)
	}
	if e.GeoJSON != nil {
		c.Vary(fiber.HeaderAccept)
		shows := tiers.Scope.ShowsPlaces()
		if k.geoJSON && !shows {
			return q, handlers.Refuse(errForbidden, "the token hides coordinates, which GeoJSON has")
		}
		q.GeoJSON = shows && (k.geoJSON || negotiate.WantsGeoJSON(headerLines(c, fiber.HeaderAccept)))
		if q.GeoJSON {
			q.Text += " as " + openapi.GeoJSON
			q.Query.IDsOnly = false // coordinates are wanted too
		}
	}
	return q, nil
}

// respond writes the response of e's handler, from one generation, or 304 if the client has it.
func (s *Service) respond(k *call, e *endpoint, q params.Request) (err error) {
	var r *serving.Reader
	if !e.Shape.Has(params.NoFilings) {
		id := q.Generation
		if e.Shape.Has(params.LaterGeneration) {
			id = ""
		}
		if r, err = s.reader(k, id); err != nil {
			return err
		}
	}
	later := r
	if e.Shape.Has(params.LaterGeneration) && q.Generation != "" {
		if kept, err := s.config.Engine.Pin(k.http.UserContext(), q.Generation); err == nil {
			later = kept
		}
	}
	if q.Query.Where.HasLists() {
		cut := q.Query.Where.String()
		if q.Query.Where, err = later.WithLists(k.http.UserContext(), q.Query.Where); err != nil {
			return err
		}
		if uncut := q.Query.Where.String(); uncut != cut {
			q.Text += " as " + uncut
		}
	}
	tag, m := "", negotiate.NoMatch
	if e.Shape.Has(params.Tagged) {
		generation := r.Generation()
		if e.Shape.Has(params.LaterGeneration) && q.Generation != "" {
			generation = q.Generation
			k.http.Set(headerGeneration, generation)
		}
		tag = etag(generation, e.Path, q.Text, q.Caller.Tier)
		m = negotiate.MatchTag(headerLines(k.http, fiber.HeaderIfNoneMatch), tag)
	}
	var result handlers.Result
	modified := m == negotiate.NoMatch
	if modified || m == negotiate.MatchAny { // which matches only a response of 200
		if !e.Shape.Has(params.LaterGeneration | params.NoFilings) {
			q.Query.Where, err = r.WithCounties(k.http.UserContext(), q.Query.Where)
		}
		if err == nil {
			err = matched(k, r, q)
		}
		if err == nil {
			result, err = e.handle(k.http.UserContext(), r, q)
		}
		if err == nil && e.Shape.Has(params.Meta) && k.token == nil {
			result.Unmatched, err = handlers.Match(k.http.UserContext(), later, q.Named)
		}
		if err != nil {
			return err
		}
	}
	if modified {
		if err := s.write(k, e, q, result); err != nil {
			return err // which must have no tag, and not be kept
		}
	}
	switch {
	case k.linked(): // it is never kept
	case e.Shape.Has(params.Secret):
		k.http.Set(fiber.HeaderCacheControl, "no-store")
	case e.Shape.Has(params.Forever):
		k.http.Set(fiber.HeaderCacheControl, foreverCaching)
	case tag != "" && q.Generation != "" && !q.DependsOnDay:
		k.http.Set(fiber.HeaderCacheControl, pinnedCaching)
	}
	if !modified {
		if !k.searched() {
			s.refund(k, k.price)
		}
		return k.notModified(tag)
	}
	if tag != "" {
		k.http.Set(fiber.HeaderETag, tag)
	}
	return nil
}

// pinnedCaching lets a client use a response of a pinned generation for an hour without asking. The
// tag is good for ever, but the key's rights are not: its tier may change, or it may be revoked.
const pinnedCaching = "private, max-age=3600"

// foreverCaching lets a client keep a response, and never ask again. All tiers see the same (X35).
const foreverCaching = "private, max-age=31536000, immutable"

// reader returns the Reader of the generation with that id, the live one for "", and names it in a
// header (rule X1).
func (s *Service) reader(k *call, id string) (r *serving.Reader, err error) {
	if ctx := k.http.UserContext(); id == "" {
		r, err = s.config.Engine.Live(ctx)
	} else {
		r, err = s.config.Engine.Pin(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	r.Account, r.Client, k.reader = k.admission.User, k, r
	if id := r.ID(); id != "" { // else there are no filings yet
		k.http.Set(headerGeneration, id)
	}
	return r, nil
}

// refuseGone is the error of a request for the generation with that id, which is not kept. The
// client learns which one is live (rule X2).
func (s *Service) refuseGone(k *call, id string) error {
	k.http.Response().Header.Del(headerGeneration)
	r, err := s.config.Engine.Live(k.http.UserContext())
	if err != nil {
		return err
	}
	return handlers.Refuse(errNotKept, notKept(id, index.GenerationID(r.Generation())))
}

// keptBuffer is how large a buffer may be to be used again: room for a page of 100 filings with all
// fields. The rare page of long summaries must not stay in memory for ever.
const keptBuffer = 256 << 10

// write writes a response of 200, compressed if the client can read that.
func (s *Service) write(k *call, e *endpoint, q params.Request, result handlers.Result) error {
	buffer := s.buffers.Get().(*[]byte)
	body, err := k.appendResult((*buffer)[:0], e, q, result)
	if *buffer = body; cap(body) <= keptBuffer {
		defer s.buffers.Put(buffer)
	}
	if err != nil {
		return err
	}
	mediaType := edge.JSON
	switch _, isBytes := result.Data.(handlers.Bytes); {
	case q.GeoJSON:
		mediaType = openapi.GeoJSON
	case isBytes && len(body) == 0:
		k.http.Status(fiber.StatusNoContent)
		return nil
	case isBytes:
		mediaType = openapi.TileType
	}
	k.http.Set(fiber.HeaderContentType, mediaType)
	if result.Next != "" {
		k.http.Append(fiber.HeaderLink, "<?cursor="+result.Next+`>; rel="next"`)
	} else if next := q.Query.Offset + result.Rows; e.Shape.Has(params.Pagination) && q.Cursor == nil &&
		int64(next) < result.Total && (k.token == nil || next <= params.MaxByToken-q.Query.Limit) {
		k.http.Append(fiber.HeaderLink, nextPage(k.http.Request().URI().QueryString(), next))
	}
	k.http.Response().SetBody(body) // copies it
	compress(k.http)
	return nil
}

// nextPage returns the Link to the page from an offset on, as a reference relative to the request's
// address, so that it holds below a proxy's prefix too (rule X65). It never has a token.
func nextPage(query []byte, offset int) string {
	link := make([]byte, 0, len(query)+40)
	link = append(link, "<?"...)
	for piece := range bytes.SplitSeq(query, []byte("&")) {
		name, _, _ := bytes.Cut(piece, []byte("="))
		if bytes.IndexByte(name, '%') >= 0 {
			if text, err := url.QueryUnescape(string(name)); err == nil {
				name = []byte(text)
			}
		}
		if string(name) == "offset" || string(name) == "token" || len(piece) == 0 {
			continue
		}
		link = append(append(link, edge.HeaderSafe(string(piece))...), '&')
	}
	link = strconv.AppendInt(append(link, "offset="...), int64(offset), 10)
	return string(append(link, `>; rel="next"`...))
}

func (k *call) notModified(tag string) error {
	k.http.Set(fiber.HeaderETag, tag)
	k.http.Status(fiber.StatusNotModified)
	return nil
}

// etag returns the tag of an endpoint's response to a request, by its canonical text, from a
// generation and for a tier (rule T3). It is weak: meta differs from response to response. Hashed,
// it says nothing about the names of generations.
func etag(generation, endpoint, canonical, tier string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{generation, endpoint, canonical, tier}, "\x00")))
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// leastCompressed is the size from which a body is worth compressing: below it, head and body fit
// into one packet.
const leastCompressed = 1024

// compress compresses the response if the client can read it. Levels are the fast ones: a page of
// filings becomes less than a quarter of its size either way, and higher levels cost more time than
// they save on most networks.
func compress(c *fiber.Ctx) {
	r := c.Response()
	if len(r.Body()) < leastCompressed {
		return
	}
	var body []byte
	// gzip is the faster one here, and no larger.
	coding := negotiate.Coding(string(c.Request().Header.Peek(fiber.HeaderAcceptEncoding)), "gzip", "br")
	switch coding {
	case "gzip":
		body = fasthttp.AppendGzipBytesLevel(nil, r.Body(), fasthttp.CompressBestSpeed)
	case "br":
		body = fasthttp.AppendBrotliBytesLevel(nil, r.Body(), fasthttp.CompressBrotliBestSpeed)
	default:
		return
	}
	r.SetBodyRaw(body)
	c.Set(fiber.HeaderContentEncoding, coding)
}
