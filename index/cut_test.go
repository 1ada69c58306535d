package index_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/index/synthetic"
)

// spoiled returns a record, spoiled by random, whose values say of which field they are: what a tier must not see is found in
// what it gets by looking for these texts.
func spoiled(t testing.TB, random *rand.Rand) index.Record {
	t.Helper()
	f := &index.Filing{ID: 1 + random.Int64N(1e6)}
	for _, field := range index.Fields()[1:index.NumReturned] {
		switch kind := field.Info().Kind; {
		case random.IntN(4) == 0:
		case kind == index.KindCategories:
			f.Categories = index.CategoryValues[:1+random.IntN(3)]
		case kind == index.KindAmount, kind == index.KindNumber, kind == index.KindInteger, kind == index.KindLatitude, kind == index.KindLongitude:
			f.SetNumber(field, marked(field))
		default:
			f.SetText(field, fmt.Sprintf("only %s\"\\,é", field))
		}
	}
	record, keyed := index.Record(index.AppendRecord(nil, f)), error(nil)
	if random.IntN(2) == 0 {
		record, keyed = index.Version{Record: record}.WithKeys()
	}
	spoiled, err := indextest.Spoil(record, random)
	if err = errors.Join(err, keyed); err != nil {
		t.Fatal(err)
	}
	return spoiled
}

// marked is the number that a field of numbers has.
func marked(field index.Field) float64 { return 7_700_000 + float64(field) }

// leaked returns the field that text shows and a tier, or a set of fields, must not see; "" where there is none.
func leaked(text []byte, t index.Tier, set index.FieldSet) string {
	for _, field := range index.Fields()[1:index.NumReturned] {
		if field.Returned(t) && set.Has(field) {
			continue
		}
		name := field.String()
		for _, shown := range []string{`"` + name + `"`, "only " + name + `\`, strconv.Itoa(int(marked(field)))} {
			if bytes.Contains(text, []byte(shown)) {
				return name
			}
		}
	}
	return ""
}

// checkCut holds that whatever r is, no tier and no set of fields is given what it must not see, or what is no record of its
// own.
func checkCut(t testing.TB, r index.Record, set index.FieldSet) {
	t.Helper()
	page := index.Page{Records: []index.Record{r}}
	whole := page.Check() == nil
	for tier := index.Free; tier < index.Hidden; tier++ {
		for _, set := range []index.FieldSet{0, set} {
			one, err := r.AppendFields(nil, tier, set)
			if err != nil && (!errors.Is(err, index.ErrRecord) || len(one) > 0 || strings.Contains(err.Error(), "only ")) {
				t.Fatalf("%s: %q, %v", r, one, err)
			}
			all, errAll := page.AppendRecords(nil, tier, set)
			if (err == nil) != (errAll == nil) || err == nil && string(all) != "["+string(one)+"]" || whole && !set.Keys() && err != nil {
				t.Fatalf("%s, checked: %t\n%s, %v\n%s, %v", r, whole, one, err, all, errAll)
			}
			if field := leaked(one, tier, set); field != "" {
				t.Fatalf("%v, %s: %s in %s of %s", tier, set, field, one, r)
			}
			if err == nil {
				checkNames(t, one, tier, set)
			}
		}
	}
}

// checkNames holds that text has the names of a tier's fields in set, each once, in their order.
func checkNames(t testing.TB, text []byte, tier index.Tier, set index.FieldSet) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	var names, want []string
	_, err := d.Token()
	for ; err == nil && d.More(); err = d.Decode(new(json.RawMessage)) {
		name, _ := d.Token()
		names = append(names, fmt.Sprint(name))
	}
	for _, field := range index.Fields() {
		if (field.Returned(tier) || set.Keys() && field.IsKey()) && set.Has(field) {
			want = append(want, field.String())
		}
	}
	if fmt.Sprint(names) != fmt.Sprint(want) || err != nil {
		t.Fatalf("%v, %s: %v in %s, %v", tier, set, names, text, err)
	}
}

// TestX23_Cut: 100,000 records whose members an engine reordered, dropped, doubled, nested, renamed or broke: for any tier and
// any set of fields, what is cut is right or nothing. Whole ones are cut.
func TestX23_Cut(t *testing.T) {
	t.Parallel()
	each := 10_000
	if testing.Short() {
		each = 500
	}
	for part := range 10 {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(23, uint64(part)))
			for range each {
				checkCut(t, spoiled(t, random), index.SetOf(someFields(random)...))
			}
		})
	}
	for _, r := range indextest.Records(edges.Fuzzed(500, 23)) {
		page := index.Page{Records: []index.Record{r}}
		if err := page.Check(); err != nil {
			t.Fatalf("%s: %v", r, err)
		}
	}
}

func someFields(random *rand.Rand) (fields []index.Field) {
	for range random.IntN(6) {
		fields = append(fields, index.Field(random.IntN(int(index.NumKeyed))))
	}
	return fields
}

// FuzzX23_Cut holds the same of any text.
func FuzzX23_Cut(f *testing.F) {
	random := rand.New(rand.NewPCG(23, 23))
	for range 20 {
		f.Add([]byte(spoiled(f, random)), uint64(0b10010))
	}
	f.Fuzz(func(t *testing.T, text []byte, wanted uint64) {
		set := index.FieldSet(wanted%(1<<index.NumKeyed)) | index.SetOf()
		for tier := index.Free; tier < index.Hidden; tier++ {
			part, err := index.Record(text).AppendFields(nil, tier, set)
			if err == nil && json.Valid(text) {
				checkNames(t, part, tier, set)
			}
		}
	})
}

// BenchmarkX23_Cut: what a tier's part of a record takes, and of one on a page that is cached.
func BenchmarkX23_Cut(b *testing.B) {
	g, page := synthetic.New(1), index.Page{Records: make([]index.Record, 100)}
	for i := range page.Records {
		var f index.Filing
		g.Next(&f)
		page.Records[i] = index.AppendRecord(nil, &f)
	}
	cached := page
	if err := cached.Check(); err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 0, 1<<20)
	for name, page := range map[string]index.Page{"once": page, "cached": cached} {
		for t := index.Free; t < index.Hidden; t++ {
			b.Run(name+"/"+t.String(), func(b *testing.B) {
				for b.Loop() {
					dst, _ = page.AppendRecords(dst[:0], t, 0)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/record")
			})
		}
	}
}
