package service

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// otherMethod stands for all methods that HTTP does not define. Fiber would answer them before any middleware.
const otherMethod = "OTHER"

func knownMethods(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(c.Method())) {
			c.Request.Header.SetMethod(otherMethod)
		}
		next(c)
	}
}

// silentToSilence makes server close a connection on which nothing came in time, instead of answering what nobody asked:
// clients keep connections in store, and one that is taken out at that very moment would take the answer for its own.
//
// An error within the head of a request is wrapped; one before its first byte comes as it is. So does one within a body,
// with the request already forgotten: hence begun, the heads (*fasthttp.RequestHeader) whose bodies are being read.
func silentToSilence(server *fasthttp.Server) {
	var begun sync.Map
	server.HeaderReceived = func(h *fasthttp.RequestHeader) (asUsual fasthttp.RequestConfig) {
		if announcesBody(h) {
			begun.Store(h, nil)
		}
		return asUsual
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
		silence, bare := err.(net.Error)
		if bare && silence.Timeout() && !inBody {
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

// serverConfig is how both listeners read HTTP. Paths are taken as they are written: an escaped slash is part of a
// county's name, not the end of it.
func serverConfig(onError fiber.ErrorHandler) fiber.Config {
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

// plainError answers an error of a listener that does not speak the API's envelope, in the status's own words.
func plainError(c *fiber.Ctx, err error) error {
	status := fiber.StatusInternalServerError
	var f *fiber.Error
	if errors.As(err, &f) {
		status = f.Code
	}
	return c.SendStatus(status)
}
