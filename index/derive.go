package index

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"filings/index/address"
)

// Derived are the values that queries need and a filing implies. Text is folded, ready to be
// compared.
type Derived struct {
	Owner         string // folded Owner
	County        string // folded County
	CountyName    string // folded County without its state
	State         string // of County
	City          string // folded city (rule P7), "" where there is none
	WrittenCity   string // the city as written
	ZIP           string // five digits (rule X54), "" where there is none
	Month         string // YYYY-MM, "" without a FilingDate
	Year          string // YYYY, "" without a FilingDate
	EquityPercent float64
	HasEquity     bool
	PropertyData  bool      // at least one pro field is present
	Trust, Estate bool      // by the words of Owner (rule A2)
	Search        [3]string // SearchText of owner, address and case number, "" where missing; not of the county
}

// Derive computes the derived values of f.
func Derive(f *Filing) Derived {
	d := Derived{Owner: Fold(f.Text(Owner)), County: Fold(f.Text(County))}
	d.WrittenCity, d.ZIP = place(f)
	d.City = Fold(d.WrittenCity)
	_, d.State = SplitCounty(f.Text(County))
	d.CountyName, _ = SplitCounty(d.County)
	if date := f.Text(FilingDate); date != "" {
		d.Month, d.Year = date[:7], date[:4]
	}
	d.EquityPercent, d.HasEquity = equityPercent(f)
	for field := ID; field < numFields && !d.PropertyData; field++ {
		d.PropertyData = fields[field].Tier == Pro && f.Has(field)
	}
	d.Trust, d.Estate = ownerKind(d.Owner)
	d.Search = [...]string{Squeeze(d.Owner), SearchText(f.Text(PropertyAddress)), SearchText(f.Text(CaseNumber))}
	return d
}

// place returns the city and the ZIP code of f: as loaded, or as its address ends with them.
func place(f *Filing) (city, zip string) {
	city, zip = endOf(f.Text(PropertyAddress))
	if loaded := Trim(f.Text(City)); loaded != "" {
		city = loaded
	}
	if loaded := zipOf(Trim(f.Text(ZIP))); loaded != "" {
		zip = loaded
	}
	return city, zip
}

// endOf reads the city and ZIP code at the end of an address (rules P7, X54 and X66): "…, CITY, FL
// 32801", "…, CITY, FL, 32801", "…, CITY FL 32801", "…, CITY FL, 32801", the first two also without
// the ZIP code. A line break separates as a comma does. No city begins with a digit, or is the
// first part of the address: that is a street.
func endOf(address string) (city, zip string) {
	rest, part := cutPart(address)
	if rest != "" {
		if zip = zipOf(part); zip != "" {
			rest, part = cutPart(rest)
		}
	}
	city, state := cutWord(part)
	if code := zipOf(state); code != "" && zip == "" {
		if city, state = cutWord(city); IsState(strings.ToUpper(state)) {
			zip = code
		}
	} else if city != "" && zip == "" { // "ELM ST FL"
		return "", ""
	}
	if !IsState(strings.ToUpper(state)) {
		return "", zip
	}
	if city == "" {
		rest, city = cutPart(rest)
	}
	if rest == "" || strings.IndexFunc(city, unicode.IsDigit) == 0 {
		return "", zip
	}
	return city, zip
}

// cutPart cuts the last part off an address. rest is "" if that was the first one.
func cutPart(address string) (rest, part string) {
	trimmed := func(s string) string { return Trim(strings.TrimRight(s, separators+" \t")) }
	address = trimmed(address)
	i := strings.LastIndexAny(address, separators)
	return trimmed(address[:max(i, 0)]), Trim(address[i+1:])
}

const separators = ",\n\r"

// cutWord cuts the last word off a part.
func cutWord(part string) (rest, word string) {
	i := strings.LastIndexFunc(part, unicode.IsSpace)
	return Trim(part[:max(i, 0)]), Trim(part[max(i, 0):])
}

// zipOf returns the five digits of a ZIP code, after which four more may stand; "" if s isn't one.
func zipOf(s string) string {
	s = Typed(s)
	digits := strings.Replace(s, "-", "", 1)
	if len(s) < 5 || len(digits) != 5 && len(digits) != 9 || strings.Trim(digits, "0123456789") != "" ||
		s[:5] != digits[:5] {
		return ""
	}
	return s[:5]
}

// AddressKeyOf returns the key of an address (rule X55), the zero Key where it has none. city and
// state are those of its record, "" for none.
func AddressKeyOf(text, city, state string) address.Key {
	return address.Parser{Plain: PlainText, IsState: IsState}.KeyOf(Typed(text), city, state)
}

// AddressPatterns returns the patterns of the addresses that have all parts of one that a client
// names, or has the key of; nil where it has no house number.
func AddressPatterns(text string) []string {
	patterns := AddressKeyOf(text, "", "").Patterns()
	if PlainText(text) != strings.NewReplacer("-", " ", "/", " ").Replace(text) { // which a key is, but for its number
		return patterns
	}
	for _, pattern := range address.OfText(text).Patterns() {
		if !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// FormerAddressKeyOf returns the key that an address had before rule X61.
func FormerAddressKeyOf(text, city, state string) address.Key {
	return address.Parser{Plain: FormerText, IsState: IsState}.KeyOf(text, city, state)
}

// AddressWord returns the word of the address of f (package address), by which its filings are
// found; "" if it has no key, or one that nobody would write. d has the derived values of f.
func (d *Derived) AddressWord(f *Filing) string {
	k := AddressKeyOf(f.Text(PropertyAddress), d.WrittenCity, d.State)
	k.ZIP = cmp.Or(d.ZIP, k.ZIP)
	if word := k.Word(); len(word) <= MaxAddress {
		return word
	}
	return ""
}

// MaxAddress is how many bytes the word of an address has at the most.
const MaxAddress = 1_000

// equityPercent is homeEquityEstimate / estimatedValue * 100, rounded to four decimals, half away
// from zero. It is computed on the decimals as written, so that a tie is a tie: 1.00005 is not a
// little less in binary. A quotient that no float64 holds becomes the largest one, since engines
// take finite numbers only.
func equityPercent(f *Filing) (float64, bool) {
	equity, ok1 := f.Number(HomeEquityEstimate)
	value, ok2 := f.Number(EstimatedValue)
	if !ok1 || !ok2 || value == 0 {
		return 0, false
	}
	r := new(big.Rat).Quo(decimal(equity), decimal(value))
	p, _ := strconv.ParseFloat(r.Mul(r, big.NewRat(100, 1)).FloatString(4), 64)
	return max(-math.MaxFloat64, min(math.MaxFloat64, p)), true
}

// decimal returns the shortest decimal that reads back as v, exactly.
func decimal(v float64) *big.Rat { return Decimal{Nearest: v}.fraction() }

// ownerKind tells trusts and estates by whole words of an owner's folded name (rule A2).
func ownerKind(owner string) (trust, estate bool) {
	words := strings.FieldsFunc(owner, func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	var realEstate, company bool
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "trust", "trusts", "trustee", "trustees", "ttee":
			trust = true
		case "tr":
			trust = trust || i == len(words)-1
		case "estate":
			if i > 0 && words[i-1] == "real" {
				realEstate = true
			} else {
				estate = true
			}
		case "est":
			estate = estate || next == "of"
		case "heirs":
			estate = true
		case "llc", "inc", "corp", "lp", "ltd":
			company = true
		}
	}
	return trust, estate || realEstate && !company
}
