package service

import (
	"io/fs"
	"strings"

	"github.com/swaggest/swgui/v5/static"

	"filings/service/web"
)

// pages are the pages for people: the OpenAPI document, shown by Swagger UI.
func pages() (all []file, err error) {
	const html, css, js = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"
	for _, p := range []struct {
		path, contentType, name string
		from                    fs.FS
	}{
		{"/docs", html, "docs.html", web.Files},
		{"/docs/docs.css", css, "docs.css", web.Files},
		{"/docs/docs.js", js, "docs.js", web.Files},
		{"/docs/favicon.png", "image/png", "favicon-32x32.png", static.FS},
		{"/docs/swagger-ui.css", css, "swagger-ui.css.gz", static.FS},
		{"/docs/swagger-ui-bundle.js", js, "swagger-ui-bundle.js.gz", static.FS},
	} {
		body, err := fs.ReadFile(p.from, p.name)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(p.name, ".gz") {
			all = append(all, packedFile(p.path, p.contentType, body))
		} else {
			all = append(all, newFile(p.path, p.contentType, body))
		}
	}
	return all, nil
}
