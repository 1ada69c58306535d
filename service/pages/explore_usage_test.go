package pages_test

import (
	"strings"
	"testing"
	"time"

	"filings/cmd/testservers/servers"
	"filings/service/access"
)

// TestExplore_Usage: what the key has used is asked for when it is opened, by limit and by day, in words for who sees no bars.
func TestExplore_Usage(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "browser")
	e := limited(t, access.Free, access.Limit{Quota: 50, Burst: 5}, func() time.Time { return now })
	sent := len(e.sent(0))
	e.Click("#usage summary")
	e.Wait(`document.querySelectorAll("#days li").length > 0`)
	if got := e.sent(sent); len(got) != 1 || got[0] != "/v1/me/usage" {
		t.Errorf("it sent %q", got)
	}
	if got := e.Text("#usage dl"); !strings.Contains(got, "For life\n5 of 50 used, 45 left") || !strings.Contains(got, "In a second\n") {
		t.Errorf("limits: %q", got)
	}
	today := now.UTC().Format(time.DateOnly)
	if got := e.Text("#days-text"); got != "5 in the last 30 days; most on "+today+": 5" {
		t.Errorf("days: %q", got)
	}
	if got := e.Value(`document.querySelectorAll("#days li").length + " " + document.querySelector("#days li:last-child").textContent`); got != "30 "+today+": 5 requests" {
		t.Errorf("bars: %q", got)
	}
	if got := e.Text("#quota"); got != "Free · 45 of 50 requests left; the last question took 4" {
		t.Errorf("quota %q", got)
	}
	e.Screenshot("usage")
	e.Click("#forget")
	if got := e.Value(`document.querySelector("#usage dl").textContent + document.querySelectorAll("#days li").length`); got != "0" {
		t.Errorf("a forgotten key leaves %q", got)
	}
}
