package webtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Page is a page in a real browser.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string
}

// Open opens an address in a browser of its own and waits until it is loaded. Without a browser the test is left out;
// with REQUIRE_SERVICES=1 that is a failure.
func Open(t testing.TB, address string) *Page {
	t.Helper()
	b := new(Browser)
	t.Cleanup(b.Close)
	return b.Open(t, address)
}

// Open opens an address in a window of the browser, and waits until it is loaded.
func (b *Browser) Open(t testing.TB, address string) *Page {
	t.Helper()
	p := &Page{t: t, ctx: b.window(t)}
	if err := chromedp.Listen(p.ctx, p.record); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.Do(chromedp.Navigate(address))
	return p
}

// record keeps the browser's reports of the page.
func (p *Page) record(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.problems = append(p.problems, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			text := string(e.Type)
			for _, a := range e.Args {
				text += " " + string(a.Value) + a.Description
			}
			p.problems = append(p.problems, text)
		}
	}
}

// Do acts on the page: clicks, types, waits. A step that does not succeed ends the test, with a
// screenshot named failed.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, pageTimeout/2) // leaves time to look at the failure
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Screenshot("failed")
		p.t.Fatalf("%v\nproblems: %q", err, p.Problems())
	}
}

// Click clicks the first element that a CSS selector matches, once it is visible. The event goes to the element itself:
// a mouse would go to where the element was a moment ago, and pages that are still being laid out move.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Do(
		chromedp.WaitVisible(chromedp.CSS(selector)),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).click()", selector)),
	)
}

// Wait waits until a JavaScript expression holds.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	p.Do(chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(pageTimeout)))
}

// Text returns the visible text of the first element that a CSS selector matches, once there is one.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	var text string
	p.Do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		text, err = chromedp.Text(chromedp.CSS(selector))(ctx, target)
		return none, err
	})
	return text
}

// Value returns the value of a JavaScript expression, as text. It may be a promise.
func (p *Page) Value(expression string) (value string) {
	p.t.Helper()
	p.Do(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		value, err = chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise)(ctx, target)
		return none, err
	})
	return value
}

// Type puts text into the first element that a CSS selector matches, in place of its content, and
// enters it.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.Do(
		chromedp.WaitVisible(chromedp.CSS(selector)),
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
			"((field) => { field.focus(); field.select(); })(document.querySelector(%q))", selector)),
	)
	p.Insert(text)
	p.Press(kb.Enter)
}

// Insert puts text where the focus is. It comes whole, as it is pasted: between single keys a busy
// machine may leave a pause that the page takes for the end.
func (p *Page) Insert(text string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		p.t.Fatal(err)
	}
}

// Press presses a key of the keyboard, where the focus is.
func (p *Page) Press(key string) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(key))
}

// Resize makes the window so many pixels wide and high, and waits until the page has seen it.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(width, height))
	p.Wait(fmt.Sprintf("innerWidth === %d && innerHeight === %d", width, height))
	p.Value(`new Promise((seen) => // observers run between frames
		requestAnimationFrame(() => requestAnimationFrame(() => seen(""))))`)
}

// Dark makes the reader prefer dark pages.
func (p *Page) Dark() {
	p.t.Helper()
	dark := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, dark); err != nil {
		p.t.Fatal(err)
	}
}

// Paper shows the page as it is printed.
func (p *Page) Paper() {
	p.t.Helper()
	paper := emulation.SetEmulatedMediaParams{Media: "print"}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, paper); err != nil {
		p.t.Fatal(err)
	}
}

// Downloads has the browser save downloads into a folder.
func (p *Page) Downloads(folder string) {
	p.t.Helper()
	allow := browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID, // the window's own
	}
	if _, err := chromedp.Call(p.ctx, browser.SetDownloadBehavior, allow); err != nil {
		p.t.Fatal(err)
	}
}

// Problems returns the errors and warnings of the page so far: its console, uncaught exceptions,
// and the refusals of the browser, be it by the Content-Security-Policy or because a request
// failed.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

// Requests returns the addresses that the page has requested so far, in order.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Hosts returns the hosts, with their ports, that the page has sent requests to so far, each once.
func (p *Page) Hosts() (hosts []string) {
	for _, request := range p.Requests() {
		u, err := url.Parse(request)
		if err != nil || u.Scheme == "data" || u.Scheme == "blob" {
			continue
		}
		if !slices.Contains(hosts, u.Host) {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// Screenshot writes the whole page as PNG into the folder TEST_SCREENSHOTS, if that is set: look at it.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	folder := os.Getenv("TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Errorf("screenshot %s: %v", name, err)
		return
	}
	file := strings.ReplaceAll(p.t.Name(), "/", "_") + "-" + name + ".png"
	if err := os.WriteFile(filepath.Join(folder, file), png, 0o600); err != nil {
		p.t.Error(err)
	}
}

// Picture writes the view of the window into a PNG file.
func (p *Page) Picture(file string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
