package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/service/access"
)

const someQuota = 1000

// K8: of 200 clients on four processes exactly the quota is admitted, while keys are rotated and, on the daily quota,
// the tier changes.
func TestK8_FleetQuota(t *testing.T) {
	servers.Nightly(t, "fleets")
	generous := []string{"FILINGS_FREE_BURST=1000000", "FILINGS_PRO_BURST=1000000", "FILINGS_ENTERPRISE_BURST=1000000"}
	quotas := append(generous, fmt.Sprintf("FILINGS_FREE_LIFETIME_QUOTA=%d", someQuota),
		fmt.Sprintf("FILINGS_PRO_DAILY_QUOTA=%d", someQuota/2), fmt.Sprintf("FILINGS_ENTERPRISE_DAILY_QUOTA=%d", someQuota))
	for tier, code := range map[access.Tier]string{access.Free: "lifetime_limit_exceeded", access.Pro: "rate_limit_exceeded"} {
		t.Run(string(tier), func(t *testing.T) {
			onEachStore(t, fleetSize, tier, quotas, func(t *testing.T, f *fleet) {
				steps := map[int64]func(){someQuota / 4: func() { f.rotate(t) }, someQuota * 3 / 4: func() { f.rotate(t) }}
				if tier == access.Pro {
					steps[someQuota*3/8] = func() { runProgram(t, f.environment, "keys", "tier", "--user", f.user, "--tier", "enterprise") }
				}
				last := strconv.Itoa(someQuota)
				count := f.flood(t, steps, func(_ int, r reply) bool {
					return r.status == http.StatusTooManyRequests && r.header.Get("X-RateLimit-Limit") == last
				})
				// A test that runs over midnight UTC sees two days, of which the second one was used up.
				if used := f.used(t); used != someQuota {
					t.Errorf("counted %d, want %d", used, someQuota)
				}
				var today string
				for day := range count.admitted {
					today = max(today, day)
				}
				if got := count.admitted[today]; tier == access.Pro && got != someQuota || tier == access.Free && count.total != someQuota {
					t.Errorf("admitted %v, want %d", count.admitted, someQuota)
				}
				if f.admissions(t) != count.total {
					t.Errorf("the processes admitted %d, the clients got %d", f.admissions(t), count.total)
				}
				if count.refused[code] < clients {
					t.Errorf("refused %v, want %s for each client", count.refused, code)
				}
				if tier == access.Free {
					delete(count.refused, "invalid_api_key")
					if delete(count.refused, code); len(count.refused) > 0 {
						t.Errorf("refused for another reason: %v", count.refused)
					}
				}
			})
		})
	}
}

// K8: a client that goes away in the middle of its request is counted once or not at all, never twice, and the quota is
// used up exactly.
func TestK8_FleetCancelled(t *testing.T) {
	servers.Nightly(t, "fleets")
	settings := []string{"FILINGS_FREE_BURST=1000000", fmt.Sprintf("FILINGS_FREE_LIFETIME_QUOTA=%d", someQuota)}
	onEachStore(t, fleetSize, access.Free, settings, func(t *testing.T, f *fleet) {
		var cancelled atomic.Int64
		count := f.flood(t, nil, func(client int, r reply) bool {
			if client%2 == 0 { // the other half of the clients break off one request for each that they wait for
				return r.status == http.StatusTooManyRequests
			}
			if err := f.breakOff(client); err != nil {
				t.Error(err)
			}
			cancelled.Add(1)
			return r.status == http.StatusTooManyRequests
		})
		used, admitted := f.used(t), f.admissions(t)
		if used != someQuota || admitted != someQuota {
			t.Errorf("counted %d, admitted %d; want %d", used, admitted, someQuota)
		}
		t.Logf("%d responses, %d requests broken off", count.total, cancelled.Load())
		if lost := someQuota - count.total; lost < 0 || lost > cancelled.Load() {
			t.Errorf("%d responses to %d admissions, %d requests were broken off", count.total, someQuota, cancelled.Load())
		}
	})
}
