package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReport: failures with what they printed, the slowest tests but not their parts, and what was left out, by reason.
func TestReport(t *testing.T) {
	t.Parallel()
	const events = `
{"Action":"build-output","ImportPath":"filings/bad","Output":"bad.go:1: no\n"}
{"Action":"build-fail","ImportPath":"filings/bad"}
{"Action":"output","Package":"filings/bad","Output":"FAIL\tfilings/bad [build failed]\n"}
{"Action":"fail","Package":"filings/bad","Elapsed":0,"FailedBuild":"filings/bad"}
{"Action":"run","Package":"filings/a","Test":"TestOne"}
{"Action":"output","Package":"filings/a","Test":"TestOne/part","Output":"    a_test.go:7: left out: no nginx on the PATH\n"}
{"Action":"output","Package":"filings/a","Test":"TestOne/part","Output":"--- SKIP: TestOne/part (0.00s)\n"}
{"Action":"skip","Package":"filings/a","Test":"TestOne/part","Elapsed":0}
{"Action":"pass","Package":"filings/a","Test":"TestOne/other","Elapsed":3}
{"Action":"pass","Package":"filings/a","Test":"TestOne","Elapsed":3.04}
{"Action":"output","Package":"filings/a","Test":"TestTwo","Output":"    a_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"filings/a","Test":"TestTwo","Elapsed":0.1}
{"Action":"pass","Package":"filings/a","Test":"TestThree","Elapsed":5}
{"Action":"pass","Package":"filings/a","Test":"TestFour","Elapsed":0.2}
{"Action":"skip","Package":"filings/a","Test":"TestFive","Elapsed":0}
{"Action":"output","Package":"filings/a","Output":"FAIL\n"}
{"Action":"fail","Package":"filings/a","Elapsed":8}
{"Action":"skip","Package":"filings/empty","Elapsed":0}
`
	var r report
	if err := r.read(strings.NewReader(events[1:])); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	r.print(&got, 2)
	const want = `bad.go:1: no
FAIL	filings/bad [build failed]
    a_test.go:9: got 1, want 2
FAIL
| s | test |
|---:|---|
| 5.0 | ` + "`TestThree`, `a`" + ` |
| 3.0 | ` + "`TestOne`, `a`" + ` |

3 tests passed
1 left out: no nginx on the PATH
1 left out: no reason given
`
	if diff := cmp.Diff(want, got.String()); diff != "" || len(r.failed) == 0 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := new(report).read(strings.NewReader("go: no such package\n")); err == nil {
		t.Error("a line that is no event is not noticed")
	}
}
