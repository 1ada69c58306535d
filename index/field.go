package index

import "strings"

// Tier says from which account tier on a field is returned. Higher tiers include the lower ones.
type Tier uint8

const (
	Free Tier = iota
	Pro
	Enterprise
	// Hidden fields are loaded or derived, can be filtered by, and are never returned.
	Hidden
)

// String returns the name of t as accounts have it.
func (t Tier) String() string { return [...]string{"free", "pro", "enterprise", "hidden"}[t] }

// Kind is the form of a field's values.
type Kind uint8

const (
	KindID         Kind = iota // integer from 1 to 2^63-1
	KindCounty                 // text "<County>, <ST>", ST two capital letters
	KindText                   // text of at most MaxText characters
	KindLongText               // text of at most MaxLongText characters
	KindAmount                 // dollars, negative allowed, rounded to the cent when loaded
	KindNumber                 // finite number
	KindInteger                // integer, 0 or more
	KindDate                   // day "YYYY-MM-DD", years 1600 to 2999
	KindDateRange              // text "YYYY-MM-DD to YYYY-MM-DD"
	KindLatitude               // degrees in [-90, 90]
	KindLongitude              // degrees in [-180, 180]
	KindCategories             // list of the values of Categories
	KindTime                   // instant, RFC 3339 when loaded, kept in microseconds
	KindDerived                // not loaded: computed from other fields (Derive)
)

// Limits of text values, in characters: 8,000 of any script fit into a Lucene term (32,766 bytes).
const (
	MaxText     = 8_000
	MaxLongText = 100_000
)

// CategoryValues are the values that a category may have.
var CategoryValues = []string{"residential", "commercial", "multi_family", "land"}

// Field is one row of the table of fields.
type Field uint8

const (
	ID Field = iota
	County
	CaseNumber
	Owner
	PropertyAddress
	FilingType
	FilingAmount
	CurrentAmount
	FilingDate
	FilingHolder
	DateRange
	Latitude
	Longitude
	PropertyClassification
	Categories

	PropertyType
	Bedrooms
	Bathrooms
	SquareFootage
	LotSizeAcres
	YearBuilt
	EstimatedValue
	HomeEquityEstimate
	LastSaleDate
	LastSalePrice
	ForeclosureStatus
	StandardizedAddress
	AISummary

	OwnerPhonePrimary
	OwnerPhoneSecondary
	OwnerEmailPrimary
	OwnerEmailSecondary

	// Derived, and returned to clients that name them (Version.WithKeys).
	OwnerKey   // OwnerKeyOf of Owner (rule X25)
	AddressKey // of PropertyAddress, city, ZIP and State (rule X55)

	// Loaded, never returned.
	City      // as loaded, or else read from PropertyAddress (rule P7)
	ZIP       // five digits: as loaded, or else read from PropertyAddress (rule X54)
	CreatedAt // when the record was added

	// Derived, never returned.
	CountyName    // County without its state
	State         // of County (rule X54)
	Month         // YYYY-MM of FilingDate
	EquityPercent // HomeEquityEstimate in percent of EstimatedValue (rule P13)
	PropertyData  // set when at least one pro field is (rule P12)
	Trust         // set when a trust owns the property (rule A2)
	Estate        // set when an estate owns the property (rule A2)

	numFields
)

// FieldInfo describes a field.
type FieldInfo struct {
	Name   string // as in the API and in loads
	Kind   Kind
	Tier   Tier
	Signed bool // numbers only: values below 0 are allowed
	Help   string
}

// fields is the table of fields, in the order of the record. The order is by tier: see Record.
var fields = [numFields]FieldInfo{
	ID:              {"id", KindID, Free, false, "Unique number of the filing."},
	County:          {"county", KindCounty, Free, false, "County and state, as in `Orange, FL`."},
	CaseNumber:      {"caseNumber", KindText, Free, false, "Case number given by the county."},
	Owner:           {"owner", KindText, Free, false, "Owner of the property."},
	PropertyAddress: {"propertyAddress", KindText, Free, false, "Address of the property."},
	FilingType:      {"filingType", KindText, Free, false, "Type of the filing, for example `Tax Lien`."},
	FilingAmount:    {"filingAmount", KindAmount, Free, true, "Original amount, dollars."},
	CurrentAmount:   {"currentAmount", KindAmount, Free, true, "Outstanding amount, dollars."},
	FilingDate:      {"filingDate", KindDate, Free, false, "Recording date, YYYY-MM-DD."},
	FilingHolder: {"filingHolder", KindText, Free, false,
		"Holder of the filing, such as a creditor or the buyer of a tax certificate."},
	DateRange: {"dateRange", KindDateRange, Free, false,
		"Recording date range of the source, `YYYY-MM-DD to YYYY-MM-DD`."},
	Latitude:  {"geocodedLatitude", KindLatitude, Free, true, "Latitude of the property, degrees."},
	Longitude: {"geocodedLongitude", KindLongitude, Free, true, "Longitude of the property, degrees."},
	PropertyClassification: {"propertyClassification", KindText, Free, false,
		"Class of the property, for example `residential`."},
	Categories: {"categories", KindCategories, Free, false, "Categories of the property."},

	PropertyType:        {"propertyType", KindText, Pro, false, "Abbreviated type of the property, for example `SFR`."},
	Bedrooms:            {"bedrooms", KindNumber, Pro, false, "Bedrooms."},
	Bathrooms:           {"bathrooms", KindNumber, Pro, false, "Bathrooms."},
	SquareFootage:       {"squareFootage", KindNumber, Pro, false, "Living area, square feet."},
	LotSizeAcres:        {"lotSizeAcres", KindNumber, Pro, false, "Size of the lot, acres."},
	YearBuilt:           {"yearBuilt", KindInteger, Pro, false, "Year of construction."},
	EstimatedValue:      {"estimatedValue", KindNumber, Pro, false, "Estimated value, dollars."},
	HomeEquityEstimate:  {"homeEquityEstimate", KindNumber, Pro, true, "Estimated equity, dollars."},
	LastSaleDate:        {"lastSaleDate", KindDate, Pro, false, "Date of the last sale, YYYY-MM-DD."},
	LastSalePrice:       {"lastSalePrice", KindNumber, Pro, false, "Price of the last sale, dollars."},
	ForeclosureStatus:   {"foreclosureStatus", KindText, Pro, false, "Foreclosure status; null without one."},
	StandardizedAddress: {"standardizedAddress", KindText, Pro, false, "Address of the property in postal form."},
	AISummary:           {"aiSummary", KindLongText, Pro, false, "Summary of the filing."},

	OwnerPhonePrimary:   {"ownerPhonePrimary", KindText, Enterprise, false, "Owner's first phone number."},
	OwnerPhoneSecondary: {"ownerPhoneSecondary", KindText, Enterprise, false, "Owner's second phone number."},
	OwnerEmailPrimary:   {"ownerEmailPrimary", KindText, Enterprise, false, "Owner's first e-mail address."},
	OwnerEmailSecondary: {"ownerEmailSecondary", KindText, Enterprise, false, "Owner's second e-mail address."},

	OwnerKey: {"ownerKey", KindDerived, Hidden, false, "Key of the owner, which all spellings of the name share."},
	AddressKey: {"addressKey", KindDerived, Hidden, false, "Key of the address, which all spellings share: " +
		"house number, street, unit, and ZIP code or city and state."},

	City: {"city", KindText, Hidden, false, "City of the property; by default read from propertyAddress."},
	ZIP:  {"zip", KindText, Hidden, false, "ZIP code of the property; by default read from propertyAddress."},
	CreatedAt: {"createdAt", KindTime, Hidden, false,
		"When the record was added, RFC 3339; by default the start of the load."},

	CountyName:    {"countyName", KindDerived, Hidden, false, "County without its state."},
	State:         {"state", KindDerived, Hidden, false, "State of the county."},
	Month:         {"month", KindDerived, Hidden, false, "Month of filingDate, YYYY-MM."},
	EquityPercent: {"equityPercent", KindDerived, Hidden, false, "homeEquityEstimate in percent of estimatedValue."},
	PropertyData:  {"propertyData", KindDerived, Hidden, false, "Whether any pro field is present."},
	Trust:         {"trust", KindDerived, Hidden, false, "Whether the owner is a trust."},
	Estate:        {"estate", KindDerived, Hidden, false, "Whether the owner is an estate."},
}

// Info returns the row of f.
func (f Field) Info() FieldInfo { return fields[f] }

// String returns the name of f in the API.
func (f Field) String() string { return fields[f].Name }

// Fields returns all fields in the order of the record, loaded and derived ones last.
func Fields() []Field {
	listed := make([]Field, numFields)
	for i := range listed {
		listed[i] = Field(i)
	}
	return listed
}

// Loaded reports whether a load can have f.
func (f Field) Loaded() bool { return fields[f].Kind != KindDerived }

// Returned reports whether f is part of a record of tier t.
func (f Field) Returned(t Tier) bool { return fields[f].Tier <= t && fields[f].Tier != Hidden }

// IsKey reports whether clients see f only if they name it.
func (f Field) IsKey() bool { return f == OwnerKey || f == AddressKey }

// Keys are these fields.
func Keys() []Field { return []Field{OwnerKey, AddressKey} }

// FieldSet is a set of returned fields: those that a client wants of each record. ID is part of
// every set but the zero one, which stands for all fields of the tier (rule X9).
type FieldSet uint64

// SetOf returns the set of ID and these fields.
func SetOf(wanted ...Field) FieldSet {
	s := FieldSet(1) << ID
	for _, f := range wanted {
		s |= 1 << f
	}
	return s
}

// Has reports whether s has f, which the zero set has whatever it is.
func (s FieldSet) Has(f Field) bool { return s == 0 || s&(1<<f) != 0 }

// Keys reports whether s names a key.
func (s FieldSet) Keys() bool { return s&(1<<OwnerKey|1<<AddressKey) != 0 }

// String lists the fields' names in the order of the record, with commas; "" for the zero set.
func (s FieldSet) String() string {
	var names []string
	for f := ID; f < numFields && s != 0; f++ {
		if s.Has(f) {
			names = append(names, f.String())
		}
	}
	return strings.Join(names, ",")
}

// Reveals is the tier whose values a filter by f lets a caller find: f's own, or, of a field that
// is never returned, the highest of those that it comes from.
func (f Field) Reveals() Tier {
	switch f {
	case City, ZIP, CreatedAt, CountyName, State, Month, Trust, Estate, OwnerKey, AddressKey:
		return Free
	case EquityPercent:
		return max(HomeEquityEstimate.Reveals(), EstimatedValue.Reveals())
	case PropertyData:
		return Pro
	}
	return fields[f].Tier
}

// ByName returns the field that a load calls name.
func ByName(name string) (Field, bool) {
	f, ok := byName[name]
	return f, ok
}

var byName = func() map[string]Field {
	m := make(map[string]Field, numFields)
	for _, f := range Fields() {
		if f.Loaded() {
			m[f.String()] = f
		}
	}
	return m
}()
