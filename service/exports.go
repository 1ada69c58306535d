package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"filings/index"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/export"
	"filings/service/handlers"
	"filings/service/negotiate"
	"filings/service/params"
)

// exportRetry is after how long an export that found no slot may be tried again.
const exportRetry = 10 * time.Second

// export responds with a file of all filings that a request selects. Failures come before the first
// byte, in the time of any request; then the body is an export.Sender, which ends the request.
func (s *Service) export(e *endpoint) fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := callOf(c)
		k.route = e.Path
		if !c.Request().Header.IsHTTP11() {
			return handlers.Refuse(errInvalid, "exports require HTTP/1.1, so an incomplete file can be detected; "+
				"configure your proxy to use it (nginx: proxy_http_version 1.1)")
		}
		q, err := s.parse(k, e)
		if err != nil {
			return err
		}
		sending := export.Sending{Limit: s.config.ExportTimeout, Stall: s.config.ExportStall}
		if c.Method() != fiber.MethodHead { // which sends nothing that would have to be bounded
			defer func() {
				if !k.streams {
					s.letGo(k.id, sending)
				}
			}()
			if sending.Lease, err = s.lease(k); err != nil {
				return err
			}
			if sending.Slot = s.slot(k); sending.Slot == nil { // after the lease: so it waits for other accounts only
				return busy(k, "this server sends as many exports as it may", exportRetry)
			}
			s.limitTime(k) // the wait for its slot is not the engine's
		}
		// Of a generation that goes nothing was charged yet.
		return s.onGeneration(k, q.Generation, func() error { return s.begin(k, q, sending) })
	}
}

// lease takes the lease of k's account (rule X8).
func (s *Service) lease(k *call) (*export.Lease, error) {
	l, left, err := export.AcquireLease(k.http.UserContext(), s.config.Access, k.admission.User, k.id)
	if err == nil && left > 0 {
		err = busy(k, "another export of this account is in progress, or ended with its server", left)
	}
	return l, err
}

// slot waits for a slot among the exports of this process (rule X8), as long as the client does and
// the service does not stop; else it returns nil.
func (s *Service) slot(k *call) *export.Slot {
	ctx, stop := edge.Watch(s.exporting, k.http.Context().Conn())
	defer stop()
	return s.exports.Take(ctx)
}

// preferEscaped is the preference for CSV without formulas.
const preferEscaped = "escape-formulas"

// begin counts the filings to send, takes their price, and makes them the body of the response.
func (s *Service) begin(k *call, q params.Request, sending export.Sending) error {
	ctx := k.http.UserContext()
	r, err := s.reader(k, q.Generation)
	if err != nil {
		return err
	}
	if q.Query.Where, err = r.WithLists(ctx, q.Query.Where); err != nil {
		return err
	}
	if q.Query.Where, err = r.WithCounties(ctx, q.Query.Where); err != nil {
		return err
	}
	if err := matched(k, r, q); err != nil {
		return err
	}
	total, err := export.Count(ctx, r, q.Query.Where, q.After)
	if errors.Is(err, export.ErrAfter) {
		return params.Invalid("after", "after=%d is not in this export; send the id of its last complete row, "+
			"with the same filters and generation", q.After)
	}
	if err != nil {
		return err
	}
	encoder, coding, err := s.encoder(k, q)
	if err != nil {
		return err
	}
	head := k.http.Method() == fiber.MethodHead
	charge, err := s.charge(k, total, !head)
	if err != nil {
		return err
	}
	setFileHeaders(k.http, r, export.Format(q.Format), coding, total)
	if head { // without a stream: of one, the server sends the end of its chunks, also where there are none
		return nil
	}
	position := ""
	if q.After > 0 {
		position = index.PositionAfter(q.After)
	}
	sending.Withdrawn = r.Withdrawn
	sending.Done = s.sent(k, export.Format(q.Format), charge, sending)
	s.send(k, sending, func(ctx context.Context) *export.Stream {
		return export.NewStream(ctx, pagesOf(r, q.Query), position, total, encoder, s.hasRequests)
	})
	return nil
}

// encoder returns the encoder of the file that k prefers, and its content coding.
func (s *Service) encoder(k *call, q params.Request) (e export.Encoder, coding string, err error) {
	format := export.Format(q.Format)
	fields := slices.DeleteFunc(export.Fields(recordTier(k.admission.Tier)),
		func(f index.Field) bool { return !q.Fields.Has(f) })
	for _, f := range index.Keys() {
		if q.Query.Keys && q.Fields.Has(f) {
			fields = append(fields, f)
		}
	}
	if e, err = export.NewEncoder(format, fields, q.After > 0); err != nil {
		return nil, "", err
	}
	escapes := negotiate.Prefers(headerLines(k.http, headerPrefer), preferEscaped)
	if (escapes || s.config.EscapeFormulas) && export.EscapeFormulas(e) && escapes {
		k.applied(preferEscaped)
	}
	if format != export.Parquet { // which is compressed already
		// zstd takes half the time
		coding = negotiate.Coding(headerLines(k.http, fiber.HeaderAcceptEncoding), "zstd", "gzip")
		e, err = export.Compress(e, coding)
	}
	return e, coding, err
}

// pagesOf returns the pages of an export of all filings that q selects, each with a time limit.
func pagesOf(r *serving.Reader, q index.Query) export.Pages {
	return func(ctx context.Context, position string, limit int) ([]index.Record, string, error) {
		ctx, cancel := context.WithTimeout(ctx, pageTime)
		defer cancel()
		page, err := r.Export(ctx, index.Query{
			Where: q.Where, Sort: index.DefaultSort, Limit: limit, Start: position, Bytes: export.PageBytes, Keys: q.Keys,
		})
		return page.Records, page.End, err
	}
}

// recently is how long a request counts as one that the process has: as a rule another follows.
const recently = 100 * time.Millisecond

// hasRequests reports whether there are requests other than exports.
func (s *Service) hasRequests() bool { return s.now().UnixNano()-s.latest.Load() < int64(recently) }

// pageTime bounds the wait for a page: pages of other exports come first, and those of requests.
const pageTime = 30 * time.Second

// setFileHeaders sets the headers of a file, before its first byte.
func setFileHeaders(c *fiber.Ctx, r *serving.Reader, f export.Format, coding string, total int64) {
	c.Set(fiber.HeaderContentType, f.MediaType())
	c.Set(headerTotal, strconv.FormatInt(total, 10))
	c.Set(headerPrice, strconv.FormatInt(params.PriceOf(total), 10))
	name := "filings"
	if id := index.GenerationID(r.Generation()); id != "" {
		name += "-" + id
	}
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+"."+string(f)+`"`)
	if coding != "" {
		c.Set(fiber.HeaderContentEncoding, coding)
	}
}

// busy refuses an export, which may be tried again in that time.
func busy(k *call, reason string, wait time.Duration) error {
	seconds := math.Ceil(wait.Seconds())
	k.http.Set(fiber.HeaderRetryAfter, fmt.Sprintf("%.0f", seconds))
	return handlers.Refuse(errBusy, fmt.Sprintf("%s; retry after %.0f seconds", reason, seconds))
}

// charge takes the price of an export of so many rows, all of it or nothing.
func (s *Service) charge(k *call, rows int64, body bool) (export.Charge, error) {
	charge, err := export.Take(k.http.UserContext(), s.config.Access, k.admission, rows, body)
	if err != nil {
		return charge, err
	}
	k.admit(charge.Admission)
	k.setQuotaHeaders()
	if charge.Admission.Verdict == access.Admitted {
		k.price = charge.Price
		return charge, nil
	}
	return charge, k.refuseQuota(fmt.Sprintf("this export of %d rows costs %d requests, one per %d rows, rounded up, "+
		"and %s: nothing was taken", rows, charge.Price, params.RowsForOne, k.remains()))
}

// CutExports ends the exports that are in progress, and those that begin later: the service stops.
func (s *Service) CutExports() { s.cutExports(export.ErrStopping) }

// send makes the stream of open the body of k's response.
func (s *Service) send(k *call, sending export.Sending, open func(context.Context) *export.Stream) {
	sending.Conn = k.http.Context().Conn()
	sending.Flush = edge.Gather(sending.Conn)
	s.metrics.exporting.Inc()
	k.streams = true
	k.http.Response().ImmediateHeaderFlush = true // the first row group of Parquet takes a while
	k.http.Response().SetBodyStream(export.Send(s.exporting, sending, open), -1)
}

// sent returns a function that ends the request k, which is used for another one by then: it gives
// back the price of unsent rows, lets the next export begin, counts, and logs.
func (s *Service) sent(k *call, f export.Format, charge export.Charge, sending export.Sending) func(export.Sent) {
	id, record := k.id, s.newRecord(k)
	return func(sent export.Sent) {
		unsent, outcome, failure := charge.Unsent(sent.Rows), sent.Outcome(), ""
		if unsent > 0 {
			s.giveBack(id, charge.Admission, unsent)
		}
		s.letGo(id, sending)
		s.metrics.exporting.Dec()
		s.metrics.exports.WithLabelValues(string(f), outcome).Inc()
		s.metrics.exportRows.Add(float64(sent.Rows))
		attributes := []slog.Attr{slog.Int64("bytes", sent.Bytes), slog.Int64("rows", sent.Rows),
			slog.Int64("total", charge.Rows), slog.Int64("price", charge.Price-unsent), slog.String("outcome", outcome)}
		if sent.Err != nil {
			attributes = append(attributes, slog.String("error", sent.Err.Error()))
		}
		if outcome == "failed" {
			failure = outcome
		}
		record.span.Number("filings.rows", sent.Rows)
		record.end(failure, attributes)
	}
}

// letGo gives back the lease and the slot.
func (s *Service) letGo(id string, sending export.Sending) {
	if sending.Lease == nil {
		return
	}
	if err := sending.Lease.Release(); err != nil {
		s.log.Warn("lease of an export not released: it expires by itself",
			slog.String("id", id), slog.String("error", err.Error()))
	}
	if sending.Slot != nil {
		sending.Slot.Leave()
	}
}
