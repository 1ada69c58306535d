package webtest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"filings/cmd/testservers/servers"
)

// pageTimeout bounds everything that a test does with a page, on a busy machine.
const pageTimeout = 2 * time.Minute

// Browser is a browser that tests share; its zero value is one that starts with the first page. Each page has a window,
// cookies and storage of its own. The caller must Close it, after the last test.
type Browser struct {
	mu   sync.Mutex
	ctx  context.Context // nil: it has not started
	stop func()
}

// Close ends the browser, if it has started.
func (b *Browser) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx != nil {
		b.stop()
	}
}

// window opens a window, until the test ends.
func (b *Browser) window(t testing.TB) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(b.running(t), pageTimeout)
	ctx, closeWindow := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until it is gone
		closeWindow()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a window: %v", err)
	}
	return ctx
}

// running starts the browser, if it has not started yet.
func (b *Browser) running(t testing.TB) context.Context {
	t.Helper()
	program := servers.Program(t, servers.Browser)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx != nil {
		return b.ctx
	}
	ctx, stopAllocator := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // root has none
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.DisableGPU,
		chromedp.IgnoreCertErrors, // the certificate is the test's own
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-dev-shm-usage", true), // containers have little of it
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-default-apps", true),
		chromedp.Flag("disable-extensions", true),
		chromedp.Flag("disable-sync", true),
		chromedp.WindowSize(1280, 1000),
	)
	ctx, stop := chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx); err != nil {
		stop()
		stopAllocator()
		t.Fatalf("start %s: %v", program, err)
	}
	b.ctx, b.stop = ctx, func() {
		_ = chromedp.Cancel(ctx) // waits until it is gone
		stop()
		stopAllocator()
	}
	return ctx
}
