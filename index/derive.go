package index

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Derived is what is computed from a filing to answer queries about it. Text is folded, ready to be compared.
type Derived struct {
	Owner         string // folded Owner
	County        string // folded County
	CountyName    string // folded County without its state
	State         string // of County
	City          string // folded city (rule P7), "" where there is none
	WrittenCity   string // the city as written
	Month         string // YYYY-MM, "" without a FilingDate
	Year          string // YYYY, "" without a FilingDate
	EquityPercent float64
	HasEquity     bool
	PropertyData  bool      // at least one pro field is present
	Trust, Estate bool      // what the words of Owner say that it is (rule A2)
	Search        [3]string // SearchText of owner, address and case number, "" where missing; not of the county
}

// Derive computes what f's values imply.
func Derive(f *Filing) Derived {
	d := Derived{Owner: Fold(f.Text(Owner)), County: Fold(f.Text(County)), WrittenCity: city(f)}
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

var stateZIP = regexp.MustCompile(`^[A-Za-z]{2}([ ]+[0-9]{5}(-[0-9]{4})?)?$`)

func city(f *Filing) string {
	if c := strings.TrimSpace(f.Text(City)); c != "" {
		return c
	}
	parts := strings.Split(f.Text(PropertyAddress), ",")
	n := len(parts)
	if n < 2 || !stateZIP.MatchString(strings.TrimSpace(parts[n-1])) {
		return ""
	}
	return strings.TrimSpace(parts[n-2])
}

// equityPercent is homeEquityEstimate / estimatedValue * 100, rounded to four decimals, half away from zero. It is
// computed on the decimals as written, so that a tie is a tie: 1.00005 is not a little less in binary. A quotient that no
// float64 holds becomes the largest one, since engines take finite numbers only.
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

// ownerKind finds out by whole words of an owner's name, folded, whether it is a trust, an estate, or both (rule A2).
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
