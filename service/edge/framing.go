package edge

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// Framed refuses a request whose end, host or version can be read in two ways, and closes its
// connection: a proxy in front of us may have read it in the other way, and the next bytes of the
// connection could then be taken for the request of somebody else (RFC 9112, sections 2.2, 3.2, 5
// and 6.3). The HTTP server itself accepts such requests.
//
// A body in chunks is always refused. No client of ours needs one, and chunks have sizes, extensions and trailers that
// servers read in many ways; this one would take trailers for headers.
func Framed(c *fiber.Ctx) error {
	err := framing(&c.Request().Header)
	if err == nil {
		return c.Next()
	}
	c.Context().SetConnectionClose()
	return err
}

// framing looks at the lines as they came: the server's own view of them keeps only the last one of a name.
func framing(h *fasthttp.RequestHeader) error {
	var hosts, lengths, codings int
	for line := range bytes.Lines(h.RawHeaders()) {
		line, ended := bytes.CutSuffix(line, []byte("\r\n"))
		if !ended || bytes.ContainsAny(line, "\r\x00") {
			return ErrMalformed
		}
		if len(line) == 0 {
			break // the end
		}
		name, _, colon := bytes.Cut(line, []byte(":"))
		// a blank at the beginning continues the line before
		if !colon || len(name) == 0 || bytes.ContainsAny(name, " \t") {
			return ErrMalformed
		}
		switch named := func(wanted string) bool { return bytes.EqualFold(name, []byte(wanted)) }; {
		case named(fiber.HeaderHost):
			hosts++
		case named(fiber.HeaderContentLength):
			lengths++
		case named(fiber.HeaderTransferEncoding):
			codings++
		}
	}
	version := string(h.Protocol())
	switch {
	case version != "HTTP/1.1" && version != "HTTP/1.0", hosts > 1, hosts == 0 && version == "HTTP/1.1", lengths > 1:
		return ErrMalformed
	case codings > 0:
		return ErrChunked
	}
	return nil
}
