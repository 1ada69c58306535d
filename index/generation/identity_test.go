package generation

import (
	"fmt"
	"strings"
	"testing"
)

func TestX24_Differs(t *testing.T) {
	t.Parallel()
	sealed := Identity{"shard 0": "5 documents", "shard 1": "7 documents", "index.max_result_window": "10000"}
	for _, test := range []struct {
		name string
		now  Identity
		want string
	}{
		{"equal", Identity{"shard 0": "5 documents", "shard 1": "7 documents", "index.max_result_window": "10000"}, ""},
		{"a shard that cannot be read", Identity{"shard 0": "5 documents"}, ""},
		{"a fact of a newer version", Identity{"shard 0": "5 documents", "shard 7": "1 document"}, ""},
		{"a shard", Identity{"shard 0": "4 documents", "shard 1": "7 documents"}, "shard 0: sealed with 5 documents, has 4 documents"},
		{"two facts", Identity{"shard 1": "0 documents", "index.max_result_window": "5"},
			"index.max_result_window: sealed with 10000, has 5; shard 1: sealed with 7 documents, has 0 documents"},
	} {
		if got := sealed.Differs(test.now); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := (Identity)(nil).Differs(sealed); got != "" {
		t.Errorf("sealed by an older version: %q", got)
	}
}

func TestX24_DiffersInMany(t *testing.T) {
	t.Parallel()
	sealed, now := Identity{}, Identity{}
	for i := range 1024 {
		of := fmt.Sprintf("shard %04d", i)
		sealed[of], now[of] = "1", "0"
	}
	if got := sealed.Differs(now); len(got) > 500 || !strings.HasSuffix(got, "; and 1019 more") {
		t.Errorf("%q", got)
	}
}
