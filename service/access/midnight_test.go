package access_test

import (
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/index/indextest"
	"filings/service/access"
)

// K8, K7: midnight passes in the middle of a crowd. Each request counts for the day of its own moment: what was admitted
// is what yesterday's counter says, and the whole quota of today.
func TestK8_MidnightUnderGoroutines(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, p place) {
		const quota = 300 // of sharedLimits
		now := indextest.NewClock(time.Date(2031, 5, 14, 23, 59, 59, 999_999_000, time.UTC))
		stores := make([]access.Store, 3)
		for i := range stores {
			stores[i] = p.open(t, sharedLimits(), now.Now)
		}
		key := create(t, stores[0], "ann", access.Pro)
		today := time.Date(2031, 5, 16, 0, 0, 0, 0, time.UTC) // when it ends
		var total atomic.Int64
		var group errgroup.Group
		for i := range 120 {
			group.Go(func() error {
				for {
					a, err := stores[i%len(stores)].Admit(t.Context(), access.Key(key), 1)
					if err != nil {
						return err
					}
					switch {
					case a.Verdict == access.Admitted:
						if total.Add(1) == quota/2 {
							now.Advance(time.Microsecond)
						}
					case a.Reset.Equal(today):
						return nil
					}
				}
			})
		}
		must(t, group.Wait())
		same(t, "today's counter", int64(quota), show(t, stores[1], "ann").Used)
		now.Advance(-time.Microsecond)
		yesterday := show(t, stores[1], "ann").Used
		same(t, "admitted on both days", yesterday+quota, total.Load())
		if yesterday < quota/2 || yesterday > quota {
			t.Errorf("yesterday's counter: %d, want %d to %d", yesterday, quota/2, quota)
		}
	})
}
