package service

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// file is what is answered as it is to everybody, without a key and without counting: the OpenAPI document, and pages.
// It is compressed once, since those whom nobody counts must not cost much.
type file struct {
	path, contentType string
	packed            []byte // with gzip
	tag               string
}

func newFile(path, contentType string, body []byte) file {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that there is
	_, _ = w.Write(body)                                  // to memory: never fails
	_ = w.Close()
	return packedFile(path, contentType, b.Bytes())
}

// packedFile is newFile for a body that is compressed already.
func packedFile(path, contentType string, packed []byte) file {
	sum := sha256.Sum256(packed)
	return file{path, contentType, packed, `W/"` + hex.EncodeToString(sum[:16]) + `"`}
}

// policy lets a page load what this service has, and nothing from anywhere else (Content-Security-Policy). The style sheet
// of Swagger UI has its images in it, as data.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serve answers with f. It may be kept by everybody, who must ask whether it still holds: another release, or another
// setting, changes it.
func (f file) serve(s *Service) fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := callOf(c)
		k.route = f.path
		c.Set(fiber.HeaderCacheControl, "public, no-cache")
		c.Set(fiber.HeaderVary, s.vary(fiber.HeaderAcceptEncoding))
		c.Set(fiber.HeaderContentSecurityPolicy, policy)
		c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
		if matchTag(ifNoneMatch(c), f.tag) != noMatch {
			return k.notModified(f.tag)
		}
		c.Set(fiber.HeaderETag, f.tag)
		c.Set(fiber.HeaderContentType, f.contentType)
		if negotiate(string(c.Request().Header.Peek(fiber.HeaderAcceptEncoding))) == "gzip" {
			c.Set(fiber.HeaderContentEncoding, "gzip")
			c.Response().SetBodyRaw(f.packed)
			return nil
		}
		body, err := fasthttp.AppendGunzipBytes(nil, f.packed)
		c.Response().SetBodyRaw(body)
		return err
	}
}
