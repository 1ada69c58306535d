package synthetic

import (
	"bytes"
	"strings"

	"filings/index"
)

// owner draws an owner: one of a few thousand who come back, or any of very many.
func (g *Generator) owner() string {
	d := &g.dice
	number := uint64(d.early(1 + d.early(8_000)))
	if d.permille(600) {
		number = d.source.Uint64()
	}
	return g.ownerNamed(number)
}

// ownerNamed writes the name of the owner with a number, always the same one.
func (g *Generator) ownerNamed(number uint64) string {
	d := newDice(number)
	form := g.forms.people
	switch n := d.below(100); {
	case n < 9:
		form = g.forms.trusts
	case n < 14:
		form = g.forms.estates
	case n < 26:
		form = g.forms.companies
	}
	g.buf = g.buf[:0]
	surname := pick(&d, g.words.roots) + pick(&d, g.words.endings)
	f := pick(&d, form)
	for i := 0; i < len(f); i++ {
		if f[i] != '$' {
			g.buf = append(g.buf, f[i])
			continue
		}
		i++
		switch f[i] {
		case 'S':
			g.buf = append(g.buf, surname...)
		case 'G', 'H':
			g.buf = append(g.buf, pick(&d, g.words.given)...)
		case 'I':
			g.buf = append(g.buf, 'A'+byte(d.below(26)))
		case 'T':
			g.buf = append(g.buf, pick(&d, g.words.trades)...)
		}
	}
	if d.permille(850) { // most counties write in capitals
		g.buf = bytes.ToUpper(g.buf)
	}
	return string(g.buf)
}

// contacts sets the owner's phone numbers and e-mail addresses, at least one of them.
func (g *Generator) contacts(f *index.Filing) {
	d := &g.dice
	f.SetText(index.OwnerPhonePrimary, g.phone())
	if d.permille(400) {
		f.SetText(index.OwnerPhoneSecondary, g.phone())
	}
	if d.permille(600) {
		f.SetText(index.OwnerEmailPrimary, g.email("@example.com"))
	}
	if d.permille(200) {
		f.SetText(index.OwnerEmailSecondary, g.email("@example.org"))
	}
}

// phone draws a number out of those that are kept for fiction.
func (g *Generator) phone() string {
	n := g.dice.below(100)
	area := g.dice.from(201, 989)
	g.buf = append(g.buf[:0], '(', byte('0'+area/100), byte('0'+area/10%10), byte('0'+area%10))
	g.buf = append(append(g.buf, ") 555-01"...), byte('0'+n/10), byte('0'+n%10))
	return string(g.buf)
}

func (g *Generator) email(domain string) string {
	d := &g.dice
	name := strings.ToLower(pick(d, g.words.roots[:12]))
	g.buf = append(append(g.buf[:0], name...), pick(d, g.words.endings)...)
	g.buf = append(g.buf, '.', byte('a'+d.below(26)), byte('0'+d.below(10)), byte('0'+d.below(10)))
	return string(append(g.buf, domain...))
}
