package pages_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"filings/service/pages"
)

// served are what the pages may link to besides themselves.
var served = []string{"/docs", "/explore", "/openapi.json", "/explore/icon.svg", "/docs/pages.css", "/explore/colors.css"}

var (
	linksOfHTML     = regexp.MustCompile(`href="([^"]+)"`)
	linksOfMarkdown = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	ids             = regexp.MustCompile(` id="([^"]+)"`)
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	all, err := pages.Documents()
	if err != nil {
		t.Fatal(err)
	}
	paths, anchors := slices.Clone(served), map[string][]string{}
	for _, d := range all {
		paths = append(paths, d.Path)
		for _, m := range ids.FindAllSubmatch(d.Body, -1) {
			anchors[d.Path] = append(anchors[d.Path], string(m[1]))
		}
	}
	found := 0
	for _, d := range all {
		pattern := linksOfMarkdown
		if strings.HasPrefix(d.MediaType, "text/html") {
			pattern = linksOfHTML
		}
		for _, m := range pattern.FindAllSubmatch(d.Body, -1) {
			found++
			base, target := url.URL{Path: d.Path}, string(m[1])
			link, err := base.Parse(target)
			if err != nil || link.Host != "" || !slices.Contains(paths, link.Path) {
				t.Errorf("%s links to %s, which the service does not have (%v)", d.Path, target, err)
				continue
			}
			page := strings.TrimSuffix(link.Path, ".md")
			if link.Fragment != "" && !slices.Contains(anchors[page], link.Fragment) {
				t.Errorf("%s links to %s, and there is no such heading among %q", d.Path, target, anchors[page])
			}
		}
		body := string(d.Body)
		if strings.Contains(body, "<!-- ") || strings.Contains(strings.Replace(body, `<script src="guide.js" type="module">`, "", 1), "<script") || strings.Contains(body, "style=") {
			t.Errorf("%s has marks of tables, script or style in it", d.Path)
		}
	}
	if found < 80 {
		t.Errorf("only %d links were found: this test does not see them", found)
	}
	for path, wants := range map[string][]string{
		"/docs/filters":    {"<td><code>min_amount</code></td>", `<h1 id="filters">Filters</h1>`, `<a href="maps">clusters and tiles</a>`, "<title>Filters – Filings API</title>"},
		"/docs/filters.md": {"# Filters\n", "| `min_amount` |", "[clusters and tiles](maps.md)"},
		"/llms.txt":        {"# Filings API\n", "- [Filters](docs/filters.md): Filters narrow the result: a filing has to match all of them\n", "`POST /mcp`", "(llms-full.txt)"},
		"/llms-full.txt":   {"# Filters\n", "# Agents\n", "# Groups\n"},
	} {
		i := slices.IndexFunc(all, func(d pages.Document) bool { return d.Path == path })
		for _, want := range wants {
			if i < 0 || !strings.Contains(string(all[i].Body), want) {
				t.Errorf("%s lacks %s", path, want)
			}
		}
	}
}
