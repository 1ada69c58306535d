package pages

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"filings/docs"
)

// Document is a page about the API in one of its forms, or what one loads.
type Document struct {
	Path      string // of its URL
	MediaType string
	Body      []byte
}

// chapters are the pages about the API in the order in which they are read.
var chapters = []string{
	"requests", "recipes", "fields", "filters", "paging", "exports", "changes", "generations", "groups", "owners", "maps", "webmaps",
	"browsers", "agents", "clients", "explorer", "tiers", "limits", "errors", "troubleshooting", "elasticsearch",
}

// chapter is the source of one page.
type chapter struct {
	name, title, summary string
	markdown             []byte
}

// Documents returns the pages about the API as HTML (/docs/NAME) and as Markdown (/docs/NAME.md), what they load, and
// /llms.txt, which lists them for programs that read (llmstxt.org), and /llms-full.txt, which is all of them. A process renders them
// once, so that no generated file has to be kept with its source.
var Documents = sync.OnceValues(func() ([]Document, error) {
	var read []chapter
	for _, name := range chapters {
		source, err := fs.ReadFile(docs.API, "api/"+name+".md")
		if err != nil {
			return nil, err
		}
		read = append(read, parse(name, source))
	}
	full := []byte{}
	for _, c := range read {
		within := bytes.ReplaceAll(c.markdown, []byte("](#"), []byte("]("+c.name+".md#"))
		full = append(append(full, betweenSources.ReplaceAll(within, []byte("](/docs/$1.md"))...), '\n')
	}
	all := []Document{{"/llms.txt", "text/plain; charset=utf-8", llms(read)}, {"/llms-full.txt", "text/plain; charset=utf-8", full}}
	for _, c := range read {
		page, err := c.html(read)
		if err != nil {
			return nil, fmt.Errorf("pages: render %s: %w", c.name, err)
		}
		all = append(all,
			Document{"/docs/" + c.name, "text/html; charset=utf-8", page},
			Document{"/docs/" + c.name + ".md", "text/markdown; charset=utf-8", c.markdown})
	}
	return all, nil
})

var (
	// Marks of generated tables, which only tests need.
	marks = regexp.MustCompile(`(?m)^<!-- .* -->\n`)
	// Links to documents that the service does not have: their text stays.
	elsewhere = regexp.MustCompile(`\[([^\]]+)\]\(\.\./[^)]+\)`)
	// Links from page to page.
	between        = regexp.MustCompile(`(<a href="[a-z]+)\.md([#"])`)
	betweenSources = regexp.MustCompile(`\]\(([a-z]+)\.md`)
)

// parse takes a source apart: the heading is the title, the first sentence after it the summary.
func parse(name string, source []byte) chapter {
	source = marks.ReplaceAll(source, nil)
	source = elsewhere.ReplaceAll(source, []byte("$1"))
	title, rest, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	paragraph, _, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
	summary, _, _ := strings.Cut(strings.ReplaceAll(paragraph, "\n", " "), ". ")
	return chapter{name, title, strings.TrimSuffix(summary, "."), source}
}

// html renders a page, with links to all others.
func (c chapter) html(all []chapter) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s – Filings API</title>
<link rel="icon" href="../explore/icon.svg">
<link rel="stylesheet" href="pages.css">
<link rel="alternate" type="text/markdown" href="%s.md">
</head>
<body>
<nav>
`, html.EscapeString(c.title), c.name)
	for _, other := range all {
		fmt.Fprintf(&b, "<a href=\"%s\">%s</a>\n", other.name, html.EscapeString(other.title))
	}
	b.WriteString("<a href=\"../docs\">Reference</a>\n<a href=\"../explore\">Explorer</a>\n</nav>\n<main>\n")
	var body bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	if err := markdown.Convert(c.markdown, &body); err != nil {
		return nil, err
	}
	page := between.ReplaceAllString(body.String(), "$1$2")
	b.WriteString(strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<table tabindex="0">`).Replace(page)) // scrolled by keys
	b.WriteString("</main>\n</body>\n</html>\n")
	return b.Bytes(), nil
}

// llms returns the list of the pages, with what each is about.
func llms(all []chapter) []byte {
	var b bytes.Buffer
	b.WriteString("# Filings API\n\n> A read-only JSON API over public county filing records: filters, search, maps, statistics. " +
		"Every request needs an API key in the header X-API-Key, or as Authorization: Bearer.\n\n## Pages\n\n")
	for _, c := range all {
		fmt.Fprintf(&b, "- [%s](/docs/%s.md): %s\n", c.title, c.name, c.summary)
	}
	b.WriteString("\n## Reference\n\n- [OpenAPI document](/openapi.json): every endpoint, parameter, field and error, with examples; " +
		"`/openapi.json?paths=/v1/filings/groups` has these paths alone\n- [All pages](/llms-full.txt) in one text\n" +
		"- `POST /mcp`: the API as six tools, by the Model Context Protocol, where the operator has turned that on\n")
	return b.Bytes()
}
