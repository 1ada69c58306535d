package pages_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPictures: the README's pictures are of the pages as they are. Into the folder TEST_PICTURES it
// takes them anew, of synthetic filings, and writes the sums of what they show beside them.
func TestPictures(t *testing.T) {
	t.Parallel()
	shown := pictured(t)
	folder := os.Getenv("TEST_PICTURES")
	if folder == "" {
		kept, err := os.ReadFile("../../docs/images/pages.sha256")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range shown {
			if _, part, _ := strings.Cut(line, "  "); !strings.Contains(string(kept), line+"\n") {
				t.Errorf("the README's pictures are of older pages, since %s has changed: take them anew (docs/CONTRIBUTING.md)", part)
			}
		}
		return
	}
	r := openReference(t, "light")
	r.Resize(1280, 800)
	r.typeKey()
	r.Wait(firstOperation + `.querySelector("pre").innerText.includes("ak_live")`)
	r.Picture(filepath.Join(folder, "reference.png"))

	e := explore(t, "#map=8/28.5/-81.3")
	e.Resize(1280, 800)
	e.use(e.site.Key)
	e.Value(`document.activeElement.blur(), ""`)
	e.waitIdle()
	e.Picture(filepath.Join(folder, "explorer.png"))
	if err := os.WriteFile(filepath.Join(folder, "pages.sha256"), []byte(strings.Join(shown, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPictures_Views takes a picture of each view into the folder TEST_VIEWS, in a wide and a narrow window, light and dark, and
// on paper: to look at.
func TestPictures_Views(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("TEST_VIEWS")
	if folder == "" {
		t.Skip("TEST_VIEWS is not set: there is no folder for the pictures")
	}
	for _, window := range [][2]int64{{1280, 800}, {390, 844}} {
		for _, dark := range []bool{false, true} {
			scheme := map[bool]string{false: "light", true: "dark"}[dark]
			name := func(view string) string {
				return filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", view, window[0], scheme))
			}
			e := explore(t, "#map=8/28.5/-81.3&min_amount=5000")
			if dark {
				e.Dark()
			}
			e.Resize(window[0], window[1])
			e.Picture(name("key"))
			e.use(e.site.Key)
			for _, view := range []string{"map", "table", "both"} {
				e.Click(`[data-view="` + view + `"]`)
				e.waitIdle()
				e.Picture(name(view))
			}
			e.Click("#fresh")
			e.Wait(`document.querySelector("#counties tbody tr")`)
			e.Picture(name("counties"))
			e.Click("#counties .bar button")
			e.act(func() { e.Click("#table tbody button") })
			e.Wait(`!document.querySelector("#filing").hidden`)
			e.Picture(name("filing"))
			e.act(func() { e.Click("#filing .bar button") })
			if !dark && window[0] == 1280 {
				e.Value(`window.print = () => {}; dispatchEvent(new Event("beforeprint")); ""`)
				e.Paper()
				e.Picture(name("print"))
			}
			g := browser.Open(t, e.site.Address+"/docs/filters")
			if dark {
				g.Dark()
			}
			g.Resize(window[0], window[1])
			g.Wait(`document.querySelector(".sample")`)
			g.Picture(name("guide"))
		}
	}
}

// pictured returns the sum and name of each part of the pages that the pictures show, as sha256sum
// writes them. The explorer's scripts are not among them: most of their changes do not show.
func pictured(t *testing.T) (lines []string) {
	t.Helper()
	add := func(part string, body []byte) {
		lines = append(lines, fmt.Sprintf("%x  %s", sha256.Sum256(body), part))
	}
	for _, pattern := range []string{"docs.*", "scalar/VERSION", "explore.html", "explore/*.css"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			add(file, body)
		}
	}
	body, err := os.ReadFile("../apitest/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	add("openapi.json, its beginning", beginning(t, body))
	return lines
}

// beginning returns what /docs shows of an OpenAPI document above its fold.
func beginning(t *testing.T, document []byte) []byte {
	t.Helper()
	type operation struct {
		Tags                 []string
		Summary, Description string
		Parameters           []any
	}
	var d struct {
		Info  struct{ Version, Title, Summary, Description string }
		Tags  []struct{ Name, Description string }
		Paths map[string]struct{ Get operation }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(d.Paths, func(_ string, path struct{ Get operation }) bool { return path.Get.Tags[0] != "filings" })
	first := d.Paths["/v1/filings"].Get
	introduction, _, _ := strings.Cut(d.Info.Description, "\n\n")
	menu := slices.Sorted(maps.Keys(d.Paths))
	for _, tag := range d.Tags {
		menu = append(menu, tag.Name)
	}
	shown, err := json.Marshal([]any{d.Info.Version, d.Info.Title, introduction, menu, d.Tags[0].Description,
		first.Summary, first.Description, first.Parameters[0]})
	if err != nil {
		t.Fatal(err)
	}
	return shown
}
