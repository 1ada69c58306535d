package edge

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// Framed refuses a request whose end, host or version can be read in two ways, and closes its connection: a proxy in
// front of us may have read it in the other way, and what follows on the connection could then be taken for the request
// of somebody else (RFC 9112, sections 3.2, 5 and 6.3). The HTTP server itself accepts such requests.
func Framed(c *fiber.Ctx) error {
	if unambiguous(&c.Request().Header) {
		return c.Next()
	}
	c.Context().SetConnectionClose()
	return ErrMalformed
}

// unambiguous looks at the lines as they came: the server's own view of them keeps only the last one of a name.
func unambiguous(h *fasthttp.RequestHeader) bool {
	var hosts, lengths, codings int
	for line := range bytes.Lines(h.RawHeaders()) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if bytes.ContainsAny(line, "\r\x00") {
			return false
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch is := func(wanted string) bool { return bytes.EqualFold(name, []byte(wanted)) }; {
		case is(fiber.HeaderHost):
			hosts++
		case is(fiber.HeaderContentLength):
			lengths++
		case is(fiber.HeaderTransferEncoding):
			if codings++; !bytes.EqualFold(bytes.Trim(value, " \t"), []byte("chunked")) {
				return false
			}
		}
	}
	switch string(h.Protocol()) {
	case "HTTP/1.1":
		return hosts == 1 && lengths+codings <= 1
	case "HTTP/1.0":
		return hosts <= 1 && lengths <= 1 && codings == 0
	}
	return false
}
