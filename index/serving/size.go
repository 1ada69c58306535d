package serving

import "filings/index"

const sliceBytes, textBytes, timeBytes = 24, 16, 24 // headers of a slice and of a string; a time.Time

const cutBytes = 3 * 8 // where a record is cut for each tier

func sizeOfPage(page index.Page) int {
	n := sliceBytes + textBytes + len(page.End) + 16
	for _, r := range page.Records {
		n += len(r) + sliceBytes + cutBytes
	}
	return n
}

func sizeOfTexts(texts []string) int {
	n := 0
	for _, s := range texts {
		n += len(s) + textBytes
	}
	return n
}

func sizeOfCounties(counties []index.CountyStats) int {
	n := 0
	for _, c := range counties {
		n += len(c.County) + len(c.FirstFilingDate) + len(c.LastFilingDate) + 3*textBytes + 6*8 + timeBytes
	}
	return n
}

func sizeOfGroups(groups index.Groups) int {
	n := 8 + sliceBytes
	for _, g := range groups.List {
		n += len(g.Keys[0]) + len(g.Keys[1]) + 2*textBytes + 5*8
	}
	return n
}

func sizeOfOwners(page index.Owners) int {
	n := 8 + sliceBytes
	for _, p := range page.List {
		n += len(p.Name) + len(p.FirstFilingDate) + len(p.LastFilingDate) + 3*textBytes + 4*8 + sliceBytes
		for _, c := range p.Counties {
			n += len(c.County) + textBytes + 8
		}
	}
	return n
}
