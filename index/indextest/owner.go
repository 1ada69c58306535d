package indextest

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"filings/index"
)

// ownerForms are the legal forms of rule X25 by how many words they have, each before what it becomes.
var ownerForms = [...][]string{
	4: {"l l l p", "lllp", "p l l c", "pllc"},
	3: {"limited liability company", "llc", "limited liability co", "llc", "limited liability comp", "llc", "ltd liability co", "llc",
		"ltd liability company", "llc", "ltd liability comp", "llc", "l l c", "llc", "limited liability partnership", "llp", "l l p", "llp",
		"p l c", "plc"},
	2: {"limited partnership", "lp", "l p", "lp", "p c", "pc", "p a", "pa", "n a", "na"},
	1: {"llc", "llc", "incorporated", "inc", "incorp", "inc", "inc", "inc", "corporation", "corp", "corp", "corp", "company", "co", "co", "co",
		"comp", "co", "limited", "ltd", "ltd", "ltd", "lp", "lp", "llp", "llp", "lllp", "lllp", "pllc", "pllc", "plc", "plc", "pc", "pc",
		"pa", "pa", "na", "na", "association", "assn", "assoc", "assn", "assn", "assn", "trust", "trust", "trst", "trust",
		"trustee", "trustee", "trustees", "trustee", "ttee", "trustee", "trs", "trustee"},
}

// ownerReplacers replace legal forms, those of most words first.
var ownerReplacers = func() (all []*strings.Replacer) {
	for words := len(ownerForms) - 1; words > 0; words-- {
		var pairs []string
		for i := 0; i < len(ownerForms[words]); i += 2 {
			pairs = append(pairs, worded(ownerForms[words][i]), " ="+ownerForms[words][i+1]+" ")
		}
		all = append(all, strings.NewReplacer(pairs...))
	}
	return all
}()

// ownerKey is index.OwnerKey in another way: by replacing within the text, in which a blank stands on both sides of each word.
func ownerKey(name string) string {
	var written strings.Builder
	count := 0
	acutes := strings.NewReplacer("´", "'", "\u1ffd", "'") // else they become a blank
	for _, r := range norm.NFKD.String(acutes.Replace(name)) {
		if unicode.In(r, unicode.M, unicode.Cf) || strings.ContainsRune("'`‘’ʻʼ′", r) {
			continue
		}
		if count++; count > index.MaxText {
			break
		}
		switch r = unicode.ToLower(r); {
		case r == '&' || r == '+':
			written.WriteString(" and ")
		case r == ',' || unicode.IsLetter(r) || unicode.IsDigit(r):
			written.WriteRune(r)
		default:
			written.WriteByte(' ')
		}
	}
	text := norm.NFC.String(written.String())
	plain := worded(strings.ReplaceAll(text, ",", " "))
	key := plain
	for _, replacer := range ownerReplacers {
		key = replacer.Replace(key)
	}
	if before, ok := strings.CutSuffix(key, " tr "); ok {
		key = before + " =trust "
	}
	before, after, one := strings.Cut(text, ",")
	person := one && !strings.Contains(after, ",") && !strings.Contains(key, "=") && strings.TrimSpace(after) != ""
	for _, word := range []string{"and", "estate", "bank", "church", "city", "county", "of"} {
		person = person && !strings.Contains(plain, worded(word))
	}
	if n := len(strings.Fields(before)); person && (n == 1 || n == 2) {
		key = after + " " + before
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(key, "=", "")), " ")
}

// worded puts a blank on both sides of each word.
func worded(text string) string {
	var all strings.Builder
	for _, word := range strings.Fields(text) {
		all.WriteString(" " + word + " ")
	}
	return all.String()
}

// addressKey is the key of e's address as clients see it.
func (e *Entry) addressKey() string {
	parts := strings.Split(e.address, "\x00")
	if len(parts) == 1 {
		return ""
	}
	var key []string
	for i, part := range parts {
		switch {
		case i == 1 && part != "":
			key = append(key, "unit "+strings.Join(strings.Split(part, " "), ", unit "))
		case part != "" && (i < 3 || parts[2] == ""):
			key = append(key, part)
		}
	}
	return strings.Join(key, ", ")
}
