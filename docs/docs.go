// Package docs holds the documents that people read. The pages about the API are also part of the program, which serves
// them (package pages).
package docs

import "embed"

// API are the pages about the API, Markdown, as api/NAME.md.
//
//go:embed api/*.md
var API embed.FS
