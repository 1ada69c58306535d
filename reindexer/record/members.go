package record

import "filings/index"

// deletedBit stands for deletedName in draft.named, beyond those of fields.
const deletedBit = 63

// set takes the value of a member.
func (d *draft) set(name string, v *value) {
	if field, ok := index.ByName(name); ok {
		if d.first(uint(field), name) && !v.missing() {
			d.setField(field, v)
		}
		return
	}
	if name == deletedName {
		if d.first(deletedBit, name) && !v.missing() {
			d.setDeleted(v)
		}
		return
	}
	d.setOther(name)
}

// first notes that a known name appeared, and fails where it did before.
func (d *draft) first(bit uint, name string) bool {
	if d.named&(1<<bit) != 0 {
		d.fail(name, "appears twice")
		return false
	}
	d.named |= 1 << bit
	return true
}

func (d *draft) setDeleted(v *value) {
	switch {
	case !d.rules.Update:
		d.fail(deletedName, "is for updates: what a full load, or --replace, does not bring is gone")
	case v.fault != "":
		d.fail(deletedName, v.fault)
	case v.kind != kindBool:
		d.fail(deletedName, v.describe()+" is neither true nor false")
	default:
		d.result.Deleted = v.text == "true"
	}
}

// setOther takes a name that no field has (rule L2).
func (d *draft) setOther(name string) {
	if _, twice := d.others[name]; twice {
		d.fail(abbreviate(name), "appears twice")
		return
	}
	if d.others == nil {
		d.others = map[string]struct{}{}
	}
	d.others[name] = struct{}{}
	if d.rules.Strict {
		d.fail(abbreviate(name), "is not the name of a field")
	}
	d.rules.Ignored.add(name)
}

// finish checks what concerns the record as a whole, after all of its values were set.
func (d *draft) finish() {
	f := d.filing
	if f.ID == 0 {
		d.fail(index.ID.String(), "is missing")
	}
	if d.result.Deleted {
		return
	}
	if f.Text(index.County) == "" {
		d.fail(index.County.String(), "is missing")
	}
	d.needs(index.Latitude, index.Longitude)
	d.needs(index.Longitude, index.Latitude)
}

// needs fails if there is the one without the other.
func (d *draft) needs(other, one index.Field) {
	if d.filing.Has(one) && !d.filing.Has(other) {
		d.fail(other.String(), "is missing, but there is a "+one.String())
	}
}
