package sieve

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest/edges"
)

// TestX53_DigestsStay: lists that were written keep their meaning. If a change of owner keys or address keys makes this fail, entries that
// operators have made do not hold any more: it has to say so to them, and how names are withheld anew.
func TestX53_DigestsStay(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, w := range []Withhold{{Owner: "Blanketflower, Wren"}, {ID: 7}, {Address: "12 N Elm St, Orlando, FL 32801"}} {
		_, keys, _ := w.keys()
		for _, k := range keys {
			sum := hasher([]byte("secret")).digest(k)
			got[fmt.Sprintf("%d %q", k.parts, k.text)] = hex.EncodeToString(sum[:4])
		}
	}
	want := map[string]string{
		`128 "wren blanketflower"`: "16767eb7", `64 "7"`: "8d4a084e", `40 "12\nn elm st\n32801"`: "c6fd0fe5", `39 "12\nn elm st\norlando\nfl"`: "5b72768b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestX61_DigestsOfBefore: who is in a list that was made before rule X61 stays out, whichever of the characters that the rule is about
// the record has, in a county in NFD too. The keys are those that programs made by then.
func TestX61_DigestsOfBefore(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		key            string
		parts          uint8
		owner, address string
	}{
		{"lei kahoʻokele", ofOwner, "KAHOʻOKELE, LEI", ""},
		{"jane smi th", ofOwner, "SMI\u00adTH, JANE", ""},
		{"rosa o brien", ofOwner, "O‘BRIEN, ROSA", ""},
		{"rosa d angelo", ofOwner, "D´ANGELO, ROSA", ""},
		{"\u1100\u1175\u11b7 lee", ofOwner, "김 LEE", ""},
		{"12\nkahoʻokele st\nhilo\nhi", ofAddress | withCity | withState, "", "12 KAHOʻOKELE ST, HILO, HI"},
		{"12\nel m st\nhilo\nhi", ofAddress | withCity | withState, "", "12 El\u00adm Street, Hilo, HI 10014"},
	} {
		list := generation.Withheld{Secret: []byte("secret")}
		mac := hasher(list.Secret)
		sum := mac.digest(secretKey{parts: test.parts, text: test.key})
		list.Entries = []generation.Withholding{{
			County: "don\u0303a ana, nm", Keys: []generation.Digest{{Parts: test.parts, SHA256: sum[:], Mark: 1}},
		}}
		f := &index.Filing{ID: 1}
		f.SetText(index.County, "Doña Ana, NM")
		f.SetText(index.Owner, test.owner)
		f.SetText(index.PropertyAddress, test.address)
		if s := New(&list, func(*generation.Withholding) bool { return true }); s.Verdict(f) != Whole {
			t.Errorf("%q is not withheld by %q", test.owner+test.address, test.key)
		}
	}
	where := Withhold{Owner: "KAHOʻOKELE, LEI"}.Where().String()
	for _, key := range []string{"lei kahookele", "lei kahoʻokele"} {
		if !strings.Contains(where, key) {
			t.Errorf("%q is not looked for where generations of before are: %s", key, where)
		}
	}
}

// TestX53_Marks: marks pass over no filing that is withheld, and over nearly all others.
func TestX53_Marks(t *testing.T) {
	t.Parallel()
	all := synthesized(200)
	for _, f := range edges.Fuzzed(200, 5) {
		all = append(all, *f)
	}
	passed, entries := 0, 0
	for i := range all {
		f := &all[i]
		for _, w := range []Withhold{{ID: f.ID}, {Owner: f.Text(index.Owner)}, {Address: f.Text(index.PropertyAddress)}} {
			if _, keys, _ := w.keys(); len(keys) == 0 || keys[0].text == "" {
				continue
			}
			list := generation.Withheld{Secret: []byte("secret")}
			s := New(&list, w.AddTo(&list, time.Time{}))
			entries++
			got := s.Verdict(f)
			s.known = func(uint64) bool { return true }
			if want := s.Verdict(f); w.Address != "" && got != want || w.Address == "" && got != Whole {
				t.Errorf("%+v: %d, want %d, of %s", w, got, want, index.AppendRecord(nil, f))
			}
			s.known = s.isKnown
			if other := &all[(i+7)%len(all)]; s.mayHave(other) && s.Verdict(other) == Nothing {
				passed++
			}
		}
	}
	if entries < 600 || passed > entries/50 {
		t.Errorf("of %d others, %d had to be looked at", entries, passed)
	}
}
