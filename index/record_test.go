package index_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"filings/index"
)

func TestAppendRecord_E4_NothingIsNull(t *testing.T) {
	t.Parallel()
	got := string(index.AppendRecord([]byte("before "), &index.Filing{}))
	want := `before {"id":0`
	for _, field := range index.Fields()[1:] {
		switch {
		case !field.Returned(index.Enterprise):
		case field == index.Categories:
			want += `,"categories":[]`
		default:
			want += `,"` + field.String() + `":null`
		}
	}
	if diff := cmp.Diff(want+"}", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAppendRecord_Values(t *testing.T) {
	t.Parallel()
	f := index.Filing{ID: math.MaxInt64, Categories: []string{"residential", "land"}}
	f.SetText(index.County, "Doña \"Ana\", NM")
	f.SetNumber(index.FilingAmount, -1234.5)
	f.SetNumber(index.CurrentAmount, math.Copysign(0, -1))
	f.SetNumber(index.LotSizeAcres, 1e21)
	f.SetText(index.City, "hidden")
	got := string(index.AppendRecord(nil, &f))
	for _, want := range []string{
		`{"id":9223372036854775807,`, `"county":"Doña \"Ana\", NM",`, `"filingAmount":-1234.5,`, `"currentAmount":0,`,
		`"categories":["residential","land"],`, `"lotSizeAcres":1000000000000000000000,`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if strings.Contains(got, "hidden") || strings.Contains(got, "city") {
		t.Errorf("a hidden field is in %s", got)
	}
}

// hostileText draws texts that look like parts of a record.
func hostileText() *rapid.Generator[string] {
	parts := []string{`,"propertyType":`, `,"ownerPhonePrimary":`, `"`, `\`, `\\`, `,`, `}`, `:null`, "\u2028", "<&>", "\x01", "\x7f", "é", "😀"}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), rapid.StringN(0, 5, -1)), 0, 6).Draw(t, "parts"), "")
	})
}

// drawFiling draws a filing with any fields set.
func drawFiling(t *rapid.T) *index.Filing {
	text, number := hostileText(), rapid.Float64Range(-1e15, 1e15)
	f := &index.Filing{ID: rapid.Int64Range(1, math.MaxInt64).Draw(t, "id")}
	for _, field := range index.Fields() {
		if field == index.ID || !field.Loaded() || !rapid.Bool().Draw(t, field.String()+"?") {
			continue
		}
		switch field.Info().Kind {
		case index.KindCategories:
			f.Categories = rapid.SliceOfN(text, 1, 4).Draw(t, field.String())
		case index.KindTime:
		case index.KindAmount, index.KindNumber, index.KindInteger, index.KindLatitude, index.KindLongitude:
			f.SetNumber(field, number.Draw(t, field.String()))
		default:
			f.SetText(field, text.Draw(t, field.String()))
		}
	}
	return f
}

func TestAppendFields_E4_FieldsByTier(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFiling(t)
		r := index.Record(index.AppendRecord(nil, f))
		for _, tier := range []index.Tier{index.Free, index.Pro, index.Enterprise} {
			var got map[string]any
			seen, err := r.AppendFields(nil, tier, 0)
			if err != nil {
				t.Fatal(err)
			}
			d := json.NewDecoder(bytes.NewReader(seen))
			d.UseNumber()
			if err := d.Decode(&got); err != nil {
				t.Fatalf("tier %d of %s: %v", tier, r, err)
			}
			if diff := cmp.Diff(shown(f, tier), got); diff != "" {
				t.Errorf("tier %d of %s (-want +got):\n%s", tier, r, diff)
			}
		}
	})
}

// Of any set of fields, in any record, whatever its texts look like.
func TestX9_AppendFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFiling(t)
		r := index.Record(index.AppendRecord(nil, f))
		tier := rapid.SampledFrom([]index.Tier{index.Free, index.Pro, index.Enterprise}).Draw(t, "tier")
		returned := slices.DeleteFunc(index.Fields(), func(f index.Field) bool { return !f.Returned(index.Enterprise) })
		set := index.SetOf(rapid.SliceOf(rapid.SampledFrom(returned)).Draw(t, "fields")...)
		want := "before "
		for _, field := range returned {
			if set.Has(field) && field.Returned(tier) {
				want += `,"` + field.String() + `":` + string(index.AppendValue(nil, f, field))
			}
		}
		want = strings.Replace(want, " ,", " {", 1) + "}"
		got, err := r.AppendFields([]byte("before "), tier, set)
		if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
			t.Errorf("%s of %s: %v (-want +got):\n%s", set, r, err, diff)
		}
	})
}

func TestX9_AppendFields_OfTheIDAlone(t *testing.T) {
	t.Parallel()
	const want = `{"id":9223372036854775807}`
	r := index.Record(index.AppendIDOnly(nil, math.MaxInt64))
	if got, err := r.AppendFields(nil, index.Enterprise, index.SetOf()); string(got) != want || string(r) != want || err != nil {
		t.Errorf("want %s, got %s of %s: %v", want, got, r, err)
	}
}

func TestX9_FieldSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set  index.FieldSet
		want string
	}{
		{0, ""}, {index.SetOf(), "id"}, {index.SetOf(index.OwnerEmailSecondary, index.Owner, index.Owner, index.ID), "id,owner,ownerEmailSecondary"},
	} {
		if got := test.set.String(); got != test.want {
			t.Errorf("want %q, got %q", test.want, got)
		}
	}
}

// shown is what a tier sees of f, built without AppendRecord.
func shown(f *index.Filing, tier index.Tier) map[string]any {
	m := map[string]any{}
	for _, field := range index.Fields() {
		if !field.Returned(tier) {
			continue
		}
		m[field.String()] = nil
		if v, ok := f.Number(field); ok {
			m[field.String()] = json.Number(strconv.FormatFloat(v, 'f', -1, 64))
		}
		if s := f.Text(field); s != "" {
			m[field.String()] = s
		}
	}
	m["id"] = json.Number(strconv.FormatInt(f.ID, 10))
	categories := []any{}
	for _, c := range f.Categories {
		categories = append(categories, c)
	}
	m["categories"] = categories
	return m
}

func TestAppendNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-12.5, "-12.5"}, {0.1, "0.1"}, {1e-7, "0.0000001"},
		{1e21, "1000000000000000000000"}, {123456789012.34, "123456789012.34"}, {1 << 53, "9007199254740992"},
	} {
		if got := string(index.AppendNumber([]byte("n="), test.in)); got != "n="+test.want {
			t.Errorf("%v: want %s, got %s", test.in, test.want, got)
		}
	}
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.OneOf(hostileText(), rapid.String()).Draw(t, "text")
		var got string
		if err := json.Unmarshal(index.AppendString(nil, want), &got); err != nil || got != want {
			t.Errorf("%q became %q: %v", want, got, err)
		}
	})
}
