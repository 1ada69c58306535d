package service

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/swaggest/swgui/v5/static"

	"filings/service/web"
)

// allPages returns the pages for people: the OpenAPI document, shown by Swagger UI, and the explorer, with all of its folder.
func allPages() (all []file, err error) {
	for _, p := range []struct {
		path, name string
		from       fs.FS
	}{
		{"/docs", "docs.html", web.Files},
		{"/docs/docs.css", "docs.css", web.Files},
		{"/docs/docs.js", "docs.js", web.Files},
		{"/docs/favicon.png", "favicon-32x32.png", static.FS},
		{"/docs/swagger-ui.css", "swagger-ui.css.gz", static.FS},
		{"/docs/swagger-ui-bundle.js", "swagger-ui-bundle.js.gz", static.FS},
		{"/explore", "explore.html", web.Files},
	} {
		if all, err = appendFile(all, p.path, p.from, p.name); err != nil {
			return nil, err
		}
	}
	err = fs.WalkDir(web.Files, "explore", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all, err = appendFile(all, "/"+name, web.Files, name)
		}
		return err
	})
	return all, err
}

// appendFile appends the file that from has as name. One that is compressed already stays as it is.
func appendFile(all []file, at string, from fs.FS, name string) ([]file, error) {
	body, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, err
	}
	plain, packed := strings.CutSuffix(name, ".gz")
	mediaType := mediaTypeOf(plain)
	switch {
	case mediaType == "":
		return nil, fmt.Errorf("service: no media type for the page's file %s", name)
	case packed:
		return append(all, packedFile(at, mediaType, body)), nil
	}
	return append(all, newFile(at, mediaType, body)), nil
}

// mediaTypeOf returns the type of a page's file by the end of its name, "" for an end that pages do not have. It does not
// ask the system, as mime.TypeByExtension does: systems differ.
func mediaTypeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".json":
		return contentType
	case ".png":
		return "image/png"
	case ".svg":
		return "image/svg+xml"
	case "": // a licence
		return "text/plain; charset=utf-8"
	}
	return ""
}
