package pages_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"filings/cmd/testservers/servers"
	"filings/service/webtest"
)

// reference is /docs in a browser.
type reference struct {
	*webtest.Page
	t    *testing.T
	site webtest.Site
}

const (
	firstOperation = `document.querySelector('[id$="tag/filings/GET/v1/filings"]')`
	searching      = `document.querySelector('[id$="tag/filings/GET/v1/filings/search"]')`
	keyField       = `.scalar-reference-intro-auth .scalar-password-input`
)

func openReference(t *testing.T, theme string) reference {
	t.Helper()
	s := webtest.Start(t)
	r := reference{browser.Open(t, "data:text/html,"), t, s}
	if theme == "dark" {
		r.Dark()
	}
	r.Do(chromedp.Navigate(s.Address + "/docs"))
	r.Wait(firstOperation + ` !== null`)
	r.Do(chromedp.WaitVisible(chromedp.CSS(keyField)))
	return r
}

// typeKey types the key of the site, once.
func (r reference) typeKey() {
	r.Do(chromedp.SendKeys(chromedp.CSS(keyField), r.site.Key))
}

// press clicks what has a text, or begins with it.
func (r reference) press(selector, text string) {
	found := fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.innerText.trim().startsWith(%q))`, selector, text)
	r.Wait(found + ` !== undefined`)
	r.Value(found + `.click(), ""`)
}

// TestDocs reads the reference as a person does: opens it, searches it, types a key, requests filings, sees them.
func TestDocs(t *testing.T) {
	t.Parallel()
	r := openReference(t, "light")
	r.press(".sidebar-search-placeholder", "Search")
	r.Do(chromedp.SendKeys(chromedp.CSS("input[type=search]"), "date-ranges"))
	r.Wait(`document.querySelector("[role=option]")?.innerText.includes("List recording date ranges of a county")`)
	r.Screenshot("1-found")
	r.Press(kb.Escape)
	r.typeKey()
	r.press("button", "Test Request")
	r.press("[role=dialog] button", "Send")
	r.Wait(`document.querySelector("[role=dialog] .cm-content")?.innerText.includes('"county"')`)
	r.Screenshot("2-response")
	if text := r.Value(`document.querySelector("[role=dialog].scalar-client").innerText`); !strings.Contains(text, "200 OK") {
		t.Errorf("the response is %s", text)
	}
	if found := r.Serious(t); len(found) > 0 {
		t.Errorf("a test request, by axe-core:\n%s", strings.Join(found, "\n"))
	}

	kept := r.Value(`indexedDB.databases().then((all) => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, all]))`)
	if strings.Contains(kept, r.site.Key) || !strings.HasSuffix(kept, `,{},"",[]]`) {
		t.Errorf("the browser keeps %s", kept)
	}
	r.Do(chromedp.Navigate("data:text/html,"), chromedp.Navigate(r.site.Address+"/docs"))
	r.Do(chromedp.WaitVisible(chromedp.CSS(keyField)))
	if value := r.Value(fmt.Sprintf(`document.querySelector(%q).value`, keyField)); value != "" {
		t.Errorf("when it is opened again the page has %q as key", value)
	}

	u, err := url.Parse(r.site.Address)
	if err != nil {
		t.Fatal(err)
	}
	if hosts := r.Hosts(); !slices.Equal(hosts, []string{u.Host}) {
		t.Errorf("the page requested %q", hosts)
	}
	if problems := r.Problems(); len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
}

// TestDocs_Responses: the sample of the first operation is the envelope with a filing, and GeoJSON is one to choose.
func TestDocs_Responses(t *testing.T) {
	t.Parallel()
	r := openReference(t, "light")
	samples := `[...(` + firstOperation + `?.querySelectorAll("pre") ?? [])].map((e) => e.innerText).join().replace(/\s/g, "")`
	r.Wait(samples + `.includes('"pagination":{"total":1')`)
	if text := r.Value(samples); !strings.Contains(text, `"owner":"MAPLE`) || strings.Contains(text, "coordinates") {
		t.Errorf("the sample is %s", text)
	}
	r.Screenshot("1-json")
	r.press(".response-example-selector", "enterprise")
	r.press("[role=option]", "geojson")
	r.Wait(samples + `.includes('"coordinates":[-81.4,28.5]')`)
	r.Screenshot("2-geojson")
}

// TestDocs_Windows: the first operation is seen without scrolling, in wide and narrow windows, light and dark; nothing
// keeps anybody from reading it.
func TestDocs_Windows(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) { // one after another, each in a browser of its own: looking takes long
			r := openReference(t, theme)
			r.window(theme, 1400, 900)
			r.window(theme, 390, 844)
		})
	}
}

// window looks at the page in a window of that size.
func (r reference) window(theme string, width, height int64) {
	r.t.Helper()
	r.Resize(width, height)
	r.Wait(firstOperation + `?.querySelector("pre")?.innerText.includes("curl")`)
	r.Wait(fmt.Sprintf(`document.body.classList.contains("%s-mode") && innerWidth === %d`, theme, width))
	r.Screenshot(strconv.FormatInt(width, 10))
	top, err := strconv.ParseFloat(r.Value(`String(`+firstOperation+`.getBoundingClientRect().top)`), 64)
	if err != nil || top > float64(height)-100 {
		r.t.Errorf("%d: the first operation begins at %v of %d pixels (%v)", width, top, height, err)
	}
	if over := r.Value(`String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`); over != "0" {
		r.t.Errorf("%d: %s pixels wider than the window", width, over)
	}
	if found := r.Serious(r.t); len(found) > 0 {
		r.t.Errorf("%d, by axe-core:\n%s", width, strings.Join(found, "\n"))
	}
}

// TestDocs_Guide: nothing keeps anybody from reading the pages below the reference, which have tables and code.
func TestDocs_Guide(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, webtest.Start(t).Address+"/docs/tiers")
	for _, theme := range []string{"light", "dark"} {
		if theme == "dark" {
			p.Dark()
		}
		for _, window := range [][2]int64{{1400, 900}, {390, 844}} {
			p.Resize(window[0], window[1])
			p.Wait(fmt.Sprintf(`innerWidth === %d`, window[0]))
			if over := p.Value(`String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`); over != "0" {
				t.Errorf("%s, %d: %s pixels wider than the window", theme, window[0], over)
			}
			if found := p.Findings(t); len(found) > 0 {
				t.Errorf("%s, %d, by axe-core:\n%s", theme, window[0], strings.Join(found, "\n"))
			}
		}
	}
	p.Resize(1400, 900)
	guided(t, p)
	p.Resize(320, 640)
	if wide := p.Value(`(async () => {
		const wide = [];
		for (const { href } of document.querySelectorAll('#pages a')) {
			const page = new DOMParser().parseFromString(await (await fetch(href)).text(), "text/html");
			document.querySelector("main").replaceWith(page.querySelector("main"));
			if (document.documentElement.scrollWidth > innerWidth) wide.push(href);
		}
		return wide.join();
	})()`); wide != "" {
		t.Errorf("wider than 320 pixels: %s", wide)
	}
}

// guided: the column has all pages and says which is open, the headings lead to theirs, the search finds a section of another
// page by keys alone, and a sample is there in three languages.
func guided(t *testing.T, p *webtest.Page) {
	t.Helper()
	if got := p.Value(`document.querySelectorAll("#pages a").length + " " + document.querySelector("#pages [aria-current]").textContent`); got != "22 Tiers and quotas" {
		t.Errorf("the column: %s", got)
	}
	if got := p.Value(`[...document.querySelectorAll("#headings a")].filter((a) => !document.querySelector(a.hash)).join() + document.querySelectorAll("#headings a").length`); strings.Contains(got, "#") || got == "0" {
		t.Errorf("headings that are not there: %s", got)
	}
	p.Value(`document.querySelector("#words").focus(), ""`)
	p.Insert("conditional requests")
	p.Wait(`document.querySelector("#found a")`)
	p.Press(kb.ArrowDown)
	found := p.Value(`document.activeElement.href`)
	p.Do(chromedp.Navigate(found)) // as Enter does, and waits
	p.Wait(`document.querySelector(".sample [data-language=Python]")`)
	if got := p.Value(`document.querySelector(location.hash || "h1").textContent`); got != "Conditional requests" {
		t.Errorf("%s leads to %q", found, got)
	}
	p.Click(".sample [data-language=Python]")
	if got := p.Text(`.sample:has([data-language=Python][aria-pressed=true]) pre`); !strings.HasPrefix(got, "import os, requests") || !strings.Contains(got, `headers={"X-API-Key": os.environ["KEY"]}`) {
		t.Errorf("in Python: %s", got)
	}
	if got := p.Value(`document.querySelectorAll("main pre").length - document.querySelectorAll(".sample .copy").length + ""`); got != "0" {
		t.Errorf("%s samples cannot be copied", got)
	}
	if findings := p.Findings(t); len(findings) > 0 {
		t.Errorf("by axe-core:\n%s", strings.Join(findings, "\n"))
	}
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
}

// TestDocs_Samples runs each sample as the page shows it once a key was typed: all of them get filings.
func TestDocs_Samples(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	r := openReference(t, "light")
	r.typeKey()
	r.press("a", "Search filings")
	r.Wait(searching + `?.querySelector("pre")?.innerText.includes("curl")`)
	folder := t.TempDir()
	for _, sample := range []struct {
		client, has, file string
		suffix            string // prints what the sample returns
		command           []string
	}{
		{"Curl", "curl ", "sample.sh", "", []string{servers.Program(t, "sh")}},
		{"http.client", "import http.client", "sample.py", "", []string{servers.Tool(t, "python")}},
		{"Fetch", "fetch(", "sample.mjs", ".then((response) => response.text()).then(console.log)", []string{servers.Program(t, "node")}},
		{"NewRequest", "package main", "sample.go", "", []string{servers.Program(t, "go"), "run"}},
	} {
		r.Value(searching + `.querySelector(".scalar-card button[aria-expanded]").click(), ""`)
		r.press("[role=option]", sample.client)
		r.Wait(fmt.Sprintf(`%s.querySelector("pre").innerText.startsWith(%q)`, searching, sample.has))
		code := r.Value(searching + `.querySelector("pre").innerText`)
		file := filepath.Join(folder, sample.file)
		if err := os.WriteFile(file, []byte(strings.TrimSpace(code)+sample.suffix), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), sample.command[0], append(sample.command[1:], file)...)
		trusted := r.site.Certificate
		c.Env = append(os.Environ(), "CURL_CA_BUNDLE="+trusted, "SSL_CERT_FILE="+trusted, "NODE_EXTRA_CA_CERTS="+trusted)
		output, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(output), `"tier":"enterprise"`) || !strings.Contains(code, r.site.Key) {
			t.Errorf("%s: %v\n%s\n%s", sample.client, err, code, output)
		}
	}
}
