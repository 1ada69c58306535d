package sieve

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/synthetic"
)

// synthesized are plausible filings.
func synthesized(n int) []index.Filing {
	g := synthetic.New(1)
	all := make([]index.Filing, n)
	for i := range all {
		g.Next(&all[i])
	}
	return all
}

// BenchmarkOf: the time for a filing where 10,000 entries are in the list.
func BenchmarkOf(b *testing.B) {
	all := synthesized(20_000)
	for _, kind := range []string{"id", "owner", "address", "all"} {
		b.Run(kind, func(b *testing.B) {
			list := generation.Withheld{Secret: make([]byte, 32)}
			for i := range 10_000 {
				w := Withhold{ID: int64(1e9 + i)}
				if kind == "owner" || kind == "all" && i%3 == 0 {
					w = Withhold{Owner: all[i].Text(index.Owner) + fmt.Sprint(" x", i)}
				}
				if kind == "address" || kind == "all" && i%3 == 1 {
					w = Withhold{Address: fmt.Sprintf("%d Zanthorrhoea%d St, Orlando, FL 3%04d", i, i%1000, i)}
				}
				w.AddTo(&list, time.Time{})
			}
			s := New(&list, func(*generation.Withholding) bool { return true })
			b.ResetTimer()
			began := cpu()
			defer func() { b.ReportMetric(float64(cpu()-began)/float64(b.N), "cpu-ns/op") }()
			for i := range b.N {
				if s.Verdict(&all[i%len(all)]) != Nothing {
					b.Fatal(i)
				}
			}
		})
	}
	b.Run("key", func(b *testing.B) {
		for i := range b.N {
			index.OwnerKeyOf(all[i%len(all)].Text(index.Owner))
		}
	})
	b.Run("addresskey", func(b *testing.B) {
		for i := range b.N {
			index.AddressKeyOf(all[i%len(all)].Text(index.PropertyAddress), "", "")
		}
	})
}

// cpu is the time that the process has computed, in nanoseconds: on a busy machine others do not add to it.
func cpu() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
