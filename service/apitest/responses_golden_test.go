package apitest

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"filings/index"
	"filings/index/embedded"
)

// goldens are lists of requests with their responses, by the filings that they are sent for.
var goldens = map[string]dataset{"testdata/golden.txtar": handmade, "testdata/golden_pages.txtar": plenty}

// goldenHeaders are the headers that the lists have, of those that a response may have.
var goldenHeaders = []string{
	"Allow", "Cache-Control", "Content-Disposition", "Content-Type", "Deprecation", "Etag", "Link", "Retry-After",
	"X-Export-Price", "X-Generation", "X-Ignored-Parameters", "X-Total-Count",
}

// TestGolden sends some 200 requests to the oracle, the embedded engine and Elasticsearch. Each
// response has the bytes of the list, whichever engine it is from: what the service adds to what an
// engine returns is the same for all. Each file of a list is named for the case, which begins with
// its rules, and the request: "P1 limit: GET /v1/filings?limit=2 free". What other requests decide
// is masked: request ids, what remains of the quota, and cursors, which hold positions of their
// engine.
func TestGolden(t *testing.T) {
	t.Parallel()
	for file, d := range goldens {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			s := newSite(t, oracle(d.filings(t)))
			for i, f := range archive.Files {
				archive.Files[i].Data = []byte(s.golden(t, f.Name))
			}
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		onGoldenEngines(t, d, func(t *testing.T, s *site) {
			for _, f := range archive.Files {
				if diff := cmp.Diff(string(f.Data), s.golden(t, f.Name)); diff != "" {
					t.Errorf("%s: `go test ./service/apitest -run TestGolden -update` (-want +got)\n%s", f.Name, diff)
				}
			}
		})
	}
}

// onGoldenEngines runs f over each engine, with one name for the generation that it holds.
func onGoldenEngines(t *testing.T, d dataset, f func(t *testing.T, s *site)) {
	t.Run("oracle "+string(d), func(t *testing.T) {
		t.Parallel()
		f(t, newSite(t, oracle(d.filings(t))))
	})
	t.Run("embedded "+string(d), func(t *testing.T) {
		t.Parallel()
		store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		load(t, store, d)
		f(t, newSite(t, caching{renamed{store}}))
	})
	t.Run("elasticsearch "+string(d), func(t *testing.T) {
		t.Parallel()
		f(t, newSite(t, caching{renamed{onElastic.store(t, d)}}))
	})
}

// golden returns the response to the request of a file of a list, as text.
func (s *site) golden(t *testing.T, name string) string {
	t.Helper()
	_, line, ok := strings.Cut(name, ": ")
	if !ok {
		t.Fatalf("%q is not \"CASE: REQUEST\"", name)
	}
	a := s.request(t, line)
	var text strings.Builder
	fmt.Fprintln(&text, a.status)
	for _, header := range goldenHeaders {
		if values := a.header.Values(header); len(values) > 0 {
			fmt.Fprintf(&text, "%s: %s\n", header, strings.Join(values, " & "))
		}
	}
	fmt.Fprintf(&text, "\n%s\n", a.body)
	return goldenMask.ReplaceAllString(text.String(), "$1$2$3…")
}

// goldenMask is what differs from request to request, after what stands before it.
var goldenMask = regexp.MustCompile(
	`(req_)[0-9a-f]{32}|("rate_limit_remaining":)\d+|("next_cursor":"|[?&]cursor=)[\w-]{20,}`)

// renamed is an engine whose one generation has the name that the oracle's has.
type renamed struct{ index.Engine }

type renamedReader struct{ index.Reader }

func (renamedReader) Generation() string { return oracleName }

// Live implements index.Engine.
func (e renamed) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return renamedReader{r}, err
}

// Kept implements index.Engine.
func (e renamed) Kept(ctx context.Context, _ string) ([]index.Generation, error) {
	kept, err := e.Engine.Kept(ctx, "")
	kept = slices.Clone(kept)
	for i := range kept {
		kept[i].Name = oracleName
		kept[i].CreatedAt, _ = time.Parse(index.GenerationLayout, index.GenerationID(oracleName))
	}
	return kept, err
}

// Pin implements index.Engine.
func (e renamed) Pin(ctx context.Context, id string) (index.Reader, error) {
	if id != index.GenerationID(oracleName) {
		return nil, index.ErrGone
	}
	return e.Live(ctx)
}
