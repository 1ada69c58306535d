package peers

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// each hands over enough filings, of two names.
func each(do func([]byte) error) error {
	for i := range fewest {
		line := `{"id":` + strings.Repeat("1", 1+i%5) + `,"owner":"Ann Smith"}`
		if i%2 == 0 {
			line = `{"id":2,"owner":"JONES of Ohio","geocodedLatitude":40.25,"geocodedLongitude":-80}`
		}
		if err := do([]byte(line)); err != nil {
			return err
		}
	}
	return nil
}

// TestQuestions: a new question was never asked before, even when all names were.
func TestQuestions(t *testing.T) {
	t.Parallel()
	all, err := Questions(each, fewest, "Wayne, MI")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if !q.New {
			continue
		}
		seen := map[string]bool{}
		for i := range 50_000 {
			seen[q.Path(i)] = true
		}
		if len(seen) != 50_000 {
			t.Errorf("%s: %d different requests of 50,000", q.Name, len(seen))
		}
	}
	if _, err := Questions(func(func([]byte) error) error { return nil }, 0, ""); err == nil {
		t.Error("no filings, and questions")
	}
}

// TestQuestions_Bounds: boxes end where the world ends.
func TestQuestions_Bounds(t *testing.T) {
	t.Parallel()
	m := material{points: [][2]float64{{89.99, -179.99}}}
	if got, want := m.box(0), "/v1/filings?limit=20&bounds_north=90.0000000&bounds_south=89.9400005&bounds_east=-179.9399995&bounds_west=-180.0000000"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDatasette: it is asked what the service is asked.
func TestDatasette(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]url.Values{
		"/v1/filings/search?limit=20&q=smith":                                   {"_search": {"smith"}},
		"/v1/filings/search?limit=20&q=smith&min_amount=0.01":                   {"_search": {"smith"}, "amount__gte": {"0.01"}},
		"/v1/filings?limit=20&county=Wayne%2C+MI&min_amount=10.5":               {"county__exact": {"Wayne, MI"}, "amount__gte": {"10.5"}},
		"/v1/filings?bounds_north=4&bounds_south=3&bounds_east=2&bounds_west=1": {"lat__lte": {"4"}, "lat__gte": {"3"}, "lon__lte": {"2"}, "lon__gte": {"1"}},
		"/v1/filings?limit=20":                                                  {},
	} {
		at, err := url.Parse(datasettePath(path))
		if err != nil {
			t.Fatal(err)
		}
		got := at.Query()
		for _, form := range []string{"_shape", "_col", "_sort", "_size", "_nofacet"} {
			got.Del(form)
		}
		if diff := cmp.Diff(want, got); at.Path != "/peer/filings.json" || diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", path, at.Path, diff)
		}
	}
	if got := datasettePath("/v1/filings/7"); !strings.HasPrefix(got, "/peer/filings/7.json?") {
		t.Error(got)
	}
	if got := datasettePath("/v1/filings?limit=20&offset=70"); !strings.HasSuffix(got, "offset+70") {
		t.Error(got)
	}
}

// TestRead: answers of all forms say the same; what has no total says so.
func TestRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		read func([]byte) (answer, error)
		body string
		want answer
	}{
		"page":          {readEnvelope, `{"data":[{"id":2},{"id":1}],"pagination":{"total":7}}`, answer{7, []int64{2, 1}}},
		"one":           {readEnvelope, `{"success":true,"data":{"id":2}}`, answer{-1, []int64{2}}},
		"Datasette":     {readDatasette, `{"rows":[{"id":2,"filing":"{\"id\":2}"}],"filtered_table_rows_count":7}`, answer{7, []int64{2}}},
		"Datasette one": {readDatasette, `{"rows":[{"id":2,"filing":"{\"id\":2}"}]}`, answer{-1, []int64{2}}},
	} {
		got, err := tt.read([]byte(tt.body))
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(answer{})); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
