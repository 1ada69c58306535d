package edge

import (
	"net"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// otherMethod stands for all methods that HTTP does not define. Fiber would answer them before any middleware.
const otherMethod = "OTHER"

// ServerConfig is how all listeners read HTTP. Paths are taken as they are written: an escaped slash is part of a
// county's name, not the end of it.
func ServerConfig(onError fiber.ErrorHandler) fiber.Config {
	return fiber.Config{
		Immutable:                    true, // strings outlive their request in logs and caches
		CaseSensitive:                true,
		StrictRouting:                true,
		UnescapePath:                 false,
		DisableStartupMessage:        true,
		DisableDefaultContentType:    true, // a 304 has none
		DisablePreParseMultipartForm: true,
		RequestMethods:               append(slices.Clone(fiber.DefaultMethods), otherMethod),
		ReadBufferSize:               16 << 10, // request line and headers: the longest sensible query is a third of it
		BodyLimit:                    4 << 10,  // bodies mean nothing here: small ones are read and left alone
		ReadTimeout:                  10 * time.Second,
		WriteTimeout:                 30 * time.Second,
		IdleTimeout:                  2 * time.Minute,
		ErrorHandler:                 onError,
	}
}

// RouteAllMethods makes server pass requests with methods that HTTP does not define to the application, too.
func RouteAllMethods(server *fasthttp.Server) {
	next := server.Handler
	server.Handler = func(c *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(c.Method())) {
			c.Request.Header.SetMethod(otherMethod)
		}
		next(c)
	}
}

// CloseIdle makes server close a connection on which no request came in time, instead of sending an error that belongs
// to no request: clients keep idle connections, and one that is used again at that very moment would take the error for
// its own response.
//
// An error within the head of a request is wrapped; one before its first byte comes as it is. So does one within a body,
// with the request already forgotten: hence begun, the heads (*fasthttp.RequestHeader) whose bodies are being read.
func CloseIdle(server *fasthttp.Server) {
	var begun sync.Map
	server.HeaderReceived = func(h *fasthttp.RequestHeader) (unchanged fasthttp.RequestConfig) {
		if announcesBody(h) {
			begun.Store(h, nil)
		}
		return unchanged
	}
	handle, refuse := server.Handler, server.ErrorHandler
	server.Handler = func(c *fasthttp.RequestCtx) {
		if announcesBody(&c.Request.Header) {
			begun.Delete(&c.Request.Header)
		}
		handle(c)
	}
	server.ErrorHandler = func(c *fasthttp.RequestCtx, err error) {
		_, inBody := begun.LoadAndDelete(&c.Request.Header)
		if timeout, bare := err.(net.Error); bare && timeout.Timeout() && !inBody {
			_ = c.Conn().Close()
			return
		}
		refuse(c, err)
	}
}

// announcesBody reports whether h says that a body follows: of some length, or (-1) in chunks.
func announcesBody(h *fasthttp.RequestHeader) bool {
	return h.ContentLength() > 0 || h.ContentLength() == -1
}
