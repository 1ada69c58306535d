package pages_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/serving"
	"filings/service"
	"filings/service/access"
)

// picker stands for the dialog in which a reader picks a file: a file of the browser's own file system, which is written and
// given up as any other.
const picker = `window.showSaveFilePicker = async ({ suggestedName }) => {
	window.picked = await (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
	return picked;
}; ""`

// saved is the text of the file that was picked; none if it is not there.
const saved = `picked.getFile().then((file) => file.text()).catch(() => "none")`

// download opens the part of the page that downloads, picks a format, and starts.
func download(e *explorer, format string) {
	e.t.Helper()
	e.Value(`document.querySelector("#download").open = true, ""`)
	e.Value(fmt.Sprintf(`document.querySelector("#format").value = %q`, format))
	e.Value(`document.querySelector("#download-status").textContent = ""`)
	e.Click("#start")
}

// downloaded waits for the end of a download, and returns what the page says of it.
func downloaded(e *explorer) string {
	e.t.Helper()
	e.Wait(`!document.querySelector("#start").hidden && document.querySelector("#download-status").textContent`)
	return e.Text("#download-status")
}

// TestExplore_Download: the price shows before, without a request; the file has what the filters select, in each format.
func TestExplore_Download(t *testing.T) {
	t.Parallel()
	e := explore(t, "")
	e.use(e.site.Key)
	e.Value(picker)
	sent := len(e.sent(0))
	e.Value(`document.querySelector("#download").open = true, ""`)
	if got, want := e.Text("#price"), fmt.Sprintf("%s filings, for 31 requests of the 99,996 that the key has left.", grouped(len(e.filings))); got != want {
		t.Errorf("price %q, want %q", got, want)
	}
	if got := e.sent(sent); len(got) != 0 {
		t.Errorf("the price cost %q", got)
	}
	e.act(func() { e.Type("#filter-county", "Orange, CA") })
	e.act(func() { e.term("trust") })
	e.Value(`window.preferred = []; const sends = fetch; window.fetch = (url, how) => {
		if (String(url).includes("export")) preferred.push(how.headers.Prefer);
		return sends(url, how);
	}; ""`)
	for _, format := range []string{"ndjson", "csv", "parquet"} {
		download(e, format)
		if got := downloaded(e); !strings.HasPrefix(got, fmt.Sprintf("Done: %d filings, ", e.total())) {
			t.Errorf("%s: %q", format, got)
		}
		_, want := e.fetch(e.site.Address + "/v1/filings/export?county=Orange%2C+CA&q=trust&format=" + format)
		if got := e.Value(saved); format != "parquet" && (got != want || want == "") {
			t.Errorf("%s has %.500s, want %.500s", format, got, want)
		}
		if format == "csv" {
			want = "\ufeff" + want // by which Excel knows the encoding; file.text() leaves it out
		}
		if got := e.Value(`picked.getFile().then((file) => String(file.size))`); got != fmt.Sprint(len(want)) {
			t.Errorf("%s has %s bytes, want %d", format, got, len(want))
		}
		if got, want := e.Value(`picked.name`), "filings-orange-ca-trust-"+time.Now().UTC().Format(time.DateOnly)+"."+format; got != want {
			t.Errorf("the file is called %s, want %s", got, want)
		}
	}
	if got := e.Value(`preferred.slice(0, 3).join()`); got != "escape-formulas,escape-formulas,escape-formulas" {
		t.Errorf("the page prefers %q", got)
	}
	e.Screenshot("done")
	e.act(func() { e.term("") })
	if got := e.Value(`document.querySelector("#download-status").textContent`); got != "" {
		t.Errorf("with other filters it still says %q", got)
	}
	checkQuiet(e)
}

// TestExplore_DownloadPrice: an export of the page takes what the page has said before.
func TestExplore_DownloadPrice(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := limited(t, access.Pro, access.Limit{Quota: 62, Burst: 20}, func() time.Time { return now })
	e.Value(picker)
	download(e, "ndjson")
	if got := downloaded(e); !strings.HasPrefix(got, "Done: ") || e.Text("#quota") != "Pro · 27 of 62 requests left" {
		t.Errorf("%q, %q", got, e.Text("#quota"))
	}
	if got := e.Text("#price"); !strings.HasSuffix(got, "for 31 requests of the 27 that the key has left. The key doesn’t have enough requests left. Narrow the filters.") {
		t.Errorf("price %q", got)
	}
	download(e, "ndjson")
	if got := downloaded(e); !strings.HasPrefix(got, "The download failed, and nothing was saved. ") || !strings.Contains(got, "31") || !strings.Contains(got, "27") {
		t.Errorf("too dear: %q", got)
	}
	if got := e.Text("#quota"); got != "Pro · 27 of 62 requests left" {
		t.Errorf("it took %q", got)
	}
	e.Screenshot("dear")
}

// TestExplore_DownloadCollected: where a browser lets no page write to a file, it downloads what the page has collected.
func TestExplore_DownloadCollected(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := explore(t, "")
	folder := t.TempDir()
	e.Downloads(folder)
	e.use(e.site.Key)
	e.Value(`delete window.showSaveFilePicker, ""`)
	download(e, "csv")
	if got := downloaded(e); !strings.HasPrefix(got, "Done: ") {
		t.Fatal(got)
	}
	_, want := e.fetch(e.site.Address + "/v1/filings/export?format=csv")
	file := filepath.Join(folder, "filings-"+time.Now().UTC().Format(time.DateOnly)+".csv")
	for end := time.Now().Add(20 * time.Second); ; { // the browser writes it in its own time
		if got, err := os.ReadFile(file); err == nil && string(got) == "\ufeff"+want {
			return
		} else if time.Now().After(end) {
			t.Fatalf("the file has %d bytes, want %d: %v", len(got), len(want), err)
		}
		_ = e.Value(`"later"`)
	}
}

// halting is an engine whose rows fail or wait once so many pages were read.
type halting struct {
	index.Engine
	left  atomic.Int64
	fails bool
	end   <-chan struct{}
}

func (b *halting) Live(ctx context.Context) (index.Reader, error) {
	r, err := b.Engine.Live(ctx)
	return haltingReader{r, b}, err
}

func (b *halting) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := b.Engine.Pin(ctx, id)
	return haltingReader{r, b}, err
}

type haltingReader struct {
	index.Reader
	b *halting
}

func (r haltingReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if r.b.left.Add(-1) >= 0 {
		return r.Reader.Rows(ctx, q)
	}
	if r.b.fails {
		return index.Page{}, index.ErrUnavailable
	}
	select {
	case <-ctx.Done():
	case <-r.b.end:
	}
	return index.Page{}, context.Cause(ctx)
}

// TestExplore_DownloadCut: what was cut, or stopped, is said to be so, and nothing is saved.
func TestExplore_DownloadCut(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	for name, want := range map[string]string{
		"cut":     "The download failed, and nothing was saved. The service cut it, or the network did.",
		"stopped": "Stopped. Nothing was saved. Requests for unsent rows are refunded.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &halting{fails: name == "cut", end: t.Context().Done()}
			b.left.Store(2) // the table, and a part of the export
			e := explore(t, "", func(c *service.Config) {
				b.Engine = stored()
				c.Engine, _ = serving.New(b, serving.Config{}) // without a registry nothing can fail
			})
			e.use(e.site.Key)
			e.Value(picker)
			download(e, "ndjson")
			if name == "stopped" {
				e.Wait(`document.querySelector("#received").textContent`)
				e.Screenshot("half")
				e.Click("#stop")
			}
			if got := downloaded(e); got != want {
				t.Errorf("it says %q", got)
			}
			if got := e.Value(saved); got != "none" {
				t.Errorf("saved is %.200q", got)
			}
			e.Screenshot("cut")
		})
	}
}
