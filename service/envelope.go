package service

import (
	"strconv"

	"filings/index"
	"filings/service/access"
)

// page is one page of filings.
type page struct {
	rows          []index.Record
	total         int64
	limit, offset int
}

// recordTier returns what the records of an account of tier t show: starter sees what free sees (rule K5), and so does
// a tier that this program does not know.
func recordTier(t access.Tier) index.Tier {
	switch t {
	case access.Enterprise:
		return index.Enterprise
	case access.Pro:
		return index.Pro
	}
	return index.Free
}

// appendRecords appends rows as an array, each as tier t sees it. Records are passed through, never decoded.
func appendRecords(dst []byte, rows []index.Record, t index.Tier) []byte {
	dst = append(dst, '[')
	for i, r := range rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.AppendFor(dst, t)
	}
	return append(dst, ']')
}

func appendPagination(dst []byte, p page) []byte {
	dst = append(dst, `,"pagination":{"total":`...)
	dst = strconv.AppendInt(dst, p.total, 10)
	dst = append(dst, `,"limit":`...)
	dst = strconv.AppendInt(dst, int64(p.limit), 10)
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, int64(p.offset), 10)
	dst = append(dst, `,"has_more":`...)
	dst = strconv.AppendBool(dst, int64(p.offset+len(p.rows)) < p.total)
	return append(dst, '}')
}

// appendMeta appends the metadata of c: with tier and quota once the caller is known.
func (c *call) appendMeta(dst []byte) []byte {
	dst = append(dst, `,"meta":{"request_id":"`...)
	dst = append(dst, c.id...)
	dst = append(dst, '"')
	if c.known {
		dst = append(dst, `,"tier":`...)
		dst = index.AppendString(dst, string(c.admission.Tier))
		dst = append(dst, `,"rate_limit_remaining":`...)
		dst = strconv.AppendInt(dst, c.admission.Remaining, 10)
	}
	return append(dst, '}')
}

// appendError appends the body of an error (rule E2).
func (c *call) appendError(dst []byte, k kindOfError, message string) []byte {
	if k.flat {
		dst = append(append(append(dst, `{"error":"`...), k.code...), `","message":`...)
		return append(index.AppendString(dst, message), '}')
	}
	dst = append(append(append(dst, `{"success":false,"error":{"code":"`...), k.code...), `","message":`...)
	dst = append(index.AppendString(dst, message), '}')
	return append(c.appendMeta(dst), '}')
}
