package service

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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

// Defaults of Config, and after how long a refused export may be tried again.
const (
	defaultExports       = 4
	defaultExportTimeout = 15 * time.Minute
	defaultExportStall   = 30 * time.Second
	defaultExportWait    = 15 * time.Second
	exportRetry          = 10 * time.Second
)

// export responds with a file of all filings that a request selects. What can fail fails before the first byte, in the time
// of any request; then the body is a download, which ends the request when it was sent.
func (s *Service) export(e endpoint) fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := callOf(c)
		k.route = e.Path
		if !c.Request().Header.IsHTTP11() {
			return handlers.Refuse(errInvalid, "an export needs HTTP/1.1, in which it shows that all of it came; "+
				"a proxy in between must use it too (nginx: proxy_http_version 1.1)")
		}
		q, err := s.parse(k, e)
		if err != nil {
			return err
		}
		d := &download{service: s, began: k.began, id: k.id}
		defer func() {
			if !k.streams {
				d.letGo()
			}
		}()
		if err := s.reserve(k, d); err != nil {
			return err
		}
		s.limitTime(k) // what it waited for its place is not the engine's
		err = s.begin(k, q, d)
		switch {
		case !errors.Is(err, index.ErrGone):
			return err
		case q.Generation != "":
			return s.refuseGone(k, q.Generation)
		}
		return s.begin(k, q, d) // nothing was charged yet
	}
}

// preferEscaped is the preference for CSV without formulas.
const preferEscaped = "escape-formulas"

// begin finds out what there is to send, takes its price, and makes d the body of the response.
func (s *Service) begin(k *call, q params.Request, d *download) error {
	ctx := k.http.UserContext()
	r, err := s.reader(k, q.Generation)
	if err != nil {
		return err
	}
	if d.total, err = count(ctx, r, q); err != nil {
		return err
	}
	format := export.Format(q.Format)
	fields := slices.DeleteFunc(export.Fields(recordTier(k.admission.Tier)), func(f index.Field) bool { return !q.Fields.Has(f) })
	encoder, err := export.NewEncoder(format, fields, q.After > 0)
	if err != nil {
		return err
	}
	escapes := negotiate.Prefers(headerLines(k.http, headerPrefer), preferEscaped)
	if (escapes || s.config.EscapeFormulas) && export.EscapeFormulas(encoder) && escapes {
		k.applied(preferEscaped)
	}
	coding := ""
	if format != export.Parquet { // which is compressed already
		coding = negotiate.Coding(headerLines(k.http, fiber.HeaderAcceptEncoding), "zstd", "gzip") // zstd takes half the time
		if encoder, err = export.Compress(encoder, coding); err != nil {
			return err
		}
	}
	if d.price = params.PriceOf(d.total); k.http.Method() == fiber.MethodHead {
		d.price = 1 // nothing is sent
	}
	if err := s.charge(ctx, k, d); err != nil {
		return err
	}
	setFileHeaders(k.http, r, format, coding, d.total)
	if k.http.Method() == fiber.MethodHead {
		k.http.Response().SetBodyStream(strings.NewReader(""), -1) // headers as those of GET: the length is not known
		return nil
	}
	after := ""
	if q.After > 0 {
		after = index.Behind(q.After)
	}
	d.start(k, format, func(ctx context.Context) *export.Stream {
		return export.NewStream(ctx, pagesOf(r, q.Query.Where), after, d.total, encoder, s.others)
	})
	return nil
}

// count returns how many rows q exports.
func count(ctx context.Context, r *serving.Reader, q params.Request) (int64, error) {
	if q.After == 0 {
		return r.Count(ctx, q.Query.Where)
	}
	var values [index.NumReturned][]byte
	record, err := r.Filing(ctx, q.After)
	if errors.Is(err, index.ErrNotFound) {
		return 0, notSelected(q.After)
	}
	if err == nil {
		err = record.Values(&values, index.FilingDate)
	}
	if err != nil {
		return 0, err
	}
	day := strings.Trim(string(values[index.FilingDate]), `"`)
	if day == "null" {
		day = ""
	}
	from, err := r.Count(ctx, q.Query.Where.And(index.Rest{Date: day, ID: q.After}))
	if err != nil {
		return 0, err
	}
	behind, err := r.Count(ctx, q.Query.Where.And(index.Rest{Date: day, ID: q.After - 1}))
	if err == nil && from == behind {
		err = notSelected(q.After)
	}
	return behind, err
}

func notSelected(id int64) error {
	return handlers.Refuse(errInvalid, fmt.Sprintf(
		"after must be the id of a filing that the other parameters select in this generation; %d is none", id))
}

// pagesOf returns the pages of an export of all filings that w selects, each with a time limit of its own.
func pagesOf(r *serving.Reader, w index.Filter) export.Pages {
	return func(ctx context.Context, after string, limit int) ([]index.Record, string, error) {
		ctx, cancel := context.WithTimeout(ctx, pageTime)
		defer cancel()
		page, err := r.Export(ctx, index.Query{Where: w, Sort: index.DefaultSort, Limit: limit, After: after, Bytes: export.PageBytes})
		return page.Records, page.End, err
	}
}

// recently is how long a request counts as one that the process has: as a rule another follows.
const recently = 100 * time.Millisecond

// others reports whether there are requests beside exports.
func (s *Service) others() bool { return s.now().UnixNano()-s.latest.Load() < int64(recently) }

// pageTime bounds the wait for a page: pages of other exports come first, and those of all clients' requests.
const pageTime = 30 * time.Second

// setFileHeaders sets what a client knows of a file before its first byte.
func setFileHeaders(c *fiber.Ctx, r *serving.Reader, f export.Format, coding string, total int64) {
	c.Set(fiber.HeaderContentType, f.MediaType())
	c.Set(headerTotal, strconv.FormatInt(total, 10))
	name := "filings"
	if id := index.GenerationID(r.Generation()); id != "" {
		name += "-" + id
	}
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+"."+string(f)+`"`)
	if coding != "" {
		c.Set(fiber.HeaderContentEncoding, coding)
	}
}

// reserve takes what bounds exports (rule X8): the account's lease, and a place among those of this process, for which it
// waits as long as the client does and the service does not stop. The lease comes first, so that who waits is another
// account than those that it waits for.
func (s *Service) reserve(k *call, d *download) error {
	left, err := s.config.Access.AcquireLease(k.http.UserContext(), k.admission.User, k.id)
	if err != nil {
		return err
	}
	if left > 0 {
		return busy(k, "another export of this account is in progress, or ended with its server", left)
	}
	d.user = k.admission.User
	ctx, stop := edge.Watch(s.exporting, k.http.Context().Conn())
	defer stop()
	if d.place = s.exports.Take(ctx); d.place == nil {
		return busy(k, "this server sends as many exports as it may", exportRetry)
	}
	return nil
}

// busy refuses an export, which may be tried again in that time.
func busy(k *call, what string, wait time.Duration) error {
	seconds := math.Ceil(wait.Seconds())
	k.http.Set(fiber.HeaderRetryAfter, fmt.Sprintf("%.0f", seconds))
	return handlers.Refuse(errBusy, fmt.Sprintf("%s: try again in %.0f seconds", what, seconds))
}

// charge takes the price of an export, all of it or nothing.
func (s *Service) charge(ctx context.Context, k *call, d *download) error {
	charged, err := s.config.Access.Charge(ctx, k.admission, d.price)
	if err != nil {
		return err
	}
	d.charged, k.admission = charged, charged
	k.setQuotaHeaders()
	if charged.Verdict == access.Admitted {
		k.price = d.price
		return nil
	}
	return k.refuseQuota(fmt.Sprintf("this export of %d rows costs %d requests, one for each begun %d rows, and %d remain of the quota: nothing was taken",
		d.total, d.price, params.RowsForOne, charged.Remaining))
}

// chargeRefused counts a refused request for an export, as any other refused request counts.
func (s *Service) chargeRefused(k *call) {
	charged, err := s.config.Access.Charge(k.http.UserContext(), k.admission, 1)
	if err != nil || charged.Verdict != access.Admitted {
		return // the refusal stands; one request too few was counted
	}
	k.admission, k.price = charged, 1
	k.setQuotaHeaders()
}

// CutExports ends the exports that are in progress, and those that begin later: the service stops.
func (s *Service) CutExports() { s.cutExports(errStopping) }
