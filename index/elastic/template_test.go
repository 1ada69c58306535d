package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index/elastic/elastictest"
)

// template installs an index template that adds the store's alias to each of its new indices, and returns its name.
func (s testStore) template(t *testing.T, alias map[string]any) string {
	t.Helper()
	name := s.alias + "-foreign"
	body, err := json.Marshal(map[string]any{
		"index_patterns": []string{s.alias + "-*"}, "priority": 1_000_000,
		"template": map[string]any{"aliases": map[string]any{s.alias: alias}},
	})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.c, http.MethodPut, "/_index_template/"+name, nil, body)
	t.Cleanup(func() {
		request := elastictest.Request{Method: http.MethodDelete, Path: "/_index_template/" + name}
		if err := s.c.Write(context.Background(), nil, request); err != nil {
			t.Error(err)
		}
	})
	return name
}

// behind returns the indices behind the alias.
func (s testStore) behind(t testing.TB) (names []string) {
	t.Helper()
	var found map[string]described
	if err := json.Unmarshal(must(t, s.c, http.MethodGet, "/"+s.alias+"*/_alias", nil, nil), &found); err != nil {
		t.Fatal(err)
	}
	for name, d := range found {
		if _, ok := d.Aliases[s.alias]; ok {
			names = append(names, name)
		}
	}
	return names
}

// A foreign template that adds the alias to new indices changes nothing for the service, at no moment of a load.
func TestL8_TemplateThatAddsTheAlias(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	var log bytes.Buffer
	s.cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	template := s.template(t, map[string]any{})
	live := ""
	// The service looks at once after an index was created, while the template's alias is there.
	net := &elastictest.Faults{}
	created := 0
	net.Always("/"+s.alias+"-", onPut(func(req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		response, err := send()
		if live != "" && strings.Count(req.URL.Path, "/") == 1 {
			created++
			if got := s.committed(t); got != live {
				t.Errorf("after %s %s: live is %q, want %q", req.Method, req.URL.Path, got, live)
			}
		}
		return response, err
	}))
	l := s.through(t, net).lock(t)
	for _, owner := range []string{"A", "B"} {
		next := sealedWith(t, l, owner, 1)
		if err := l.Promote(t.Context(), live, next); err != nil {
			t.Fatal(err)
		}
		live = next
		s.wantLive(t, live, owner)
		if diff := cmp.Diff([]string{live}, s.behind(t)); diff != "" {
			t.Errorf("%s: behind the alias (-want +got):\n%s", owner, diff)
		}
	}
	if created == 0 {
		t.Error("no index was created while a generation was live: this test tests nothing")
	}
	if !strings.Contains(log.String(), template) {
		t.Errorf("the log does not name the template %s:\n%s", template, &log)
	}
}

// Before the first promotion nothing else is behind the alias.
func TestL7_TemplateBeforeTheFirstLoad(t *testing.T) {
	t.Parallel()
	for name, alias := range map[string]map[string]any{"an alias": {}, "its write index": {"is_write_index": true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStore(t)
			running := s.again(t, nil)
			s.template(t, alias)
			l := s.lock(t)
			next := sealedWith(t, l, "A", 1)
			s.wantLost(t, "before the first promotion", false, running)
			if got := liveOf(t, running); got != "" {
				t.Errorf("live is %q before the first promotion", got)
			}
			if err := l.Promote(t.Context(), "", next); err != nil {
				t.Fatal(err)
			}
			s.wantLive(t, next, "promoted")
		})
	}
}

// A generation that is not sealed is live by a template only: it is no answer, and not kept.
func TestL7_UnsealedIsNeverLive(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	running := s.again(t, nil)
	l := s.lock(t)
	b, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	s.point(t, b.Generation())
	if got := liveOf(t, running); got != "" {
		t.Errorf("live is %q", got)
	}
	if all, err := running.Kept(t.Context(), ""); err != nil || len(all) != 0 {
		t.Errorf("kept are %v, %v", all, err)
	}
	must(t, s.c, http.MethodDelete, "/"+b.Generation()+"/_alias/"+s.alias, nil, nil)
	s.wantLost(t, "taken away", false, running)
}

// Elasticsearch creates no second write index. The load says whose template it is.
func TestL7_TemplateOfAWriteIndex(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l := s.lock(t)
	live := sealedWith(t, l, "A", 1)
	if err := l.Promote(t.Context(), "", live); err != nil {
		t.Fatal(err)
	}
	template := s.template(t, map[string]any{"is_write_index": true})
	_, err := l.Begin(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "index template "+template+" adds the alias "+s.alias) {
		t.Errorf("got %v, want an error that names the template %s", err, template)
	}
	s.wantLive(t, live, "after the load")
	if all, err := s.Generations(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("generations %v, %v, want one", all, err)
	}
}

// An index that somebody else puts behind the alias was not promoted.
func TestL8_ForeignIndexBehindTheAlias(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	a, b := s.bare(t, 1), s.bare(t, 2)
	other := s.alias + "-other"
	want := []string{b, other} // what is not ours stays
	must(t, s.c, http.MethodPut, "/"+other, nil, []byte(`{"settings":{"number_of_shards":1,"number_of_replicas":0}}`))
	swap(t, s.Store, "", a)
	s.point(t, b)
	s.point(t, other)
	if got := s.committed(t); got != a {
		t.Errorf("live is %q with three indices behind the alias, want %q", got, a)
	}
	all, err := s.Generations(t.Context())
	if err != nil || len(all) != 2 || all[0].Live || !all[1].Live {
		t.Errorf("generations %+v, %v, want the older one live", all, err)
	}
	swap(t, s.Store, a, b)
	slices.Sort(want)
	if got := s.behind(t); s.committed(t) != b || !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("after a swap %s is live; behind the alias are %v, want %v", s.committed(t), got, want)
	}
	if err := s.lock(t).Delete(t.Context(), a); err != nil {
		t.Error(err)
	}
}
