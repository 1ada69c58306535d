package access

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// start is any moment, in microseconds since 1970.
const start int64 = 1_900_000_000_000_000

func TestBucket(t *testing.T) {
	t.Parallel()
	const second = 1_000_000
	type step struct {
		after int64 // microseconds since the step before
		sent  int
		fit   int
	}
	tests := []struct {
		name  string
		burst int64
		steps []step
	}{
		{"burst at once, then nothing", 5, []step{{0, 9, 5}, {0, 1, 0}}},
		{"burst again after a second", 5, []step{{0, 5, 5}, {second, 9, 5}}},
		{"evenly, not by the clock's seconds", 5, []step{{999_999, 9, 5}, {1, 9, 0}, {199_998, 9, 0}, {1, 9, 1}}},
		{"not a microsecond early", 4, []step{{0, 9, 4}, {249_999, 9, 0}, {1, 9, 1}, {249_999, 1, 0}, {1, 1, 1}}},
		{"thirds are exact", 3, []step{{0, 9, 3}, {333_333, 9, 0}, {1, 9, 1}, {333_333, 9, 1}, {333_333, 9, 1}}},
		{"thirds do not drift", 3, []step{{0, 9, 3}, {second, 9, 3}, {second, 9, 3}, {second - 1, 9, 2}, {1, 9, 1}}},
		{"one a second", 1, []step{{0, 2, 1}, {second - 1, 1, 0}, {1, 2, 1}}},
		{"a long rest gives one burst", 2, []step{{0, 9, 2}, {3600 * second, 9, 2}, {0, 1, 0}}},
		{"a clock a little behind", 2, []step{{0, 9, 2}, {-second, 9, 0}, {second / 2, 9, 0}, {second / 2, 9, 0}, {second / 2, 9, 1}}},
		{"a clock put back locks no caller out", 2, []step{{0, 9, 2}, {-second - 1, 9, 2}, {-3600 * second, 9, 2}, {second / 2, 9, 1}}},
	}
	for _, test := range tests {
		t.Run("K5 "+test.name, func(t *testing.T) {
			t.Parallel()
			var b bucket
			now := start
			for i, step := range test.steps {
				now += step.after
				fit := 0
				for range step.sent {
					after, ok := b.take(test.burst, test.burst, now)
					if ok {
						fit++
					} else if after != b {
						t.Fatalf("step %d: a refused request changed the bucket: %v, was %v", i, after, b)
					}
					b = after
				}
				if fit != step.fit {
					t.Errorf("step %d: %d of %d requests fit, want %d", i, fit, step.sent, step.fit)
				}
			}
		})
	}
}

func TestBucketAfterChangeOfTier(t *testing.T) {
	t.Parallel()
	fill := func(b bucket, burst, now int64) (bucket, int) {
		for fit := 0; ; fit++ {
			after, ok := b.take(burst, burst, now)
			if !ok {
				return b, fit
			}
			b = after
		}
	}
	full, _ := fill(bucket{}, 100, start)
	tests := []struct {
		name         string
		burst, after int64
		want         int
	}{
		{"smaller burst: full, no more", 5, 0, 0},
		{"smaller burst: empty after a second", 5, cost, 5},
		{"smaller burst: refilled evenly", 5, cost / 5, 1},
		{"larger burst: the difference", 250, 0, 150},
	}
	got, want := map[string]int{}, map[string]int{}
	for _, test := range tests {
		_, got[test.name] = fill(full, test.burst, start+test.after)
		want[test.name] = test.want
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests that fit (-want +got):\n%s", diff)
	}
}

func TestBucketAtItsBounds(t *testing.T) {
	t.Parallel()
	b, ok := bucket{}.take(maxBurst, maxBurst, start)
	if !ok {
		t.Fatal("the first request of the largest burst does not fit")
	}
	full := bucket{level: maxBurst * cost, moment: start}
	if _, ok := full.take(maxBurst, maxBurst, start); ok {
		t.Error("a full bucket takes a request")
	}
	if full.level >= 1<<53 {
		t.Errorf("level %d is beyond what a script of Redis counts exactly", full.level)
	}
	if want := (bucket{level: cost, moment: start}); b != want {
		t.Errorf("got %v, want %v", b, want)
	}
}
