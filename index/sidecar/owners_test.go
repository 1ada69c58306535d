package sidecar_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/encoding/protowire"

	"filings/index"
	"filings/index/cache"
	"filings/index/indextest"
	"filings/index/indextest/conformance"
	"filings/index/indextest/edges"
	"filings/index/sidecar"
)

// chunks are what was written.
type chunks map[string][]byte

func (c chunks) put(section string, chunk int, data []byte) error {
	name := fmt.Sprint(section, " ", chunk)
	if _, twice := c[name]; twice {
		return errors.New(name + " was written twice")
	}
	c[name] = append([]byte{}, data...)
	return nil
}

func (c chunks) get(_ context.Context, section string, chunks []int) (all [][]byte, err error) {
	for _, chunk := range chunks {
		data, ok := c[fmt.Sprint(section, " ", chunk)]
		if !ok {
			return nil, sidecar.ErrDamaged
		}
		all = append(all, data)
	}
	return all, nil
}

// reader reads owners from what was collected, and all else from the oracle.
type reader struct {
	*indextest.Oracle
	*sidecar.Directory
}

func (r reader) Generation() string { return r.Oracle.Generation() }

func (r reader) Owners(ctx context.Context, q index.OwnerQuery) (index.Owners, error) {
	return r.Directory.Owners(ctx, q)
}

func (r reader) Stats(ctx context.Context) (index.Stats, error) { return r.Directory.Stats(ctx) }

func (r reader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return r.Directory.Counties(ctx)
}

func (r reader) Nearest(ctx context.Context, words []string) ([][]string, error) {
	return r.Directory.Nearest(ctx, words)
}

func collected(t *testing.T, filings []*index.Filing) (reader, chunks) {
	t.Helper()
	to, actions := chunks{}, sidecar.NewActions()
	for _, f := range filings {
		d := index.Derive(f)
		actions.Put(index.FingerprintOf(f, &d, index.AppendRecord(nil, f)))
	}
	if err := errors.Join(sidecar.Write(t.Context(), nil, actions, nil, to.put), actions.Close()); err != nil {
		t.Fatal(err)
	}
	return reader{indextest.NewOracle("", filings), sidecar.Open("g", to.get, cache.New(1<<20))}, to
}

// TestX27_Oracle: whatever is requested of owners, the oracle says the same.
func TestX27_Oracle(t *testing.T) {
	t.Parallel()
	for name, filings := range map[string][]*index.Filing{"some": edges.Fuzzed(2000, 1), "none": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := collected(t, filings)
			if filings == nil {
				page, err := r.Owners(t.Context(), index.OwnerQuery{Limit: 10, Tokens: []string{"a"}})
				words, failed := r.Nearest(t.Context(), []string{"nothing"})
				if page.Total != 0 || err != nil || failed != nil || words[0] != nil {
					t.Errorf("%v, %v, %v, %v", page, err, words, failed)
				}
				return
			}
			conformance.CheckOwners(t, r, r.Oracle, 200)
		})
	}
}

// TestA1_Summary: the stats of all filings and of each county are those of the oracle.
func TestA1_Summary(t *testing.T) {
	t.Parallel()
	for name, filings := range map[string][]*index.Filing{"some": edges.Fuzzed(2000, 5), "none": nil} {
		r, _ := collected(t, filings)
		stats, err1 := r.Stats(t.Context())
		counties, err2 := r.Counties(t.Context())
		want, _ := r.Oracle.Stats(t.Context())
		wantCounties, _ := r.Oracle.Counties(t.Context())
		if diff := cmp.Diff(want, stats) + cmp.Diff(wantCounties, counties); diff != "" || err1 != nil || err2 != nil {
			t.Errorf("%s: %v, %v (-want +got):\n%s", name, err1, err2, diff)
		}
	}
}

// TestX27_SumOfFilings: each filing whose owner has a key is one owner's.
func TestX27_SumOfFilings(t *testing.T) {
	t.Parallel()
	filings := edges.Fuzzed(2000, 2)
	want, got := int64(0), int64(0)
	for _, f := range filings {
		if index.OwnerKeyOf(f.Text(index.Owner)) != "" {
			want++
		}
	}
	r, _ := collected(t, filings)
	page, err := r.Owners(t.Context(), index.OwnerQuery{Limit: len(filings)})
	for _, p := range page.List {
		got += p.Filings
	}
	if err != nil || got != want || want == 0 {
		t.Errorf("%d filings, want %d; %v", got, want, err)
	}
}

// TestX29_DamagedWords: for 2,000 damaged words the words near them are those that the oracle finds.
func TestX29_DamagedWords(t *testing.T) {
	t.Parallel()
	r, _ := collected(t, edges.Fuzzed(1000, 3))
	words := conformance.DamagedWords(r.Oracle, 2000)
	want, _ := r.Oracle.Nearest(t.Context(), words)
	got, err := r.Nearest(t.Context(), words)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	several, corrected := 0, 0
	for _, near := range got {
		if len(near) > 0 {
			corrected++
		}
		if len(near) > 1 {
			several++
		}
	}
	if corrected < 500 || several < 5 {
		t.Errorf("%d of %d words are near others, %d near several: they try too little", corrected, len(words), several)
	}
}

// TestX28_Damage: whatever is cut off a chunk, a request fails or has the right response; none panics.
func TestX28_Damage(t *testing.T) {
	t.Parallel()
	r, stored := collected(t, edges.Fuzzed(200, 4))
	requests := func(r reader) (all []any, err error) {
		for sort := range index.OwnerSorts {
			page, failed := r.Owners(t.Context(), index.OwnerQuery{Sort: index.OwnerSort(sort), Ascending: true, Tokens: []string{"a"}, Where: index.Where(index.AnyOf{Fields: []index.Field{index.State}, Values: []string{"fl"}}), Limit: 5})
			all, err = append(all, page), errors.Join(err, failed)
		}
		words, failed := r.Nearest(t.Context(), []string{"nothing"})
		return append(all, words), errors.Join(err, failed)
	}
	want, err := requests(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range stored {
		for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
			damaged := chunks{}
			for other, whole := range stored {
				damaged[other] = whole
			}
			damaged[name] = data[:n]
			got, err := requests(reader{r.Oracle, sidecar.Open("g", damaged.get, cache.New(1<<20))})
			if err == nil && !cmp.Equal(want, got) || err != nil && !errors.Is(err, index.ErrUnavailable) {
				t.Errorf("%s cut to %d of %d: %v", name, n, len(data), err)
			}
		}
	}
}

// TestX28_OwnersThatAreNone: a section that names an owner of whom nothing is written is damaged.
func TestX28_OwnersThatAreNone(t *testing.T) {
	t.Parallel()
	r, stored := collected(t, edges.Fuzzed(200, 4))
	all, err := r.Owners(t.Context(), index.OwnerQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	posting := func(owners ...uint64) []byte {
		data := protowire.AppendVarint(protowire.AppendString(nil, "a, fl"), uint64(len(owners)))
		for _, number := range owners {
			data = protowire.AppendVarint(data, number)
		}
		return data
	}
	end := uint64(all.Total)
	for name, data := range map[string][]byte{
		"owners tokens":         posting(0, end+64),
		"owners counties":       posting(end + 1<<20),
		"owners by name rising": bytes.Repeat([]byte{0xff}, 4*int(all.Total)),
	} {
		damaged := maps.Clone(stored)
		damaged[name+" 0"] = append([]byte{0}, s2.Encode(nil, data)...)
		reader := sidecar.Open("g", damaged.get, cache.New(1<<20))
		_, err := reader.Owners(t.Context(), index.OwnerQuery{
			Sort: index.OwnersByName, Ascending: true, Tokens: []string{"a"}, Limit: 5,
			Where: index.Where(index.AnyOf{Fields: []index.Field{index.State}, Values: []string{"fl"}}),
		})
		if !errors.Is(err, sidecar.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}
