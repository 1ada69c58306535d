package generation_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"filings/index/generation"
)

func TestName(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 31, 18, 59, 59, 123_456_789, time.FixedZone("west", -5*3600))
	const want = "filings-20260131-235959.123456-v1"
	if got := generation.Name("filings", at, 1); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	if got, ok := generation.ParseName("filings", want); !ok || !got.Equal(at.Truncate(time.Microsecond)) {
		t.Errorf("%s: %v, %v", want, got, ok)
	}
}

func TestParseName_OtherNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "filings", "filings-", "filings-state", "filings-v1", "other-20260131-235959.123456-v1",
		"filings-test-20260131-235959.123456-v1", "filings-20260131-235959.123456", "filings-20260131-235959.123456-v",
		"filings-20260131-235959.123456-vx", "filings-20260131-235959.123456-v1-copy", "filings-20260131-235959.123456-v-1",
		"filings-20260131-235959-v1", "filings-20260131-235959.123-v1", "filings-20261331-235959.123456-v1",
		"filings-20260131-235959,123456-v1", "filings-20260131-235959.123456-v01", "filings-20260131-235959.123456-v+1",
		"filings-20260131-235959.123456-v99999999999999999999",
	} {
		if got, ok := generation.ParseName("filings", name); ok {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestName_SortsByTime(t *testing.T) {
	t.Parallel()
	instant := rapid.Int64Range(0, time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(instant, 2, 5).Draw(t, "times")
		slices.Sort(times)
		names := make([]string, len(times))
		for i, micros := range times {
			names[i] = generation.Name("f-1", time.UnixMicro(micros), 3)
			if got, ok := generation.ParseName("f-1", names[i]); !ok || got.UnixMicro() != micros {
				t.Errorf("%s: %v, %v", names[i], got, ok)
			}
		}
		if !slices.IsSorted(names) {
			t.Errorf("not sorted: %q", names)
		}
	})
}
