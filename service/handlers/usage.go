package handlers

import (
	"context"
	"time"

	"filings/index/serving"
	"filings/service/access"
	"filings/service/params"
)

// Usage is the use of the caller's account.
type Usage struct {
	Tier    access.Tier   `json:"tier"`
	Windows []usageWindow `json:"windows" help:"The quota, \"day\" or, in the free tier, \"lifetime\"; then the \"burst\"."`
	Days    []usageDay    `json:"days" help:"The last 30 UTC days, the oldest first; the last one is today."`
}

type usageWindow struct {
	Name      string     `json:"name" help:"\"day\", \"lifetime\" or \"burst\"."`
	Limit     int64      `json:"limit" help:"Requests."`
	Used      int64      `json:"used" help:"Requests that count, this one included. May be more than the limit after a change of tier."`
	Remaining int64      `json:"remaining" help:"Requests that are left."`
	ResetsAt  *time.Time `json:"resetsAt" help:"When the whole limit is there again; null for a lifetime."`
}

type usageDay struct {
	Date     string `json:"date" help:"UTC day, YYYY-MM-DD."`
	Requests int64  `json:"requests" help:"Requests that count, of that day."`
}

// MyUsage handles GET /v1/me/usage: the use of the caller's account, as store has it.
func MyUsage(store access.Store) Handler {
	return func(ctx context.Context, _ *serving.Reader, q params.Request) (Result, error) {
		u, err := store.Usage(ctx, q.Caller.User)
		if err != nil {
			return Result{}, err
		}
		data := Usage{Tier: u.Tier, Windows: make([]usageWindow, len(u.Windows)), Days: make([]usageDay, len(u.Days))}
		for i, w := range u.Windows {
			data.Windows[i] = usageWindow{w.Name, w.Limit, w.Used, w.Remaining, nil}
			if !w.Resets.IsZero() {
				data.Windows[i].ResetsAt = &w.Resets
			}
		}
		for i, d := range u.Days {
			data.Days[i] = usageDay{d.Date.Format(time.DateOnly), d.Requests}
		}
		return Result{Data: JSON{data}}, nil
	}
}
