package document

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/elastictest"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	var full index.Filing
	full.ID = 7
	full.CreatedAt = time.Date(2024, 5, 1, 23, 59, 59, 1000, time.FixedZone("", -3600))
	full.Categories = []string{"residential", "land"}
	for field, v := range map[index.Field]string{
		index.County: "Orange, FL", index.Owner: "Estate of A  Doe TR", index.CaseNumber: "X1",
		index.PropertyAddress: "1 Elm St, Ocoee, FL 34761", index.FilingType: "Tax Lien", index.FilingDate: "1969-12-31",
		index.PropertyClassification: "Land", index.FilingHolder: "Sample FUND", index.ForeclosureStatus: "Auction",
	} {
		full.SetText(field, v)
	}
	for field, v := range map[index.Field]float64{
		index.FilingAmount: -0.07, index.CurrentAmount: 256, index.Latitude: 28.5, index.Longitude: -81.25,
		index.EstimatedValue: 300, index.HomeEquityEstimate: 100,
	} {
		full.SetNumber(field, v)
	}
	var least index.Filing
	least.ID = 1
	least.SetText(index.County, "Orange, FL")

	for _, test := range []struct {
		name   string
		filing *index.Filing
		want   string // of x
	}{
		{"full", &full, `{
			"county": "orange, fl", "countyName": "orange", "state": "FL", "city": "ocoee", "writtenCity": "Ocoee", "zip": "34761",
			"month": "1969-12", "year": "1969", "day": -1,
			"owner": "estate of a  doe tr", "ownerKey": "estate of a doe trust",
			"addressKey": "1 elm st\u0000\u000034761\u0000ocoee\u0000fl",
			"address": ["01 elm st", "1", "234761", "3ocoee", "4fl"],
			"filingType": "tax lien", "filingHolder": "sample fund", "propertyClassification": "land",
			"foreclosureStatus": "auction", "categories": ["residential", "land"],
			"is": ["foreclosureStatus", "propertyData", "trust", "estate"],
			"text": ["estate of a doe tr\u0000\u0000", "1 elm st, ocoee, fl 34761\u0000\u0000", "x1\u0000\u0000"],
			"runs": "estate state ocoee ",
			"cents": -7, "countyCents": 3101260507072430073, "equityPercent": 33.3333, "createdAt": 1714611599000001, "point": [-81.25, 28.5],
			"code": {"filingAmount": "404e1", "currentAmount": "c0700", "owner": "est", "createdAt": "2024-05-02", "id": "c01c0"}
		}`},
		{"least", &least, `{"county": "orange, fl", "countyName": "orange", "state": "FL", "code": {"id": "bff00"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			document, fingerprint := Append([]byte("before"), test.filing)
			record := index.AppendRecord([]byte("before"), test.filing)
			if got := document[:len(record)-1]; string(got) != string(record[:len(record)-1]) {
				t.Errorf("the document does not begin with the record: %s", got)
			}
			d := index.Derive(test.filing)
			if want := index.FingerprintOf(test.filing, &d, record[len("before"):]); fingerprint != want {
				t.Errorf("fingerprint %+v, want %+v", fingerprint, want)
			}
			var got struct{ X any }
			if err := json.Unmarshal(document[len("before"):], &got); err != nil {
				t.Fatal(err)
			}
			var want any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.X); diff != "" {
				t.Errorf("x (-want +got):\n%s", diff)
			}
		})
	}
}

// A percentage beyond all doubles is still a document.
func TestP13_HugeEquity(t *testing.T) {
	t.Parallel()
	var f index.Filing
	f.ID = 1
	f.SetNumber(index.EstimatedValue, 1e-300)
	f.SetNumber(index.HomeEquityEstimate, -1e300)
	if document, _ := Append(nil, &f); !json.Valid(document) {
		t.Errorf("not JSON: %s", document)
	}
}

func BenchmarkAppend(b *testing.B) {
	filings := elastictest.Filings(100)
	var document []byte
	for i := 0; b.Loop(); i++ {
		document, _ = Append(document[:0], filings[i%len(filings)])
	}
}
