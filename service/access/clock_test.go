package access

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 9*60*60)
	tests := []struct {
		name         string
		now          time.Time
		day          string
		nextMidnight time.Time
	}{
		{"K7 midnight itself", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), "20513", time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)},
		{"K7 just before", time.Date(2026, 2, 28, 23, 59, 59, 999_999_999, time.UTC), "20512", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		{"K7 leap day", time.Date(2028, 2, 28, 12, 0, 0, 0, time.UTC), "21242", time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC)},
		{"K7 year's end", time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC), "20818", time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"K8 a zone where it is tomorrow", time.Date(2026, 3, 2, 3, 0, 0, 0, east), "20513", time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, tier := range []Tier{Starter, Pro, Enterprise} {
				if got := counterOf(tier, test.now); got != test.day {
					t.Errorf("counter of %s: %s, want %s", tier, got, test.day)
				}
			}
			if got := counterOf(Free, test.now); got != "lifetime" {
				t.Errorf("counter of free: %s", got)
			}
			if got := midnight(test.now); got != test.nextMidnight {
				t.Errorf("midnight: %s, want %s", got, test.nextMidnight)
			}
		})
	}
}
