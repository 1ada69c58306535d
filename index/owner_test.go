package index

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var updateOwners = flag.Bool("update-owners", false, "write the keys of testdata/owners.tsv anew")

// TestX25_OwnerKey: the file has 300 synthetic names in the shapes that counties write, each with its key.
func TestX25_OwnerKey(t *testing.T) {
	t.Parallel()
	const file = "testdata/owners.tsv"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var anew bytes.Buffer
	names := 0
	for line := range strings.Lines(string(data)) {
		name, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		got := OwnerKeyOf(name)
		if names++; !ok || got != want && !*updateOwners {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		anew.WriteString(name + "\t" + got + "\n")
	}
	if names != 300 {
		t.Errorf("%d names", names)
	}
	if *updateOwners {
		if err := os.WriteFile(file, anew.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestX25_OneOwner: writings of one owner have one key, and those of different owners have not.
func TestX25_OneOwner(t *testing.T) {
	t.Parallel()
	for key, writings := range map[string][]string{
		"u s medlarbank trust na trustee": {
			"U.S. MEDLARBANK TRUST, N.A., TRUSTEE", "U S Medlarbank Trust N A Trustee", "u.s.medlarbank trust, na,ttee", "U. S. MEDLARBANK TRST, NA TRUSTEES",
		},
		"alex rowangate": {"ROWANGATE, ALEX", "Alex Rowangate", "Rowangate,Alex", " alex  rowangate. "},
		"rowangate alex": {"ROWANGATE ALEX"}, // strangers are not joined
		"fern homes llc": {"Fern Homes, LLC", "FERN HOMES L.L.C.", "Fern Homes Limited Liability Company", "fern homes ltd liability comp"},
		"fern llc":       {"Fern, LLC", "Fern, L L C", "FERN LLC"},
		"noel kohl":      {"Köhl, Noël", "KOHL, NOEL", "Ko\u0308hl, Noe\u0308l"},
		"obirch ellis":   {"O'Birch Ellis", "O’BIRCH ELLIS", "OBirch Ellis", "O`Birch Ellis"},
		"a and b co":     {"A & B Company", "A+B, Co.", "a and b comp"},
		"fern c ash b":   {"Fern C, Ash B,"}, // two commas
		"fern trust":     {"Fern TR", "fern trst", "Fern Trust"},
		"tr fern ash":    {"TR Fern Ash"},
		"a b c d":        {"A B C, D"}, // three tokens before the comma
		"":               {"", " ", "--", "'", ",", "(*)", "\u0301"},
	} {
		for _, name := range writings {
			if got := OwnerKeyOf(name); got != key {
				t.Errorf("%q: %q, want %q", name, got, key)
			}
		}
	}
}

// TestX61_OneOwner: a key is the same whatever was pasted into the name, and whichever apostrophe, dash or form of Unicode it has.
func TestX61_OneOwner(t *testing.T) {
	t.Parallel()
	for key, writings := range map[string][]string{
		"lei kahookele": {"KAHO'OKELE, LEI", "KAHOʻOKELE, LEI", "Kaho‘okele, Lei", "Kaho’okele, Lei",
			"Kahoʼokele, Lei", "KAHO´OKELE, LEI", "Kaho`okele, Lei", "KAHO′OKELE, LEI"},
		"rosa obrien pena": {"O'BRIEN PEÑA, ROSA", "O’Brien Pen\u0303a, Rosa", "O\u00adBrien Peña, Rosa",
			"\ufeffO‘BRIEN PE\u00adN\u0303A,\u200b ROSA\u200d"},
		"smith jones llc": {"SMITH-JONES, LLC", "Smith–Jones, L.L.C.", "SMITH\u2011JONES LLC",
			"Sm\u00adith\u00ad‐Jones L\u200bL\u200bC", "SMITH－JONES ＬＬＣ"},
		"김 corp":            {"김 CORP", "\u1100\u1175\u11b7 Corporation"},
		"n ames and day co": {"\u0149 ames & Day Co", "’n Ames + Day Company"},
	} {
		for _, name := range writings {
			if got := OwnerKeyOf(name); got != key {
				t.Errorf("%q: %q, want %q", name, got, key)
			}
			if OwnerMark(name, 7) != OwnerMark(key, 7) {
				t.Errorf("%q has another mark than its key", name)
			}
		}
	}
}

// TestX25_Longest: no key is longer than a term of an index, whatever a name decomposes to.
func TestX25_Longest(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"ﷺ", "😀", "&", "tr ", "trs ", "𝔘", "㌕"} {
		if key := OwnerKeyOf(strings.Repeat(text, MaxText)); len(key) > 32_766 {
			t.Errorf("%d times %q has a key of %d bytes", MaxText, text, len(key))
		}
	}
}

func FuzzX25_OwnerKey(f *testing.F) {
	data, err := os.ReadFile("testdata/owners.tsv")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, _, _ := strings.Cut(line, "\t")
		f.Add(name)
	}
	for _, name := range []string{"l p l l c", "ltd liability comp", "l l l l l p", "p a a", "a, tr", "tr tr", "p, l", "ǅ ϔ ẞ ſ İ K", "\xff, a", "a\u0301,b"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		key := OwnerKeyOf(name)
		if !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxText {
			return // no load has such a one
		}
		if again := OwnerKeyOf(key); again != key && !strings.ContainsAny(name, ",，﹐︐") {
			t.Errorf("%q: the key of the key %q is %q", name, key, again)
		}
		if mark, ofKey := OwnerMark(name, 7), OwnerMark(key, 7); mark != ofKey {
			t.Errorf("%q has the mark %d, its key %q %d", name, mark, key, ofKey)
		}
		if other := OwnerKeyOf(strings.ReplaceAll(name, " ", " \t- ")); other != key {
			t.Errorf("%q: %q, with other separators %q", name, key, other)
		}
		if bad := strings.IndexFunc(key, func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); bad >= 0 ||
			key != strings.Join(strings.Fields(key), " ") {
			t.Errorf("%q: %q", name, key)
		}
	})
}
