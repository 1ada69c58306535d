package pages_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPictures takes the pictures of the README, of synthetic filings, into the folder TEST_PICTURES.
func TestPictures(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TEST_PICTURES")
	if folder == "" {
		t.Skip("TEST_PICTURES names no folder")
	}
	r := openReference(t, "light")
	r.Resize(1280, 800)
	r.typeKey()
	r.Wait(firstOperation + `.querySelector("pre").innerText.includes("ak_live")`)
	r.Picture(filepath.Join(folder, "reference.png"))

	e := explore(t, "#map=8/28.5/-81.3")
	e.Resize(1280, 800)
	e.use(e.site.Key)
	e.Picture(filepath.Join(folder, "explorer.png"))
}
