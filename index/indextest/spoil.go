package indextest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
)

// Spoil returns a record as a search server could give it that does not give back what it was sent: with members in another
// order, dropped, doubled, of other names, with values inside of others, with white space, or cut off. Some it leaves as they
// are.
func Spoil(r index.Record, random *rand.Rand) (index.Record, error) {
	members, err := membersOf(r)
	if err != nil {
		return nil, err
	}
	i, j := random.IntN(len(members)), random.IntN(len(members))
	open, between := "{", ","
	switch random.IntN(12) {
	case 0:
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	case 1:
		members[i], members[j] = members[j], members[i]
	case 2:
		slices.SortFunc(members, bytes.Compare)
	case 3:
		members = slices.Delete(members, i, i+1)
	case 4:
		members = slices.Delete(members, min(i, j), max(i, j))
	case 5:
		members = slices.Insert(members, i, members[j])
	case 6:
		members[i] = append(slices.Clip(members[i]), append([]byte{','}, members[j]...)...)
	case 7: // into the value of another
		name, _, _ := bytes.Cut(members[i], []byte(":"))
		list := "%s:[%s]"
		if bytes.Equal(name, []byte(`"categories"`)) { // a list of texts is what it has
			list = "%s:[[%s]]"
		}
		members[i] = fmt.Appendf(nil, list, name, bytes.Replace(members[j], []byte(":"), []byte(","), 1))
	case 8:
		name, _, _ := bytes.Cut(members[i], []byte(":"))
		members[i] = fmt.Appendf(nil, "%s:{%s}", name, members[j])
	case 9:
		open, between = "{ ", ", "
	case 10:
		return append(slices.Clone(r[:random.IntN(len(r))]), '}'), nil
	}
	return fmt.Appendf(nil, "%s%s}", open, bytes.Join(members, []byte(between))), nil
}

// membersOf returns the members of a record, each with its name.
func membersOf(r index.Record) (members [][]byte, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(r), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		member := append(slices.Clone(name), ':')
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		members = append(members, append(member, value...))
	}
	return members, nil
}
