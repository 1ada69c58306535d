// Package web holds the pages for people that the service shows, as they are sent: no logic, no templates. They load
// nothing from anywhere else, and keep script and style in files of their own, since the service's Content-Security-Policy
// forbids everything else.
package web

import "embed"

// Files are the pages and what they load.
//
//go:embed *.html *.css *.js
var Files embed.FS
