package pages

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"filings/docs"
)

// Document is a page about the API in one of its forms, or a file that one loads.
type Document struct {
	Path      string // of its URL
	MediaType string
	Body      []byte
}

// parts are the pages about the API in the order in which they are read, under the titles of the column of pages.
var parts = []struct {
	title string
	names []string
}{
	{"Basics", []string{"requests", "recipes", "fields", "filters", "paging"}},
	{"Data", []string{"exports", "changes", "generations", "groups", "owners"}},
	{"Maps and pages", []string{"maps", "webmaps", "browsers", "links", "explorer"}},
	{"Programs", []string{"agents", "clients", "elasticsearch"}},
	{"Limits and errors", []string{"tiers", "limits", "errors", "troubleshooting"}},
}

// chapter is the source of one page.
type chapter struct {
	name, title, summary string
	markdown             []byte
}

// Documents returns the pages about the API as HTML (/docs/NAME) and as Markdown (/docs/NAME.md),
// the files that they load, and /llms.txt, which lists them for programs that read (llmstxt.org),
// and /llms-full.txt, which is all of them. A process renders them once, so that no generated file
// has to be kept with its source.
var Documents = sync.OnceValues(func() ([]Document, error) {
	var read []chapter
	for _, part := range parts {
		for _, name := range part.names {
			source, err := fs.ReadFile(docs.API, "api/"+name+".md")
			if err != nil {
				return nil, err
			}
			read = append(read, parse(name, source))
		}
	}
	full := []byte{}
	for _, c := range read {
		linked := bytes.ReplaceAll(c.markdown, []byte("](#"), []byte("]("+c.name+".md#"))
		full = append(append(full, sourceLinks.ReplaceAll(linked, []byte("](docs/$1.md"))...), '\n')
	}
	documents := []Document{{"/llms.txt", "text/plain; charset=utf-8", llms(read)},
		{"/llms-full.txt", "text/plain; charset=utf-8", full}}
	for _, c := range read {
		page, err := c.html(read)
		if err != nil {
			return nil, fmt.Errorf("pages: render %s: %w", c.name, err)
		}
		documents = append(documents,
			Document{"/docs/" + c.name, "text/html; charset=utf-8", page},
			Document{"/docs/" + c.name + ".md", "text/markdown; charset=utf-8", c.markdown})
	}
	return documents, nil
})

var (
	// Marks of generated tables, which only tests need.
	marks = regexp.MustCompile(`(?m)^<!-- .* -->\n`)
	// Links to documents that the service does not have: their text stays.
	elsewhere = regexp.MustCompile(`\[([^\]]+)\]\(\.\./[^)]+\)`)
	// Links from page to page.
	pageLinks   = regexp.MustCompile(`(<a href="[a-z]+)\.md([#"])`)
	sourceLinks = regexp.MustCompile(`\]\(([a-z]+)\.md`)
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

// page surrounds the text of a page: title, name, column of pages, text, headings.
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s – Filings API</title>
<link rel="icon" href="../explore/icon.svg">
<link rel="stylesheet" href="../explore/colors.css">
<link rel="stylesheet" href="pages.css">
<link rel="alternate" type="text/markdown" href="%s.md">
<script src="guide.js" type="module"></script>
</head>
<body>
<header>
<p>Filings <span>API</span></p>
<form id="find" role="search" hidden>
<label for="words">Search the guide</label>
<input id="words" type="search" placeholder="Search the guide" autocomplete="off" spellcheck="false">
<ul id="found" hidden></ul>
</form>
<nav aria-label="Site">
<a href="requests">Guide</a><a href="../docs">Reference</a><a href="../explore">Explorer</a></nav>
</header>
<nav id="pages" aria-label="Pages">
<details open><summary>Pages</summary>
%s</details>
</nav>
<main>
%s</main>
<nav id="headings" aria-label="On this page">
<p>On this page</p>
%s</nav>
</body>
</html>
`

// heading is a heading of the second level, as goldmark writes it.
var heading = regexp.MustCompile(`<h2 id="([^"]+)">(.*)</h2>`)

// html renders a page, with links to all others and to its own headings.
func (c chapter) html(chapters []chapter) ([]byte, error) {
	var body bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	if err := markdown.Convert(c.markdown, &body); err != nil {
		return nil, err
	}
	text := pageLinks.ReplaceAllString(body.String(), "$1$2")
	// scrolled by keys
	text = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<table tabindex="0">`).Replace(text)
	var headings strings.Builder
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&headings, "<a href=\"#%s\">%s</a>\n", m[1], tags.ReplaceAllString(m[2], ""))
	}
	return fmt.Appendf(nil, page, html.EscapeString(c.title), c.name, c.column(chapters), text, headings.String()), nil
}

// tags match the marks in a heading.
var tags = regexp.MustCompile(`<[^>]*>`)

// column returns the links to all pages, under the titles of their parts.
func (c chapter) column(chapters []chapter) string {
	var b strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&b, "<p>%s</p>\n", part.title)
		for _, name := range part.names {
			i := slices.IndexFunc(chapters, func(candidate chapter) bool { return candidate.name == name })
			current := ""
			if name == c.name {
				current = ` aria-current="page"`
			}
			fmt.Fprintf(&b, "<a href=\"%s\"%s>%s</a>\n", name, current, html.EscapeString(chapters[i].title))
		}
	}
	return b.String()
}

// llms returns the list of the pages, with the subject of each.
func llms(chapters []chapter) []byte {
	var b bytes.Buffer
	b.WriteString(
		"# Filings API\n\n> A read-only JSON API over public county filing records: filters, search, maps, " +
			"statistics. Every request needs an API key in the header X-API-Key, or as Authorization: Bearer.\n\n" +
			"## Pages\n\n")
	for _, c := range chapters {
		fmt.Fprintf(&b, "- [%s](docs/%s.md): %s\n", c.title, c.name, c.summary)
	}
	b.WriteString("\n## Reference\n\n" +
		"- [OpenAPI document](openapi.json): every endpoint, parameter, field and error, with examples; " +
		"`/openapi.json?paths=/v1/filings/groups` has these paths alone\n" +
		"- [All pages](llms-full.txt) in one text\n" +
		"- `POST /mcp`: the API as seven tools, by the Model Context Protocol, where the operator has turned " +
		"that on\n")
	return b.Bytes()
}
