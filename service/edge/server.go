package edge

import (
	"bytes"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// otherMethod stands for all methods that HTTP does not define. Fiber would answer them before any middleware.
const otherMethod = "OTHER"

// APIBody is how many bytes of a body a client of the API may send. They mean nothing here: small
// ones are read and left alone.
const APIBody = 4 << 10

// headBytes bounds request line and headers together.
const headBytes = 16 << 10

// New returns an application without routes that reads HTTP as all listeners do. Paths are taken as
// they are written: an escaped slash is part of a county's name, not the end of it. onError answers
// requests that are refused before any middleware, such as bodies of more than bodyLimit bytes.
func New(onError fiber.ErrorHandler, bodyLimit int) *fiber.App {
	app := fiber.New(fiber.Config{
		Immutable:                    true, // strings outlive their request in logs and caches
		CaseSensitive:                true,
		StrictRouting:                true,
		UnescapePath:                 false,
		DisableStartupMessage:        true,
		DisableDefaultContentType:    true, // a 304 has none
		DisablePreParseMultipartForm: true,
		RequestMethods:               append(slices.Clone(fiber.DefaultMethods), otherMethod),
		// request line and headers: the longest sensible query is a third of it
		ReadBufferSize:  headBytes,
		WriteBufferSize: gatherBytes, // head and body of a page of 20 go out together
		BodyLimit:       bodyLimit,
		ReadTimeout:     10 * time.Second,
		WriteTimeout:    30 * time.Second,
		IdleTimeout:     2 * time.Minute,
		ErrorHandler:    onError,
	})
	server := app.Server()
	boundPaths(server)
	routeAllMethods(server)
	readBodies(server)
	answers(server)
	return app
}

// AllowBody makes app take bodies of up to most bytes for one path, with a query or not, also where
// the request names its host with it, and those of other paths as before.
func AllowBody(app *fiber.App, path string, most int) {
	server := app.Server()
	next := server.HeaderReceived
	server.HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		config := next(h)
		sent, _, _ := bytes.Cut(h.RequestURI(), []byte{'?'})
		if _, rest, absolute := bytes.Cut(sent, []byte("://")); absolute && sent[0] != '/' {
			sent = rest[max(0, bytes.IndexByte(rest, '/')):]
		}
		if string(sent) == path {
			config.MaxRequestBodySize = most
		}
		return config
	}
}

// MaxPath bounds the bytes of a path: a percent-encoded name of 200 characters, and its endpoint.
const MaxPath = 2 << 10

// boundPaths makes server take a longer path for no URL. The server gives paths a normal form,
// though none is used here, in a time that grows with the square of the slashes and dots: 10 ms for
// 15 KiB, before anything of the request is known.
func boundPaths(server *fasthttp.Server) {
	next := server.Handler
	server.Handler = func(c *fasthttp.RequestCtx) {
		if path, _, _ := bytes.Cut(c.Request.Header.RequestURI(), []byte{'?'}); len(path) > MaxPath {
			c.Request.SetRequestURI(noURL)
		}
		next(c)
	}
}

const noURL = "\x00"

// routeAllMethods makes server pass requests with methods that HTTP does not define to the application, too.
func routeAllMethods(server *fasthttp.Server) {
	next := server.Handler
	server.Handler = func(c *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(c.Method())) {
			c.Request.Header.SetMethod(otherMethod)
		}
		next(c)
	}
}

// readBodies makes server leave a body in chunks unread: Framed refuses its request. And it makes
// server close a connection on which no request came, in time or until it broke, instead of sending
// and logging an error that belongs to no request: clients keep idle connections, and one that is
// used again at that very moment would take the error for its own response.
//
// An error within the head of a request is wrapped; one before its first byte comes as it is. So
// does one within a body, with the request already forgotten: hence begun, the heads
// (*fasthttp.RequestHeader) whose bodies are being read.
func readBodies(server *fasthttp.Server) {
	var begun sync.Map
	server.HeaderReceived = func(h *fasthttp.RequestHeader) (unchanged fasthttp.RequestConfig) {
		switch length := h.ContentLength(); {
		case length > 0:
			begun.Store(h, nil)
		case length == inChunks:
			h.SetContentLength(0)
			h.Del(fiber.HeaderExpect) // no 100 (Continue) for a body that is not read
		}
		return unchanged
	}
	handle, refuse := server.Handler, server.ErrorHandler
	server.Handler = func(c *fasthttp.RequestCtx) {
		if c.Request.Header.ContentLength() > 0 {
			begun.Delete(&c.Request.Header)
		}
		handle(c)
	}
	server.ErrorHandler = func(c *fasthttp.RequestCtx, err error) {
		_, inBody := begun.LoadAndDelete(&c.Request.Header)
		if _, bare := err.(net.Error); bare && !inBody {
			_ = c.Conn().Close()
			return
		}
		if !errors.As(err, new(interface{ Timeout() bool })) && strings.Contains(err.Error(), "timeout") {
			err = ErrMalformed // for Fiber this word, which the client wrote, would make it a time-out
		}
		refuse(c, err)
	}
}

// inChunks is the Content-Length that the server gives a request with a body in chunks.
const inChunks = -1
