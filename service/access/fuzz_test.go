package access

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzKey: the form of a key is what the specification says, to the letter.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{"", "ak_live_", newKey(), strings.ToUpper(newKey()), newKey() + "\n", "ak_live_0123456789abcdef0123456789abcdeg"} {
		f.Add(seed)
	}
	form := regexp.MustCompile(`\Aak_live_[0-9a-f]{32}\z`)
	f.Fuzz(func(t *testing.T, text string) {
		if isKey(text) != form.MatchString(text) {
			t.Fatalf("%q is a key: %v", text, isKey(text))
		}
	})
}

// FuzzRedisURL: options of an URL never undo what the promises of a Store need, and an error never quotes it.
func FuzzRedisURL(f *testing.F) {
	for _, seed := range []string{
		"redis://h", "rediss://u:hidden@h:1/3", "redis://h?max_retries=9&dialer_retries=9", "redis://h/hidden", "unix:///hidden", "redis://h?read_timeout=-1",
		"redis://h?hidden=1", "redis://[::1]:6379?dial_timeout=0&context_timeout_enabled=false",
		"redis://h?master_name=m&addr=i:1&max_retries=9&password=hidden", "rediss://h?master_name=m&replica_only=1", "redis://h?master_name=",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, url string) {
		sentinels, err := failoverOptions(url)
		if err != nil && len(url) > 20 && strings.Contains(err.Error(), url) {
			t.Fatalf("%v quotes %q", err, url)
		}
		if err == nil && (sentinels.MaxRetries != -1 || !sentinels.ContextTimeoutEnabled || sentinels.ReadTimeout == 0 || sentinels.DialTimeout == 0 || sentinels.ReplicaOnly) {
			t.Fatalf("%q: %+v", url, sentinels)
		}
		options, err := redisOptions(url)
		if err != nil {
			if len(url) > 20 && strings.Contains(err.Error(), url) {
				t.Fatalf("%v quotes %q", err, url)
			}
			return
		}
		if options.Network != "tcp" || options.MaxRetries != -1 || !options.ContextTimeoutEnabled || options.ReadTimeout == 0 || options.DialTimeout == 0 {
			t.Fatalf("%q: %+v", url, options)
		}
	})
}
