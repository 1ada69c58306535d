package service

import (
	"strconv"

	"filings/index"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/params"
)

// appendResult appends the body of a response of 200: the parts besides data that the shape of e
// names (rule E1), in this order. After an error, which is that a record is none (rule X23),
// nothing of it may be sent.
func (k *call) appendResult(dst []byte, e *endpoint, q params.Request, result handlers.Result) (_ []byte, err error) {
	view := handlers.View{Tier: recordTier(k.admission.Tier), Fields: q.Fields, GeoJSON: q.GeoJSON}
	paged := e.Shape.Has(params.Pagination) || e.Shape.Has(params.Partial) && q.Cursor != nil
	switch {
	case e.Shape.Has(params.Plain) || q.GeoJSON && !paged:
		return result.Data.AppendJSON(dst, view)
	case q.GeoJSON:
		dst = append(dst, `{"type":"FeatureCollection","features":`...)
	case e.Shape.Has(params.Success):
		dst = append(dst, `{"success":true,"data":`...)
	default:
		dst = append(dst, `{"data":`...)
	}
	if dst, err = result.Data.AppendJSON(dst, view); paged {
		dst = appendPagination(dst, e.Shape, q, result)
	}
	if e.Shape.Has(params.Meta) {
		dst = k.appendMeta(dst)
		dst = dst[:len(dst)-1]
		if q.Groups.Limit > 0 {
			dst = strconv.AppendInt(append(dst, `,"groups":`...), result.Total, 10)
		}
		if result.Corrected != nil {
			dst = handlers.AppendJSON(append(dst, `,"corrected":`...), result.Corrected)
		}
		if result.Unmatched != nil {
			dst = handlers.AppendJSON(append(dst, `,"unmatched":`...), result.Unmatched)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}'), err
}

// recordTier returns the tier whose fields an account of tier t sees: starter sees the same as free
// (rule K5), and so does a tier that this program does not know.
func recordTier(t access.Tier) index.Tier {
	switch t {
	case access.Enterprise:
		return index.Enterprise
	case access.Pro:
		return index.Pro
	}
	return index.Free
}

// appendPagination appends where in the query's filings its page lies (rule E6), or how the next
// page by cursor is found (rule X3): null where there is none. Changes are not counted (rule X17).
func appendPagination(dst []byte, shape params.Shape, q params.Request, result handlers.Result) []byte {
	dst = append(dst, `,"pagination":{`...)
	if !shape.Has(params.Forward) {
		dst = append(strconv.AppendInt(append(dst, `"total":`...), result.Total, 10), ',')
	}
	dst = strconv.AppendInt(append(dst, `"limit":`...), int64(q.Query.Limit), 10)
	switch {
	case q.Cursor == nil && !shape.Has(params.Forward):
		dst = strconv.AppendInt(append(dst, `,"offset":`...), int64(q.Query.Offset), 10)
		dst = strconv.AppendBool(append(dst, `,"has_more":`...), int64(q.Query.Offset+result.Rows) < result.Total)
		return append(dst, '}')
	case result.Next == "":
		return append(dst, `,"next_cursor":null,"has_more":false}`...)
	}
	return append(append(append(dst, `,"next_cursor":"`...), result.Next...), `","has_more":true}`...)
}

// appendMeta appends the metadata of k: with tier and quota once the caller is known.
func (k *call) appendMeta(dst []byte) []byte {
	dst = append(dst, `,"meta":{"request_id":"`...)
	dst = append(dst, k.id...)
	dst = append(dst, '"')
	if k.known {
		dst = append(dst, `,"tier":`...)
		dst = index.AppendString(dst, string(k.admission.Tier))
		dst = append(dst, `,"rate_limit_remaining":`...)
		dst = strconv.AppendInt(dst, k.admission.Remaining, 10)
	}
	return append(dst, '}')
}

// appendError appends the body of an error (rule E2).
func (k *call) appendError(dst []byte, e exposedError) []byte {
	if e.flat {
		dst = append(append(append(dst, `{"error":"`...), e.code...), `","message":`...)
		return append(index.AppendString(dst, e.message), '}')
	}
	dst = append(append(append(dst, `{"success":false,"error":{"code":"`...), e.code...), `","message":`...)
	dst = index.AppendString(dst, e.message)
	if e.parameter != "" {
		dst = index.AppendString(append(dst, `,"parameter":`...), e.parameter)
	}
	dst = append(dst, '}')
	return append(k.appendMeta(dst), '}')
}
