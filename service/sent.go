package service

import (
	"context"
	"log/slog"
	"net/http"

	"filings/service/edge"
	"filings/service/export"
)

// send makes what open returns the body of k's response.
func (s *Service) send(k *call, to export.Sending, open func(context.Context) *export.Stream) {
	to.Conn = k.http.Context().Conn()
	to.Flush = edge.Gather(to.Conn)
	s.metrics.exporting.Inc()
	k.streams = true
	k.http.Response().ImmediateHeaderFlush = true // the first row group of Parquet takes a while
	k.http.Response().SetBodyStream(export.Send(s.exporting, to, open), -1)
}

// sent returns what ends the request k, which is used for another one by then: it gives back what was not sent, lets the next
// export begin, counts, and writes the record of the log.
func (s *Service) sent(k *call, f export.Format, charge export.Charge, to export.Sending) func(export.Sent) {
	id, route, began, tier, method := k.id, k.route, k.began, string(k.admission.Tier), k.http.Method()
	attributes := append(edge.Attributes(k.http, id, route), slog.String("client", s.client(k.http).String()),
		slog.String("user", k.admission.User), slog.String("tier", tier))
	attributes = append(attributes, k.traceID()...)
	return func(sent export.Sent) {
		unsent := charge.Unsent(sent.Rows)
		if unsent > 0 {
			s.giveBack(id, charge.Admission, unsent)
		}
		s.letGo(id, to)
		s.metrics.exporting.Dec()
		took, outcome := s.now().Sub(began), sent.Outcome()
		s.metrics.observed(route, "200", tier, took)
		s.metrics.exports.WithLabelValues(string(f), outcome).Inc()
		s.metrics.exportRows.Add(float64(sent.Rows))
		level, failure, attributes := slog.LevelInfo, "", append(attributes, edge.Took(took), slog.Int64("bytes", sent.Bytes), slog.Int64("rows", sent.Rows),
			slog.Int64("total", charge.Rows), slog.Int64("price", charge.Price-unsent), slog.String("outcome", outcome))
		if sent.Err != nil {
			attributes = append(attributes, slog.String("error", sent.Err.Error()))
		}
		if outcome == "failed" {
			level, failure = slog.LevelError, outcome
		}
		s.log.LogAttrs(context.Background(), level, "request", attributes...)
		k.span.Number("filings.rows", sent.Rows)
		k.span.EndRequest(method, route, http.StatusOK, failure)
	}
}

// letGo gives back what bounds exports.
func (s *Service) letGo(id string, to export.Sending) {
	if to.Lease == nil {
		return
	}
	if err := to.Lease.Release(); err != nil {
		s.log.Warn("lease of an export not released: it expires by itself", slog.String("id", id), slog.String("error", err.Error()))
	}
	if to.Slot != nil {
		to.Slot.Leave()
	}
}
