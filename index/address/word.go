package address

import (
	"cmp"
	"slices"
	"strings"
)

// separator stands between the parts of a word, and anything for each text of a part in a pattern.
// No part has them.
const separator, anything = "\x00", "*"

// Word returns k as one text, by which engines find its filings: number and street, unit, ZIP, city
// and state; "" for the zero Key.
func (k Key) Word() string {
	if k.Number == "" {
		return ""
	}
	return join(k.Unit, k.ZIP, k.City, k.State, k)
}

func join(unit, zip, city, state string, k Key) string {
	return k.Number + " " + k.Street + separator + unit + separator + zip + separator + city + separator + state
}

// Patterns returns patterns of the words that have all parts of k; nil for the zero Key. Where k
// has a ZIP and a city, a word has this ZIP, or no ZIP and this city.
func (k Key) Patterns() []string {
	part := func(text string) string { return cmp.Or(text, anything) }
	unit, city, state := part(k.Unit), part(k.City), part(k.State)
	switch {
	case k.Number == "":
		return nil
	case k.ZIP == "" || k.City == "":
		return []string{join(unit, part(k.ZIP), city, state, k)}
	}
	return []string{join(unit, k.ZIP, anything, anything, k), join(unit, "", city, state, k)}
}

// Terms returns the parts of a word, each behind the number of its place: a filing is found by
// them. Of a pattern it returns those that are not any text, so a pattern matches the words that
// have all its terms.
func Terms(pattern string) (terms []string) {
	if pattern == "" {
		return nil
	}
	place := '0'
	for part := range strings.SplitSeq(pattern, separator) {
		if part != anything {
			terms = append(terms, string(place)+part)
		}
		place++
	}
	return terms
}

// Matches reports whether a word matches a pattern.
func Matches(pattern, word string) bool {
	return slices.EqualFunc(strings.Split(pattern, separator), strings.Split(word, separator),
		func(part, text string) bool { return part == anything || part == text })
}

// Text returns the key of a word as clients see it: without the city if it has a ZIP; "" for "".
func Text(word string) string {
	parts := strings.Split(word, separator)
	if len(parts) < 5 {
		return ""
	}
	text := parts[0]
	for unit := range strings.FieldsSeq(parts[1]) {
		text += ", " + unitName + unit
	}
	place := parts[2:3]
	if place[0] == "" {
		place = parts[3:]
	}
	for _, name := range place {
		if name != "" {
			text += ", " + name
		}
	}
	return text
}

// OfText returns the key whose Text a text is, the zero Key where it is none. KeyOf may read it in
// another way: at its end "ct" is a state, and a city follows a suffix.
func OfText(text string) (k Key) {
	parts := strings.Split(text, ", ")
	k.Number, k.Street, _ = strings.Cut(parts[0], " ")
	parts = parts[1:]
	var units []string
	for len(parts) > 0 && strings.HasPrefix(parts[0], unitName) {
		units, parts = append(units, parts[0][len(unitName):]), parts[1:]
	}
	k.Unit = strings.Join(units, " ")
	if n := len(parts); n == 1 && len(parts[0]) == 5 && isDigits(parts[0]) {
		k.ZIP = parts[0]
	} else if n > 0 {
		k.City, k.State = strings.Join(parts[:n-1], ", "), parts[n-1]
	}
	if Text(k.Word()) != text || text == "" || !isDigits(text[:1]) {
		return Key{}
	}
	return k
}

const unitName = "unit "

// forms are the possible meanings of a word, as a key has them; "" for others.
type forms struct{ direction, ordinal, suffix, town, unit, lone string }

// formsOf returns the forms of a word in lower case.
func formsOf(word string) *forms {
	if f := known[word]; f != nil {
		return f
	}
	return &noForms
}

// IsShort reports whether a word may stand in a key for another one.
func IsShort(word string) bool {
	f := formsOf(word)
	return cmp.Or(f.direction, f.ordinal, f.suffix, f.town, f.unit) != ""
}

var noForms forms

// known are the forms of the words of all tables: of each row of a table the first word.
var known = func() map[string]*forms {
	table := map[string]*forms{}
	for rows, form := range map[string]func(*forms) *string{
		directions: func(f *forms) *string { return &f.direction },
		ordinals:   func(f *forms) *string { return &f.ordinal },
		suffixes:   func(f *forms) *string { return &f.suffix },
		townWords:  func(f *forms) *string { return &f.town },
		units:      func(f *forms) *string { return &f.unit },
		loneUnits:  func(f *forms) *string { return &f.lone },
	} {
		for row := range strings.SplitSeq(rows, ";") {
			words := strings.Fields(row)
			for _, w := range words {
				if table[w] == nil {
					table[w] = new(forms)
				}
				*form(table[w]) = words[0]
			}
		}
	}
	return table
}()

const directions = "n north;s south;e east;w west;ne northeast;nw northwest;se southeast;sw southwest"

const ordinals = "" +
	"1st first;2nd second;3rd third;4th fourth;5th fifth;6th sixth;7th seventh;8th eighth;9th ninth;" +
	"10th tenth;11th eleventh;12th twelfth;13th thirteenth;14th fourteenth;15th fifteenth;" +
	"16th sixteenth;17th seventeenth;18th eighteenth;19th nineteenth;20th twentieth"

// townWords are those that names of cities begin with.
const townWords = "saint st;sainte ste;fort ft;mount mt"

// units are the designators of units with a number or a letter, loneUnits those that stand alone.
const (
	units     = "unit apt apartment ste suite lot bldg building fl floor rm room spc space trlr trailer"
	loneUnits = "bsmt basement;frnt front;lowr lower;ph penthouse;rear;uppr upper"
)

// suffixes are those of streets, of Appendix C1.
const suffixes = "" +
	"aly alley allee ally;anx anex annex annx;arc arcade;ave av aven avenu avenue avn avnue;" +
	"byu bayou bayoo;bch beach;bnd bend;blf bluf bluff;blfs bluffs;btm bot bottm bottom;" +
	"blvd boul boulevard boulv;br branch brnch;brg brdge bridge;brk brook;brks brooks;bg burg;" +
	"byp bypa bypas bypass byps;cp camp cmp;cyn canyn canyon cnyn;cpe cape;cswy causeway causwa;" +
	"ctr cen cent center centr centre cnter cntr;ctrs centers;cir circ circl circle crcl crcle;" +
	"cirs circles;clf cliff;clfs cliffs;clb club;cmn common;cor corner;cors corners;crse course;" +
	"ct court crt;cts courts;cv cove;cvs coves;crk creek;cres crescent crsent crsnt;crst crest;" +
	"xing crossing crssng;xrd crossroad;curv curve;dl dale;dm dam;dv div divide dvd;" +
	"dr driv drive drv;drs drives;est estate;ests estates;expy exp expr express expressway expw;" +
	"ext extension extn extnsn;fall;fls falls;fry ferry frry;fld field;flds fields;flt flat;" +
	"flts flats;frd ford;frst forest forests;frg forg forge;frk fork;frks forks;" +
	"fwy freeway freewy frway frwy;gdn garden gardn grden grdn;gdns gardens grdns;" +
	"gtwy gateway gatewy gatway gtway;gln glen;grn green;grv grov grove;hbr harb harbor harbr hrbor;" +
	"hvn haven;hts ht heights;hwy highway highwy hiway hiwy hway;hl hill;hls hills;" +
	"holw hllw hollow hollows holws;inlt inlet;is island islnd;iss islands islnds;isle isles;" +
	"jct jction jctn junction junctn juncton;knl knol knoll;knls knolls;lk lake;lks lakes;" +
	"lndg landing lndng;ln lane;lgt light;lf loaf;lck lock;lcks locks;ldg ldge lodg lodge;loop loops;" +
	"mall;mnr manor;mnrs manors;mdw meadow;mdws meadows medows;mews;ml mill;mls mills;" +
	"msn mission missn mssn;mtwy motorway;mtn mntain mntn mountain mountin mtin;nck neck;" +
	"orch orchard orchrd;oval ovl;opas overpass;park prk parks;" +
	"pkwy parkway parkwy pkway pky parkways pkwys;pass;psge passage;path paths;pike pikes;pne pine;" +
	"pnes pines;pl place;pln plain;plns plains;plz plaza plza;pt point;pts points;prt port;" +
	"prts ports;pr prairie prr;radl rad radial radiel;ramp;rnch ranch ranches rnchs;rpd rapid;" +
	"rpds rapids;rst rest;rdg rdge ridge;rdgs ridges;riv river rvr rivr;rd road;rds roads;rte route;" +
	"row;rue;run;shl shoal;shls shoals;shr shoar shore;shrs shoars shores;skwy skyway;" +
	"spg spng spring sprng;spgs spngs springs sprngs;spur spurs;sq sqr sqre squ square;" +
	"sqs sqrs squares;sta station statn stn;stra strav straven stravenue stravn strvn strvnue;" +
	"strm stream streme;st street strt str;sts streets;smt sumit sumitt summit;ter terr terrace;" +
	"trwy throughway;trce trace traces;trak track tracks trk trks;trfy trafficway;" +
	"trl trail trails trls;tunl tunel tunls tunnel tunnels tunnl;tpke trnpk turnpike turnpk;" +
	"upas underpass;un union;vly vally valley vlly;vlys valleys;via vdct viadct viaduct;vw view;" +
	"vws views;vlg vill villag village villg villiage;vlgs villages;vl ville;vis vist vista vst vsta;" +
	"walk walks;wall;wy;way;ways;wl well;wls wells"
