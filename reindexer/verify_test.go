package reindexer

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/record"
)

// TestVerification lets a real engine hold something else than what was read, and wants it found and named.
func TestVerification(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tests := []struct {
		name   string
		update bool
		alter  func(build generation.Build, f *index.Filing) error // called before each Put
		begin  func(build generation.Build) error
		read   func(index.Reader) index.Reader
		says   string
	}{
		{name: "one lost", says: "filings: 150 expected, 149 found", alter: func(b generation.Build, f *index.Filing) error {
			if f.ID == 6 {
				return b.Remove(ctx, 5)
			}
			return nil
		}},
		{name: "one doubled", says: "filings in Kings, NY: 75 expected, 76 found", alter: func(b generation.Build, f *index.Filing) error {
			if f.ID != 5 {
				return nil
			}
			double := *f
			double.ID = 1005
			return b.Put(ctx, &double)
		}},
		{name: "an amount altered", says: "sum of amounts in Kings, NY", alter: func(_ generation.Build, f *index.Filing) error {
			if f.ID == 5 {
				f.SetNumber(index.FilingAmount, 5.26)
			}
			return nil
		}},
		{name: "an amount lost", says: "filings with an amount in Kings, NY: 75 expected, 74 found", alter: func(_ generation.Build, f *index.Filing) error {
			if f.ID == 5 {
				county, id := f.Text(index.County), f.ID
				f.Reset()
				f.ID, f.CreatedAt = id, noon
				f.SetText(index.County, county)
			}
			return nil
		}},
		{name: "a month altered", says: "filings of 2024-06: 0 expected, 1 found", alter: func(_ generation.Build, f *index.Filing) error {
			if f.ID == 5 {
				f.SetText(index.FilingDate, "2024-06-01")
			}
			return nil
		}},
		{name: "a county altered", says: "filings in Queens, NY: 0 expected, 1 found", alter: func(_ generation.Build, f *index.Filing) error {
			if f.ID == 5 {
				f.SetText(index.County, "Queens, NY")
			}
			return nil
		}},
		{name: "an owner altered", says: "filing 5: owner is \"Annie\", not \"Ann\"", alter: func(_ generation.Build, f *index.Filing) error {
			if f.ID == 5 {
				f.SetText(index.Owner, "Annie")
			}
			return nil
		}},
		{name: "a search that finds nothing", says: "of a search for its owner", read: func(r index.Reader) index.Reader { return forgetful{r} }},
		{name: "X23: members in another order", says: "missing, extra or reordered fields", read: func(r index.Reader) index.Reader { return sorting{r} }},
		{name: "in an update, a deletion undone", update: true, says: "filings: 149 expected, 150 found", alter: func(b generation.Build, f *index.Filing) error {
			if f.ID == 149 { // the last that is put, after the deletion
				old := *f
				old.ID = 7
				return b.Put(ctx, &old)
			}
			return nil
		}},
		{name: "in an update, one lost that was not named", update: true, says: "filings: 149 expected, 148 found",
			begin: func(b generation.Build) error { return b.Remove(ctx, 100) }},
		{name: "in an update, one altered that was not named", update: true, says: "filing 100: owner is \"Zoe\", not \"Ann\"",
			begin: func(b generation.Build) error {
				f, err := record.Decode(index.Record(owned("Zoe", 100)))
				if err != nil {
					return err
				}
				return b.Put(ctx, f)
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			real := embeddedStore(t)
			first := mustRun(t, config(t, real, owned("Ann", upTo(150)...)))
			cfg := config(t, &liar{&faulty{Store: real, read: test.read}, test.begin, test.alter}, owned("Ann", upTo(150)...))
			if test.update {
				cfg.Inputs = inputs(write(t, "u.ndjson", `{"id":7,"deleted":true}`+"\n"+owned("Bob", 149)))
				cfg.Update = true
			}
			_, err := Run(ctx, cfg)
			if !errors.Is(err, ErrVerification) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v\nwant ErrVerification that says %q", err, test.says)
			}
			if got := generationNames(t, real); len(got) != 1 || got[0] != first.Generation+"*" {
				t.Errorf("generations %v, want the one from before alone", got)
			}
		})
	}
}

// attempts is a store that knows how many calls of its Readers an attempt makes at the most.
type attempts struct {
	*faulty
	calls, most, tried int
}

func (s *attempts) Retry(ctx context.Context, try func(context.Context) error) error {
	s.calls = 0
	err := s.faulty.Retry(ctx, try)
	s.most, s.tried = max(s.most, s.calls), s.tried+1
	return err
}

// attempted is a Reader that counts its calls.
type attempted struct {
	index.Reader
	store *attempts
}

func (r attempted) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	r.store.calls++
	return r.Reader.Filings(ctx, ids)
}

func (r attempted) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	r.store.calls++
	return r.Reader.Rows(ctx, q)
}

func (r attempted) Count(ctx context.Context, w index.Filter) (int64, error) {
	r.store.calls++
	return r.Reader.Count(ctx, w)
}

// TestVerification_Attempts: each request of a verification is an attempt of its own, which has as much time as one: on a
// slow server all of them together may take longer.
func TestVerification_Attempts(t *testing.T) {
	t.Parallel()
	store := &attempts{faulty: &faulty{Store: embeddedStore(t)}}
	store.read = func(r index.Reader) index.Reader { return attempted{r, store} }
	mustRun(t, config(t, store, owned("Ann", upTo(150)...)))
	if want := 1 + 3*searched; store.most != 1 || store.tried != want {
		t.Errorf("%d attempts of up to %d calls, want %d of one", store.tried, store.most, want)
	}
}

// sorting is a Reader whose records have their members in the order of their names.
type sorting struct{ index.Reader }

func (r sorting) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	page, err := r.Reader.Rows(ctx, q)
	for i, record := range page.Records {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(record, &members); err != nil {
			return page, err
		}
		if page.Records[i], err = json.Marshal(members); err != nil {
			return page, err
		}
	}
	return page, err
}

// liar is a store whose builds do something else than what they are called for.
type liar struct {
	*faulty
	begin func(generation.Build) error
	alter func(generation.Build, *index.Filing) error
}

func (s *liar) Lock(ctx context.Context, run generation.Run) (generation.Lock, error) {
	lock, err := s.faulty.Lock(ctx, run)
	return lyingLock{lock, s}, err
}

type lyingLock struct {
	generation.Lock
	s *liar
}

func (l lyingLock) Begin(ctx context.Context, from string) (generation.Build, error) {
	build, err := l.Lock.Begin(ctx, from)
	if err == nil && l.s.begin != nil {
		err = l.s.begin(build)
	}
	return lyingBuild{build, l.s}, err
}

type lyingBuild struct {
	generation.Build
	s *liar
}

func (b lyingBuild) Put(ctx context.Context, f *index.Filing) error {
	altered := *f
	if b.s.alter != nil {
		if err := b.s.alter(b.Build, &altered); err != nil {
			return err
		}
	}
	return b.Build.Put(ctx, &altered)
}

// forgetful is a reader that finds nothing by its text.
type forgetful struct{ index.Reader }

func (r forgetful) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	for _, p := range q.Where.Predicates() {
		if _, ok := p.(index.Contains); ok {
			return index.Page{}, nil
		}
	}
	return r.Reader.Rows(ctx, q)
}

func TestDiffers(t *testing.T) {
	t.Parallel()
	record := func(set func(*index.Filing)) index.Record {
		f := &index.Filing{ID: 1, Categories: []string{"land", "residential"}}
		f.SetText(index.Owner, "a")
		f.SetNumber(index.FilingAmount, 1200.5)
		set(f)
		return index.AppendRecord(nil, f)
	}
	whole := record(func(*index.Filing) {})
	other := func(old, new string) index.Record { return index.Record(strings.Replace(string(whole), old, new, 1)) }
	for _, test := range []struct {
		name      string
		want, got index.Record
		says      string
	}{
		{"the same", whole, record(func(*index.Filing) {}), ""},
		{"both gone", nil, nil, ""},
		{"gone", whole, nil, "filing 1 is not there"},
		{"back", nil, whole, "filing 1 was deleted but is there"},
		{"numbers written otherwise", whole, other("1200.5", "1.2005e3"), "filing 1: " + index.ErrRecord.Error() + ": currentAmount is not"},
		{"ids beyond 2^53", other(`"id":1`, `"id":9223372036854775807`), other(`"id":1`, `"id":9223372036854775806`), "filing 1: id is 9223372036854775806, not 9223372036854775807"},
		{"more", whole, other("{", `{"x":2,`), "filing 1: " + index.ErrRecord.Error() + ": id is not"},
		{"another order", whole, other(`"owner":"a","propertyAddress":null`, `"propertyAddress":null,"owner":"a"`), "filing 1: " + index.ErrRecord.Error() + ": owner is not"},
		{"less", whole, record(func(f *index.Filing) { f.SetText(index.Owner, "") }), `filing 1: owner is null, not "a"`},
		{"other order of categories", whole, record(func(f *index.Filing) { f.Categories = []string{"residential", "land"} }),
			`filing 1: categories is ["residential","land"], not ["land","residential"]`},
		{"no JSON", whole, whole[:len(whole)/2], "filing 1: " + index.ErrRecord.Error()},
	} {
		if got := differs(1, test.want, test.got); got != test.says && (test.says == "" || !strings.HasPrefix(got, test.says)) {
			t.Errorf("%s: %q, want %q", test.name, got, test.says)
		}
	}
}

func TestVerification_NamesNoMoreThanAnyoneReads(t *testing.T) {
	t.Parallel()
	err := differ(make([]string, 1000))
	if !strings.HasSuffix(err.Error(), "and 980 more") {
		t.Errorf("error %v", err)
	}
}
