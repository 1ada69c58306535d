// Package docs holds the documents that people read. It owns the text of the pages about the API (api/*.md), which is part
// of the program: package pages serves it. All other documents are read where the source is. It has no code: documents
// are data.
package docs

import "embed"

// API are the pages about the API, Markdown, as api/NAME.md.
//
//go:embed api/*.md
var API embed.FS
