package mapping

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestX20_Documents: the mappings in the documents work, on made-up rows of the form that they are for, and have at most 25
// lines.
func TestX20_Documents(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operate/mappings.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```jq\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	tests := []struct{ row, want string }{
		{`{"Case number":"K-1","Purchaser":"A B","Winning Bid":"$20,000.00 ","Minimum Bid":"$1.00","Date Sold":"8/21/2017"}`,
			`{"caseNumber":"K-1","county":"Jackson, MO","filingAmount":20000,"filingDate":"2017-08-21","filingType":"Tax Sale","id":`},
		{`{"CERTIFICATE_NUMBER":"40","TAX_YEAR":"2002","SCHEDULE_NUMBER":"7","REDEMPTION_DATE":"","PRINCIPAL":"2104.88","ISSUE_DATE":"11/19/03"}`,
			`{"caseNumber":"40","county":"Larimer, CO","filingAmount":2104.88,"filingDate":"2003-11-19","filingType":"Tax Certificate","id":`},
		{`{"Tax Account":"00104","Owner":"A","Property Address":"NA","2024 Amount Published":"896.18"}`,
			`{"caseNumber":"00104","county":"Sedgwick, KS","filingAmount":896.18,"filingType":"Delinquent Tax","id":`},
		{`{"status":"Delinquent","inst_num":"1","bill_number":"2","owner_name":"A","property_address":"","face_value":"$24.36","amount_due":"$143.16","purchaser_list":""}`,
			`{"caseNumber":"2","county":"Fayette, KY","currentAmount":143.16,"filingAmount":24.36,"filingHolder":null,"filingType":"Tax Bill","id":`},
		{`{"geometry":{"coordinates":[-84.5,38.1]},"properties":{"entity":"A","property_address":"1 B ST","first_assignment_date":"2025/07/21"}}`,
			`{"county":"Fayette, KY","filingDate":"2025-07-21","filingType":"Assigned Bill","geocodedLatitude":38.1,"geocodedLongitude":-84.5,"id":`},
	}
	if len(programs) != len(tests) {
		t.Fatalf("%d mappings in the documents, %d tests", len(programs), len(tests))
	}
	for i, tt := range tests {
		program := programs[i][1]
		if lines := strings.Count(program, "\n"); lines > 25 {
			t.Errorf("mapping %d has %d lines", i+1, lines)
		}
		p, err := Compile("mappings.md", program, today)
		if err != nil {
			t.Fatal(err)
		}
		var row any
		if err := json.Unmarshal([]byte(tt.row), &row); err != nil {
			t.Fatal(err)
		}
		records, err := p.Run(row)
		if err != nil || len(records) != 1 || !strings.HasPrefix(records[0].Text(), tt.want) {
			t.Errorf("mapping %d: %v, %v", i+1, records, err)
		}
	}
}
