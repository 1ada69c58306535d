package access_test

import (
	"math"
	"testing"

	"filings/service/access"
)

// BenchmarkAdmit measures one caller after another, and many at once on one store.
func BenchmarkAdmit(b *testing.B) {
	stores := []struct {
		name string
		make func(testing.TB) place
	}{{"redis", redisPlace}, {"embedded", embeddedPlace}}
	for _, row := range stores {
		b.Run(row.name+"/one", func(b *testing.B) {
			s, key := endless(b, row.make(b))
			for b.Loop() {
				wantAdmitted(b, s, key)
			}
		})
		b.Run(row.name+"/many", func(b *testing.B) {
			s, key := endless(b, row.make(b))
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					wantAdmitted(b, s, key)
				}
			})
		})
	}
}

// endless is a store with a key that is always admitted.
func endless(b *testing.B, p place) (access.Store, string) {
	b.Helper()
	all := access.Limits{}
	for _, tier := range access.Tiers {
		all[tier] = access.Limit{Quota: math.MaxInt64, Burst: 1_000_000_000}
	}
	s := p.open(b, all, nil)
	return s, create(b, s, "ann", access.Pro)
}

func wantAdmitted(b *testing.B, s access.Store, key string) {
	a, err := s.Admit(b.Context(), access.Key(key), 1)
	if err != nil || a.Verdict != access.Admitted {
		b.Errorf("verdict %d, %v", a.Verdict, err)
	}
}
