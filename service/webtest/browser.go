package webtest

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"filings/cmd/testservers/servers"
)

// pageTimeout bounds everything that a test does with a page, on a busy machine.
const pageTimeout = 2 * time.Minute

// start starts a browser without any window, state or business of its own. It ends with the test.
func start(t testing.TB) context.Context {
	t.Helper()
	program := servers.Program(t, "chromium")
	ctx, stop := context.WithTimeout(context.Background(), pageTimeout)
	ctx, stopAllocator := chromedp.NewExecAllocator(ctx,
		chromedp.ExecPath(program),
		chromedp.Flag("headless", "new"),
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
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until it is gone
		stopTab()
		stopAllocator()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	return ctx
}
