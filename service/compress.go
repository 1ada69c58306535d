package service

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// leastCompressed is the size from which a body is worth compressing: below it, head and body fit into one packet.
const leastCompressed = 1024

// compress compresses the response if the client can read it. Levels are the fast ones: a page of filings becomes less
// than a quarter of its size either way, and higher levels cost more time than they save on most networks.
func compress(c *fiber.Ctx) {
	r := c.Response()
	if len(r.Body()) < leastCompressed {
		return
	}
	var body []byte
	coding := negotiate(string(c.Request().Header.Peek(fiber.HeaderAcceptEncoding)))
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

// negotiate returns the coding that an Accept-Encoding prefers among gzip and br, "" for none. Where it likes both
// alike it is gzip, which is the faster one here, and no larger.
func negotiate(accept string) string {
	quality := qualities(accept)
	of := func(coding string) float64 {
		if q, ok := quality[coding]; ok {
			return q
		}
		return quality["*"]
	}
	switch gzip, br := of("gzip"), of("br"); {
	case gzip > 0 && gzip >= br:
		return "gzip"
	case br > 0:
		return "br"
	}
	return ""
}

// qualities reads an Accept or an Accept-Encoding: how much each name in it is wanted, 1 where that is not said. Other
// parameters than q make no difference.
func qualities(accept string) map[string]float64 {
	quality := map[string]float64{}
	for item := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		q := 1.0
		for parameter := range strings.SplitSeq(parameters, ";") {
			if key, v, ok := strings.Cut(strings.TrimSpace(parameter), "="); ok && strings.EqualFold(key, "q") {
				q, _ = strconv.ParseFloat(v, 64) // what is no number is 0: not wanted
			}
		}
		quality[strings.ToLower(strings.TrimSpace(name))] = q
	}
	return quality
}
