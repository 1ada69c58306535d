package record

import "filings/index"

func (d *draft) setDeleted(v *value) {
	switch {
	case !d.rules.Update:
		d.fail(deletedName, "is only for --update; a full load or --replace already removes filings that the source lacks")
	case v.fault != "":
		d.fail(deletedName, v.fault)
	case v.kind != kindBool:
		d.fail(deletedName, v.describe()+" is neither true nor false")
	default:
		d.result.Deleted = v.text == "true"
	}
}

// setOthers takes the names that no field has (rule L2).
func (d *draft) setOthers(object map[string]any) {
	first := "" // of the alphabet: a map has no order
	for name := range object {
		if _, known := index.ByName(name); known || name == deletedName {
			continue
		}
		d.rules.Ignored.add(name)
		if first == "" || name < first {
			first = name
		}
	}
	if d.rules.Strict {
		d.fail(abbreviate(first), "is not the name of a field")
	}
}

// finish checks the rules of the record as a whole, after all of its values were set.
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

// needs fails if there is field without needed.
func (d *draft) needs(needed, field index.Field) {
	if d.filing.Has(field) && !d.filing.Has(needed) {
		d.fail(needed.String(), "is missing, but there is a "+field.String())
	}
}
