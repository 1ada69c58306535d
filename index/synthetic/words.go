package synthetic

// Lists of words. Adding to one changes what every seed makes, and with it the golden hash of the tests.
type words struct {
	given, roots, endings, colors          []string
	streets, townEndings                   []string
	trades, filingTypes, holders, statuses []string
	propertyTypes                          []string
}

func newWords() words {
	return words{
		given: []string{"Alex", "Jordan", "Taylor", "Morgan", "Casey", "Riley", "Avery", "Quinn", "Rowan", "Sage", "Robin",
			"Jamie", "Sydney", "Marion", "Leslie", "Francis", "Ellis", "Skyler", "Reese", "Noël", "Hayden", "Kerry", "Dana", "Lee"},
		roots: []string{"Ash", "Birch", "Cedar", "Elm", "Fern", "Hazel", "Juniper", "Laurel", "Maple", "Oak", "Pine", "Willow",
			"Heather", "Clover", "Thistle", "Alder", "Linden", "Rowan", "Medlar", "Quince", "Señor", "Köhl"},
		endings: []string{"bank", "brook", "dale", "field", "ford", "gate", "ham", "hill", "hurst", "land", "ley", "more",
			"stead", "ton", "wood", "worth"},
		colors:  []string{"Amber", "Blue", "Copper", "Golden", "Green", "Grey", "Ivory", "Red", "Silver", "White"},
		streets: []string{"St", "Ave", "Rd", "Ln", "Ct", "Dr", "Blvd", "Way", "Ter", "Pl"},
		townEndings: []string{" Springs", " Grove", " Falls", "ville", "bury", " Harbor", " Heights", "mere", " Crossing",
			" Park"},
		trades: []string{"Holdings", "Homes", "Properties", "Builders", "Investments", "Rentals", "Land", "Development"},
		// The first ones are the most frequent.
		filingTypes: []string{"Tax Lien", "Tax Lien", "Tax Lien", "Tax Lien", "Tax Lien", "Municipal Lien", "Municipal Lien",
			"Judgment Lien", "Judgment Lien", "Mechanics Lien", "HOA Lien", "Federal Tax Lien", "State Tax Lien",
			"Code Enforcement Lien", "Hospital Lien", "Lis Pendens"},
		holders: []string{"County Tax Collector", "County Clerk", "Utilities Department", "Code Enforcement Board",
			"Certificate Fund LLC", "Homeowners Association"},
		// Active ones, as FILINGS_ACTIVE_FORECLOSURE_STATUSES has them by default, then others.
		statuses: []string{"Active", "Pre-Foreclosure", "Lis Pendens", "Notice of Default", "Notice of Sale", "Auction",
			"Released", "Cancelled", "Sold", "Bank Owned"},
		propertyTypes: []string{"SFR", "CND", "TWH", "MFR", "COM", "LND", "MOB"},
	}
}

// ownerForms are the forms of owners' names by kind: $S is a surname, $G and $H given names, $I an initial, $T a trade.
// Trusts and estates use every word of rule A2, companies those that must not be taken for them.
type ownerForms struct{ people, trusts, estates, companies []string }

func newOwnerForms() ownerForms {
	return ownerForms{
		people: []string{"$S $G $I", "$S $G", "$S $G $I", "$S $G & $H", "$G $S"},
		trusts: []string{"$S FAMILY TRUST", "$G $S LIVING TRUST", "$S $G TR", "$S $G TTEE", "$S $G TRUSTEE",
			"$S $G & $H TRUSTEES", "$S CHARITABLE TRUSTS", "$S $G TRUSTEE OF THE ESTATE OF $H $S"},
		estates: []string{"ESTATE OF $G $S", "EST OF $G $S", "$S $G ESTATE", "HEIRS OF $G $S", "$S $G HEIRS & DEVISEES",
			"$S REAL ESTATE"},
		companies: []string{"$S $T LLC", "$S $T INC", "$S $T CORP", "$S $T LP", "$S & SONS LTD", "$S REAL ESTATE LLC",
			"$S REAL ESTATE CORP", "$S ESTATES LLC", "$S TRUSTY $T INC", "FIRST $S BANK"},
	}
}
