package service

import (
	"github.com/gofiber/fiber/v2"

	"filings/service/pages"
)

// serveFile sends f to everybody, without a key.
func (s *Service) serveFile(f pages.File) fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := callOf(c)
		k.route = f.Path
		c.Set(fiber.HeaderVary, s.cors.Vary(fiber.HeaderAcceptEncoding))
		f.SetHeaders(c)
		if matchTag(ifNoneMatch(c), f.Tag) != noMatch {
			return k.notModified(f.Tag)
		}
		return f.Send(c, negotiate(string(c.Request().Header.Peek(fiber.HeaderAcceptEncoding))) == "gzip")
	}
}
