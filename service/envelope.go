package service

import (
	"bytes"
	"encoding/json"
	"strconv"

	"filings/index"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/params"
)

// appendResult appends the body of a response of 200: what the shape of e says is there besides
// data (rule E1), in this order. After an error, which is that a record is none (rule X23), nothing
// of it may be sent.
func (k *call) appendResult(dst []byte, e *endpoint, q params.Request, result handlers.Result) (_ []byte, err error) {
	page, paged := result.Data.(index.Page)
	list, before := page.AppendRecords, `"data":`
	switch {
	case e.Shape.Has(params.Plain):
		if tile, isBytes := result.Data.([]byte); isBytes {
			return append(dst, tile...), nil
		}
		return appendJSON(dst, result.Data), nil
	case q.GeoJSON && !paged:
		return appendJSON(dst, result.Data), nil
	case q.GeoJSON:
		list, before = page.AppendFeatures, `"type":"FeatureCollection","features":`
	case e.Shape.Has(params.Success):
		before = `"success":true,"data":`
	}
	dst = append(append(dst, '{'), before...)
	tier := recordTier(k.admission.Tier)
	switch data := result.Data.(type) {
	case index.Record:
		dst, err = data.AppendFields(dst, tier, q.Fields)
	case index.Page:
		if dst, err = list(dst, tier, q.Fields); e.Shape.Has(params.Pagination) {
			dst = appendPagination(dst, q, len(data.Records), result)
		}
	case handlers.Changes:
		dst = append(data.AppendJSON(dst), `,"pagination":{"limit":`...) // changes are not counted (rule X17)
		dst = appendCursor(strconv.AppendInt(dst, int64(q.Query.Limit), 10), result.Next)
	case handlers.Groups:
		dst = data.AppendJSON(dst)
	case []handlers.Owner:
		dst = appendPagination(appendJSON(dst, data), q, len(data), result)
	default:
		if dst = appendJSON(dst, data); e.Shape.Has(params.Partial) && q.Cursor != nil {
			dst = appendPagination(dst, q, 0, result)
		}
	}
	if e.Shape.Has(params.Meta) {
		dst = k.appendMeta(dst)
		dst = dst[:len(dst)-1]
		if q.Groups.Limit > 0 {
			dst = strconv.AppendInt(append(dst, `,"groups":`...), result.Total, 10)
		}
		if result.Corrected != nil {
			dst = appendJSON(append(dst, `,"corrected":`...), result.Corrected)
		}
		if result.Unmatched != nil {
			dst = appendJSON(append(dst, `,"unmatched":`...), result.Unmatched)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}'), err
}

// appendJSON appends v as JSON. Like records, it leaves <, > and & as they are.
func appendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only numbers and texts are written here: they always encode
	}
	return b.Bytes()[:b.Len()-1]
}

// recordTier returns what the records of an account of tier t show: starter sees what free sees
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

// appendPagination appends where in the query's filings its page of so many rows lies (rule E6), or
// how the next page by cursor is found (rule X3).
func appendPagination(dst []byte, q params.Request, rows int, result handlers.Result) []byte {
	dst = append(dst, `,"pagination":{"total":`...)
	dst = strconv.AppendInt(dst, result.Total, 10)
	dst = append(dst, `,"limit":`...)
	dst = strconv.AppendInt(dst, int64(q.Query.Limit), 10)
	if q.Cursor != nil {
		return appendCursor(dst, result.Next)
	}
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, int64(q.Query.Offset), 10)
	dst = append(dst, `,"has_more":`...)
	dst = strconv.AppendBool(dst, int64(q.Query.Offset+rows) < result.Total)
	return append(dst, '}')
}

// appendCursor appends the end of a pagination by cursor: the cursor of the next page, null where
// it is "".
func appendCursor(dst []byte, next string) []byte {
	if next == "" {
		return append(dst, `,"next_cursor":null,"has_more":false}`...)
	}
	return append(append(append(dst, `,"next_cursor":"`...), next...), `","has_more":true}`...)
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
