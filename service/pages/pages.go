// Package pages owns the pages for people, with all that they load: /docs, the OpenAPI document to
// read and to try, shown by Scalar; below it the documents about the API (/docs/filters,
// /docs/filters.md and so on), which /llms.txt lists for programs; and /explore, filings on a map.
// /docs and /explore use the API as any client does, with the key of their reader. It refuses to
// know the API, and the rights of its callers.
//
// # Design
//
// /docs and /explore are files: no templates, no build step. The documents are the Markdown of
// package docs, rendered when the service starts (documents.go); guide.js adds a search, copy
// buttons and samples in other languages. Each page is compressed once, since requests that do not
// count must not cost much. They load nothing from anywhere else, and keep script and style in
// files of their own, since their Content-Security-Policy forbids everything else.
//
// # The explorer
//
// The folder explore is a page of JavaScript modules around explore.js, which decides when which
// request is sent. Filings are untrusted text: they reach the page as text nodes only (dom.js). The
// key is in one private field (api.js). Filters and fields, which the OpenAPI document describes,
// are not written down there again. The points on the map come from vector tiles, which mvt.js
// reads; cells.js decides which are needed, so that a view costs only new tiles.
//
// Two of its folders come from elsewhere, unchanged, with their licenses beside them: leaflet is
// the package leaflet 1.9.4 of npm, without its images; outline is of the package us-atlas 3.0.1,
// made from files of the U.S. Census Bureau, which are in the public domain. Its counties are kept
// compressed (gzip -9n), as they are sent: the page loads these 251 kB when its reader first zooms
// in. cities.json has cities above 20,000 people and county seats, of GeoNames (CC BY 4.0). LICENSE
// next to it says more.
//
// An operator may set a base map (Tiles). Then, and only for this page, the policy allows images of that one origin.
//
// # The reference
//
// The folder scalar has dist/browser/standalone.js of the package @scalar/api-reference 1.72.1 of
// npm, unchanged but for gzip, with its license next to it. docs.js turns off everything that sends
// requests elsewhere (fonts, telemetry, proxies, agents), offers parameters one by one, and names
// controls that Scalar leaves without a name.
package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

//go:embed *.html *.css *.js explore scalar
var files embed.FS

// mediaTypes are the types of the files by the end of their names: mime.TypeByExtension depends on
// the system, and systems differ.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8", // a license
}

// File is the same for everybody, without a key or counting: pages, and the OpenAPI document.
type File struct {
	Path      string // of its URL
	mediaType string
	policy    string // its Content-Security-Policy
	// Each is made when it is first requested, and kept: making it takes long enough to be an
	// attack, and to delay a start.
	tag      func() (string, error) // weak ETag
	packed   func() ([]byte, error) // with gzip
	unpacked func() ([]byte, error)
}

// New returns a file with an uncompressed body, which body makes when it is first requested.
func New(path, mediaType string, body func() ([]byte, error)) File {
	body = sync.OnceValues(body)
	return newFile(path, mediaType, body, body, func() ([]byte, error) {
		unpacked, err := body()
		return fasthttp.AppendGzipBytesLevel(nil, unpacked, fasthttp.CompressBestCompression), err
	})
}

// newPacked returns a file whose body is compressed already.
func newPacked(path, mediaType string, packed []byte) File {
	body := kept(packed)
	return newFile(path, mediaType, body, func() ([]byte, error) { return fasthttp.AppendGunzipBytes(nil, packed) },
		body)
}

// newFile returns a file whose tag is that of source.
func newFile(path, mediaType string, source, unpacked, packed func() ([]byte, error)) File {
	allowed := policy
	if path == referencePath {
		allowed = referencePolicy
	}
	tag := func() (string, error) {
		body, err := source()
		sum := sha256.Sum256(body)
		return `W/"` + hex.EncodeToString(sum[:16]) + `"`, err
	}
	return File{path, mediaType, allowed, sync.OnceValues(tag), sync.OnceValues(packed), sync.OnceValues(unpacked)}
}

// kept returns a function that returns body.
func kept(body []byte) func() ([]byte, error) { return func() ([]byte, error) { return body, nil } }

// Files returns all files of all pages, with a base map for /explore.
func Files(tiles Tiles) (list []File, err error) {
	for _, p := range []struct{ path, name string }{
		{referencePath, "docs.html"},
		{"/docs/docs.css", "docs.css"},
		{"/docs/docs.js", "docs.js"},
		{"/docs/pages.css", "pages.css"},
		{"/docs/guide.js", "guide.js"},
		{"/docs/scalar/standalone.js", "scalar/standalone.js.gz"},
		{"/docs/scalar/LICENSE", "scalar/LICENSE"},
		{"/explore", "explore.html"},
	} {
		if list, err = appendFile(list, p.path, p.name); err != nil {
			return nil, err
		}
	}
	documents, err := Documents()
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		list = append(list, New(d.Path, d.MediaType, kept(d.Body)))
	}
	err = fs.WalkDir(files, "explore", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list, err = appendFile(list, "/"+strings.TrimSuffix(name, ".gz"), name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return withTiles(list, tiles)
}

// appendFile appends the file called name. One that is compressed already stays as it is.
func appendFile(list []File, address, name string) ([]File, error) {
	body, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	plain, packed := strings.CutSuffix(name, ".gz")
	mediaType, ok := mediaTypes[path.Ext(plain)]
	switch {
	case !ok:
		return nil, fmt.Errorf("pages: no media type for the file %s", name)
	case packed:
		return append(list, newPacked(address, mediaType, body)), nil
	}
	return append(list, New(address, mediaType, kept(body))), nil
}

// referencePath is the path of the reference.
const referencePath = "/docs"

// policy lets a page load files of this service, and nothing from anywhere else
// (Content-Security-Policy). Scalar has images in its style, as data.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// referencePolicy lets the reference have style in its markup as well: Scalar brings its own in its script. A style can
// tell nobody anything, since it loads from here as well.
var referencePolicy = strings.Replace(policy, "style-src 'self'", "style-src 'self' 'unsafe-inline'", 1)

// SetHeaders sets the headers of every response with a file, a 304 too, and returns its ETag. It
// may be kept by everybody, who must revalidate it: another release or setting changes it.
func (f File) SetHeaders(c *fiber.Ctx) (tag string, err error) {
	if tag, err = f.tag(); err != nil {
		return "", err
	}
	c.Set(fiber.HeaderCacheControl, "public, no-cache")
	c.Set(fiber.HeaderContentSecurityPolicy, f.policy)
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderETag, tag)
	return tag, nil
}

// Send sends the file, compressed for a client that accepts gzip.
func (f File) Send(c *fiber.Ctx, gzip bool) error {
	c.Set(fiber.HeaderContentType, f.mediaType)
	body := f.unpacked
	if gzip {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		body = f.packed
	}
	sent, err := body()
	c.Response().SetBodyRaw(sent)
	return err
}
