package apitest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest/edges"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// withhold deletes a generation since it has filings that are withheld; live has none of them.
func (k keeping) withhold(t *testing.T, name, live string) {
	t.Helper()
	lock, err := k.store.Lock(t.Context(), generation.Run{Holder: "test", Started: time.Now().UTC()})
	if err != nil {
		t.Fatal(err)
	}
	has := func(_ context.Context, of string) (bool, error) { return of == name, nil }
	if _, err := lock.Purge(t.Context(), live, has, func(v index.Version) index.Version { return v }); err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.store.LookAgain() // a second later
}

// TestX53_CutExport: an export whose generation is deleted since filings are withheld is cut, on the embedded engine too, whose file
// stays open; the client sees that.
func TestX53_CutExport(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		const total = 3000
		name, id := k.load(t, edges.Fuzzed(total, 5))
		want := k.get(t, access.Pro, "/v1/filings/export").body
		reached, withheld := make(chan struct{}), make(chan struct{})
		var once sync.Once
		s := newSite(t, turning{k.store, func() {
			once.Do(func() { close(reached) })
			<-withheld
		}})
		live := ""
		go func() {
			defer close(withheld)
			<-reached
			var other string
			other, live = k.load(t, edges.Fuzzed(40, 6))
			k.withhold(t, name, other)
		}()
		got, err := s.exported(t, servicetest.ListenTLS(t, s.App), "")
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(want, got) || got == "" {
			t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
		}
		s.checkPaid(t, "user-pro", total, 0, "failed")
		wantGone(t, "going on", s.get(t, access.Pro, "/v1/filings/export?generation="+id), id, live)
	})
}

// TestX53_Waiting: a request that has waited for the engine while filings were withheld gets the generation without them, or
// a 410 where it named the other one.
func TestX53_Waiting(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, k keeping) {
		for _, pinned := range []bool{false, true} {
			name, id := k.load(t, edges.Fuzzed(100, 5))
			s := newSite(t, &meanwhile{Engine: k.store, name: name, do: func() {
				other, _ := k.load(t, edges.Fuzzed(40, 6))
				k.withhold(t, name, other)
			}}, func(c *service.Config) { c.RequestTimeout = 5 * time.Minute })
			path := "/v1/filings?limit=100"
			if pinned {
				path += "&generation=" + id
			}
			a := s.get(t, access.Pro, path)
			if pinned && a.status != http.StatusGone || !pinned && (a.status != http.StatusOK || !strings.Contains(a.body, `"total":40`)) {
				t.Errorf("pinned %v: %d %.300s", pinned, a.status, a.body)
			}
		}
	})
}

// meanwhile is an engine that calls do, once, after it has read rows of a generation.
type meanwhile struct {
	index.Engine
	name string
	do   func()
	once sync.Once
}

type meanwhileReader struct {
	index.Reader
	of *meanwhile
}

func (e *meanwhile) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return meanwhileReader{r, e}, err
}

func (e *meanwhile) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return meanwhileReader{r, e}, err
}

func (r meanwhileReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	page, err := r.Reader.Rows(ctx, q)
	if r.Generation() == r.of.name {
		r.of.once.Do(r.of.do)
	}
	return page, err
}
