package service

import (
	"errors"
	"slices"
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
