package search

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"filings/index"
	"filings/index/elastic/document"
)

// A term's clause selects, by the words of documents, those that contain the term: with runs that are
// longer than a word, too.
func TestRuns_SelectWhatContains(t *testing.T) {
	t.Parallel()
	letters := rapid.RuneFrom([]rune("ab\u00e9 7"))
	rapid.Check(t, func(t *rapid.T) {
		text := index.SearchText(rapid.StringOfN(letters, 0, 40, -1).Draw(t, "text"))
		long := strings.Repeat("ab", rapid.IntRange(0, 12).Draw(t, "pairs of a long run"))
		text = strings.TrimSpace(text + long + rapid.SampledFrom([]string{"", " ", "b ", " 7b"}).Draw(t, "after it") + text)
		term := index.SearchText(rapid.StringOfN(letters, 1, 20, -1).Draw(t, "term"))
		if all := []rune(text); len(all) > 0 && rapid.Bool().Draw(t, "of the text") {
			start := rapid.IntRange(0, len(all)-1).Draw(t, "start")
			term = string(all[start : start+rapid.IntRange(1, len(all)-start).Draw(t, "length")])
			around := rapid.SampledFrom([]string{"", "a", "b", "7", "7 ", " a"}) // what the text may lack there
			term = index.SearchText(around.Draw(t, "before") + term + around.Draw(t, "behind"))
		}
		if len([]rune(term)) < 3 {
			return
		}
		words := wordsOf(t, text)
		if got, want := selects(t, inTexts(term), words, text), strings.Contains(text, term); got != want {
			t.Fatalf("%q in %q, whose words are %q: selected %v, want %v", term, text, words, got, want)
		}
	})
}

// A run that is longer than a word is compared whole: another one may begin as it does, or end so.
func TestRuns_Long(t *testing.T) {
	t.Parallel()
	const run = "abcdefghijklmnopqrst"
	for _, term := range []string{run, run + " x", "x " + run} {
		for _, text := range []string{term, run[:15] + "xxxxx" + term[len(run):], "xxxxx" + term[5:]} {
			if got, want := selects(t, inTexts(term), wordsOf(t, text), text), text == term; got != want {
				t.Errorf("%q in %q: selected %v", term, text, got)
			}
		}
	}
}

// wordsOf returns what the document of a filing with that owner has in document.RunsField.
func wordsOf(t failing, owner string) []string {
	f := &index.Filing{ID: 1}
	f.SetText(index.Owner, owner)
	data, _ := document.Append(nil, f)
	var d struct{ X struct{ Runs string } }
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatalf("%v", err)
	}
	return strings.Fields(d.X.Runs)
}

type failing interface{ Fatalf(string, ...any) }

// selects evaluates a clause of inTexts.
func selects(t failing, clause Object, words []string, text string) bool {
	for kind, of := range clause {
		switch of := of.(Object); kind {
		case "bool":
			return !slices.ContainsFunc(of["filter"].([]Object), func(c Object) bool { return !selects(t, c, words, text) })
		case "term":
			return slices.Contains(words, of[document.RunsField].(Object)["value"].(string))
		case "prefix":
			start := of[document.RunsField].(Object)["value"].(string)
			return slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, start) })
		case "match_phrase":
			return strings.Contains(text, of[document.TextField].(Object)["query"].(string))
		}
	}
	t.Fatalf("no clause of inTexts: %v", clause)
	return false
}
