package webtest_test

import (
	"strings"
	"testing"

	"filings/service/webtest"
)

// TestPage_Serious: what axe-core finds is told with the rule and the element, and a page without findings has none.
func TestPage_Serious(t *testing.T) {
	t.Parallel()
	p := webtest.Open(t, "data:text/html,<html lang=en><title>Page</title><main><h1>Page</h1><img id=map src=x></main>")
	if found := p.Serious(t); len(found) != 1 || !strings.HasPrefix(found[0], "image-alt: #map\n") {
		t.Errorf("an image without a text: %q", found)
	}
	p.Value(`document.querySelector("#map").alt = "Map"`)
	if found := p.Serious(t); len(found) != 0 {
		t.Errorf("with one: %q", found)
	}
}
