package apitest

import (
	"net/http"
	"strings"
	"testing"

	"filings/service/access"
)

// TestSecrets_Panic makes a handler panic: the stack that is logged holds neither the key nor the query.
func TestSecrets_Panic(t *testing.T) {
	t.Parallel()
	s := newSite(t, newFaulty(oracle(nil), errPanic))
	a := s.get(t, access.Pro, "/v1/filings/search?q=mrs+private", "X-Other", "5ecre7")
	if said := s.Log.String(); a.status != http.StatusInternalServerError || !strings.Contains(said, "goroutine ") {
		t.Fatalf("%d, and no stack in the log: %s", a.status, said)
	}
	for what, text := range map[string]string{"log": s.Log.String(), "response": a.body} {
		for _, hidden := range []string{s.Keys[access.Pro], "5ecre7", "private"} {
			if strings.Contains(text, hidden) {
				t.Errorf("the %s shows %s: %s", what, hidden, text)
			}
		}
	}
}
